/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun.h"

#include "core/option/option.h"
#include "registry/registry.h"
#include "spank/slurm/slurmctld.h"

#include <stdio.h>
#include <stdlib.h>

#define RESV_PORTS "SLURM_RESV_PORTS" /* srun's default of --resv-ports */

struct wanted {
	const struct config *config;
	unsigned n; /* largest number of ports found so far */
};

/* A wrong text is ignored here: init_post_opt refuses it, with the reason. */
static void judge(void *arg, const char *text)
{
	struct wanted *w = arg;
	struct request request = {0};
	struct srun_hint guess;
	struct err ignored;
	unsigned n = 0;

	if (request_parse(text, w->config->defaults, w->config->allow, &request,
			  &ignored) == 0 &&
	    request.framework) {
		prescan_step(&guess);
		n = srun_hint_ports(&request, &guess);
	}
	request_clear(&request);
	if (n > w->n)
		w->n = n;
}

void resv_ports_choose(const struct config *config)
{
	unsigned range = slurmctld_resv_ports();
	struct wanted w = {.config = config};
	char text[16];

	if (!range || getenv(RESV_PORTS))
		return;
	prescan_option(config, judge, &w);
	if (!w.n || w.n > range)
		return;
	snprintf(text, sizeof(text), "%u", w.n);
	setenv(RESV_PORTS, text, 0);
}
