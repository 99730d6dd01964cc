/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun.h"

#include "spank/slurm/option_once.h"
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
	struct err ignored;
	const struct request *r = option_once(text, w->config, &ignored);
	struct srun_hint guess;
	unsigned n;

	if (!r || !r->framework)
		return;
	prescan_step(&guess);
	n = srun_hint_ports(r, &guess);
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
