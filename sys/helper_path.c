/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/helper_path.h"

#include "paths.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char self[PATH_MAX]; /* "": what is configured counts */
static const char *beside;
static bool (*is_self)(const char *name);

bool helper_path(const char *name, char ret_path[PATH_MAX])
{
	const char *slash = strrchr(self, '/');
	bool own = slash && is_self && is_self(name);

	if (own)
		strcpy(ret_path, self);
	else if (slash)
		snprintf(ret_path, PATH_MAX, "%.*s%s/%s", (int)(slash - self),
			 self, beside, name);
	else
		snprintf(ret_path, PATH_MAX, "%s/%s", PKGLIBEXECDIR, name);
	return own;
}

void helper_path_own(const char *folder, bool (*is_self_)(const char *name))
{
	ssize_t n;

	if (is_self && !is_self_)
		return;
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n > 0 ? n : 0] = '\0';
	beside = folder;
	is_self = is_self_;
}
