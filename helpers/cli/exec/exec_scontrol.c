/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/exec/exec.h"

#include "sys/child.h"
#include "sys/subprocess.h"

#include <limits.h>

#define ASK_MS 20000

int exec_scontrol(const char *what, const char *name, char *buf, size_t size)
{
	char file[PATH_MAX];
	const char *const argv[] = {file, "-d", "show", what, name, NULL};
	struct err unused;

	if (child_find("scontrol", child_path(), file, sizeof(file)) < 0)
		return -1;
	return subprocess_ask_program(argv, ASK_MS, buf, size, &unused);
}
