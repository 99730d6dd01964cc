/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun.h"

#include "spank/slurm/slurmctld.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whether `word` is that option, maybe abbreviated to so many bytes, and maybe
 * with a value (--requeue=expedite). */
static bool is_option(const char *word, const char *option, size_t least)
{
	size_t len = strcspn(word, "=");

	return len >= least && !strncmp(word, option, len);
}

/* The last of them counts. */
static void look(void *arg, const char *word)
{
	bool *may = arg;

	if (is_option(word, "--requeue", strlen("--req")))
		*may = true;
	else if (is_option(word, "--no-requeue", strlen("--no-r")))
		*may = false;
}

/* As sbatch: slurm.conf, then the script, the environment, the command line. */
static bool may_requeue(void)
{
	bool may = slurmctld_requeues_jobs();

	prescan_script(look, &may);
	if (getenv("SBATCH_REQUEUE"))
		may = true;
	if (getenv("SBATCH_NO_REQUEUE"))
		may = false;
	prescan_words(look, &may);
	return may;
}

int requeue_check(const struct request *r, struct err *err)
{
	const char *text = request_text(r, KEY_REQUEUE);

	if (!text || !request_given(r, KEY_REQUEUE))
		return 0;
	if (!strcmp(program_invocation_short_name, "salloc"))
		return err_printf(
			err,
			"requeue=%s: Slurm requeues batch jobs alone; "
			"submit it with sbatch",
			text);
	if (may_requeue())
		return 0;
	return err_printf(err,
			  "requeue=%s: this job can't be requeued, by "
			  "--no-requeue or JobRequeue=0 in slurm.conf; add "
			  "#SBATCH --requeue",
			  text);
}
