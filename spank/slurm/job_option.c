/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/slurm/job_option.h"

#include "spank/slurm/step_job.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a client reads; without this prefix, what a client sets and a node reads
 * and unsets: salloc's shell inherits that one, too. */
#define FOR_CLIENTS "SLURM_SPANK_"
#define FOR_NODES   "_SLURM_SPANK_OPTION_dist_train_"

struct names {
	char client[sizeof(FOR_CLIENTS FOR_NODES) +
		    sizeof(((struct config *)0)->option)];
	const char *node;
};

static void name(const struct config *config, struct names *ret)
{
	snprintf(ret->client, sizeof(ret->client), FOR_CLIENTS FOR_NODES "%s",
		 config->option);
	for (char *p = ret->client + strlen(FOR_CLIENTS FOR_NODES); *p; p++)
		if (strchr("-.", *p))
			*p = '_';
	ret->node = ret->client + strlen(FOR_CLIENTS);
}

const char *job_option_text(const struct config *config)
{
	struct names names;

	name(config, &names);
	return getenv(names.client);
}

static bool is_in_job(void)
{
	return getenv("SLURM_JOB_ID") || getenv("SLURM_JOBID");
}

void job_option_forget(const struct config *config)
{
	struct names names;

	if (!is_in_job())
		return;
	name(config, &names);
	unsetenv(names.client);
	unsetenv(names.node);
}

static void hide(spank_t sp, const char *variable)
{
	if (job_hasenv(sp, variable))
		spank_unsetenv(sp, variable);
}

void job_option_hide(spank_t sp, const struct config *config)
{
	struct names names;

	name(config, &names);
	hide(sp, names.client);
	hide(sp, names.node);
}
