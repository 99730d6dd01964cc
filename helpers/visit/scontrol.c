/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/scontrol.h"

#include "sys/child.h"
#include "sys/subprocess.h"

#include <limits.h>
#include <stdlib.h>

#define ASK_MS	    20000
#define OUTPUT_SIZE (4U << 20)

char *scontrol_show(const char *what, const char *name, struct err *err)
{
	char file[PATH_MAX];
	const char *const argv[] = {file, "-o", "show", what, name, NULL};
	char *text = malloc(OUTPUT_SIZE);

	if (!text) {
		err_memory(err);
		return NULL;
	}
	if (child_find("scontrol", child_path(), file, sizeof(file)) < 0)
		err_printf(err, "no program scontrol in PATH: this must run "
				"where Slurm's commands are");
	else if (subprocess_ask_program(argv, ASK_MS, text, OUTPUT_SIZE, err) ==
		 0)
		return text;
	free(text);
	return NULL;
}
