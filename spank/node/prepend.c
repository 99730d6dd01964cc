/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "spank/node/node.h"

#include "spank/slurm/step_job.h"

#include <limits.h>
#include <stdio.h>

#if HAVE_DECL_SPANK_PREPEND_TASK_ARGV

int prepend_program(spank_t sp, const char *program, struct err *err)
{
	const char *argv[] = {program, "--"};

	if (spank_prepend_task_argv(sp, 2, argv) != ESPANK_SUCCESS)
		return err_printf(err, "Slurm doesn't let the plugin change "
				       "the task's command");
	return 0;
}

#else

/* Before Slurm 23.11 the vector can't grow: its first word is replaced, and
 * the program gets the original through the environment. */
int prepend_program(spank_t sp, const char *program, struct err *err)
{
	static char name[PATH_MAX];
	char **argv;
	int argc;

	if (job_argv(sp, &argc, &argv, err) < 0 ||
	    job_setenv(sp, HANDOVER_ARGV0, argv[0], err) < 0)
		return -1;
	snprintf(name, sizeof(name), "%s", program);
	argv[0] = name;
	return 0;
}

#endif
