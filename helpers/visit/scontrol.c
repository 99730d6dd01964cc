/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/step_find.h"

#include "sys/child.h"
#include "sys/subprocess.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ASK_MS	    20000
#define OUTPUT_SIZE (4U << 20)

/* `file` is argv[0], and becomes where the program is. */
static char *ask(const char *program, char file[PATH_MAX],
		 const char *const argv[], int limit_ms, struct err *err)
{
	char *text = malloc(OUTPUT_SIZE);

	if (!text)
		return err_memory_null(err);
	if (child_find(program, child_path(), file, PATH_MAX) < 0)
		err_printf(err,
			   "no program %s in PATH: this must run where "
			   "Slurm's commands are",
			   program);
	else if (subprocess_ask_program(argv, limit_ms, text, OUTPUT_SIZE,
					err) == 0)
		return text;
	free(text);
	return NULL;
}

char *scontrol_show(const char *what, const char *name, struct err *err)
{
	char file[PATH_MAX];
	const char *const argv[] = {file, "-o", "show", what, name, NULL};

	return ask("scontrol", file, argv, ASK_MS, err);
}

char *scontrol_details(const char *what, const char *name)
{
	char file[PATH_MAX];
	const char *const argv[] = {file, "-d", "show", what, name, NULL};
	struct err unused;

	return ask("scontrol", file, argv, ASK_MS, &unused);
}

char *sattach_layout(const char *step)
{
	char file[PATH_MAX];
	const char *const argv[] = {file, "--layout", step, NULL};
	struct err unused;

	return ask("sattach", file, argv, ASK_MS, &unused);
}

char *squeue_own(struct err *err)
{
	char file[PATH_MAX], uid[24];
	const char *const argv[] = {file, "-h", "-t", "R", "-o",
				    "%i", "-u", uid,  NULL};

	snprintf(uid, sizeof(uid), "%u", (unsigned)getuid());
	return ask("squeue", file, argv, ASK_MS, err);
}

char *sacct_show(const char *fields, const char *step, bool all_runs,
		 int limit_ms)
{
	char file[PATH_MAX];
	const char *const argv[] = {
		file, all_runs ? "-nPXD" : "-nPX", "-o", fields, "-j", step,
		NULL};
	struct err unused;

	return ask("sacct", file, argv, limit_ms, &unused);
}
