/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun.h"

#include "core/facts/handover.h"
#include "spank/slurm/cmdline.h"
#include "spank/slurm/option_once.h"
#include "spank/slurm/slurmctld.h"
#include "sys/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool chosen; /* by no_kill_choose() */
static bool in_job; /* this srun was called in a job */
static char mark;   /* the job's; 0: it has none */
static bool told;   /* by the user, on the command line, in the environment or
		       in the script */

/* This program's default of --no-kill. */
static const char *variable(void)
{
	if (spank_context() == S_CTX_LOCAL)
		return "SLURM_NO_KILL";
	return strcmp(program_invocation_short_name, "salloc")
		       ? "SBATCH_NO_KILL"
		       : "SALLOC_NO_KILL";
}

struct wish {
	const struct config *config;
	bool recovery;
};

/* A wrong text is refused later, with the reason. */
static void judge(void *arg, const char *text)
{
	struct wish *wish = arg;
	struct err ignored;
	const struct request *r = option_once(text, wish->config, &ignored);
	struct resolved w;

	if (!r || !r->framework)
		return;
	resolve(r, NULL, &w);
	wish->recovery |= w.recovery;
}

static bool is_no_kill(const char *word)
{
	return !strcmp(word, "-k") ||
	       (!strncmp(word, "--no-k", 6) && !strchr(word, '='));
}

static void look_for_no_kill(void *arg, const char *word)
{
	(void)arg;
	told |= is_no_kill(word);
}

void no_kill_choose(const struct config *config)
{
	struct wish wish = {.config = config};
	const char *name = variable(), *text = getenv(HANDOVER_NO_KILL);

	in_job = getenv("SLURM_JOB_ID") != NULL;
	mark = text ? *text : '\0';
	told = getenv(name) != NULL;
	prescan_option(config, judge, &wish);
	if (!wish.recovery && spank_context() == S_CTX_ALLOCATOR)
		prescan_script_option(config, judge, &wish);
	chosen = wish.recovery && !told && setenv(name, "set", 1) == 0;
}

/* What srun has read needn't be in its tasks. */
static void forget(void)
{
	if (chosen)
		unsetenv(variable());
	prescan_words(look_for_no_kill, NULL);
}

void no_kill_mark_job(bool recovery)
{
	bool seen = chosen;

	forget();
	prescan_script(look_for_no_kill, NULL);
	seen |= told;
	if (seen || recovery)
		setenv(HANDOVER_NO_KILL, seen ? "1" : "?", 1);
	else
		unsetenv(HANDOVER_NO_KILL); /* of a job that submits this one */
}

void no_kill_keep_step(void)
{
	forget();
	slurmctld_keep_going();
}

int no_kill_check_job(const struct resolved *resolved, struct err *err)
{
	static bool said;

	if (!resolved->recovery || told || mark == '1' ||
	    (!in_job && !cmdline_has("--jobid")))
		return 0;
	if (in_job && !mark)
		return err_printf(
			err,
			"%s: Slurm ends this job with its first lost node, "
			"since it was submitted without --no-kill; add "
			"#SBATCH --no-kill, or use salloc --no-kill (srun "
			"--no-kill, if the job has it all the same)",
			resolved->spares ? "spares" : "on-node-loss");
	if (!said)
		log_line("a lost node ends this job, unless it was submitted "
			 "with --no-kill, which can't be seen here; srun "
			 "--no-kill says that it was");
	said = true;
	return 0;
}
