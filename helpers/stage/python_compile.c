/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/stage/python_compile.h"

#include "sys/subprocess.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>

#define LIMIT_MS      600000
#define PROCESSES_MAX 16

/* On those processors that the task has. */
static void count_processors(char ret[16])
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) < 0 ? 1
							    : CPU_COUNT(&set);

	snprintf(ret, 16, "%d", n < PROCESSES_MAX ? n : PROCESSES_MAX);
}

/* Neither variables nor .pth files of the user's count (-I, -S). Tracebacks
 * name `path`. */
bool python_compile(const char *copy, const char *path)
{
	char python[PATH_MAX], processes[16], said[256];
	/* clang-format off */
	const char *const argv[] = {
		python, "-IS", "-m", "compileall", "-qq", "-j", processes,
		"--invalidation-mode", "timestamp", "-s", copy, "-p", path,
		copy, NULL,
	};
	/* clang-format on */
	struct err err;

	if (snprintf(python, sizeof(python), "%s/bin/python3", copy) >=
		    (int)sizeof(python) ||
	    access(python, X_OK) < 0)
		return false;
	count_processors(processes);
	/* What it doesn't come to each process compiles for itself */
	subprocess_ask_program(argv, LIMIT_MS, said, sizeof(said), &err);
	return true;
}
