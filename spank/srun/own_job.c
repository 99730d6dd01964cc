/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun.h"

#include "spank/slurm/cmdline.h"
#include "spank/slurm/slurmctld.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool own;

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

void own_job_remember(void)
{
	own = !is_set("SLURM_JOB_ID") && !is_set("SLURM_JOBID");
}

static bool command_names(const char *gres)
{
	char **w = cmdline_words();

	if (!*w)
		return true; /* for all that is known */
	while (*w && !strstr(*w, gres))
		w++;
	return *w;
}

/* SLURM_GRES, SLURM_TRES_PER_TASK and their like. */
static bool environment_names(const char *gres)
{
	for (char **e = environ; e && *e; e++)
		if (!strncmp(*e, "SLURM_", 6) && strstr(*e, gres))
			return true;
	return false;
}

/* Options may be shortened: --jobid from --jobi on. */
bool own_job_lacks(const char *gres)
{
	return own && !cmdline_has("--jobi") && !slurmctld_alters_requests() &&
	       !command_names(gres) && !environment_names(gres);
}
