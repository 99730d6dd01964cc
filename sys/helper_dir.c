/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/helper_dir.h"

#include "paths.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

static char own[PATH_MAX];

const char *helper_dir(void)
{
	return *own ? own : PKGLIBEXECDIR;
}

void helper_dir_own(void)
{
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	own[n > 0 ? n : 0] = '\0';
	slash = strrchr(own, '/');
	if (slash)
		*slash = '\0';
}
