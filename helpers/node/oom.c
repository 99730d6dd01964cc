/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/node/oom.h"

#include "sys/proc_file.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE 4096

/* The number after "oom_kill " at the beginning of a line. */
static long find_count(const char *text)
{
	static const char key[] = "oom_kill ";

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, sizeof(key) - 1))
			return atol(line + sizeof(key) - 1);
		if (!*line)
			break;
	}
	return -1;
}

/* The cgroup after `controller` in /proc/self/cgroup: "N:memory:/path", or
 * "0::/path" for version 2. */
static const char *find_cgroup(char *text, const char *controller)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *at = strstr(line, controller);

		if (at && at == strchr(line, ':'))
			return at + strlen(controller);
	}
	return NULL;
}

static long count_in(const char *root, const char *controller,
		     const char *mount, const char *file)
{
	char cgroups[TEXT_SIZE], text[TEXT_SIZE];
	const char *path;

	if (sysfs_read(cgroups, sizeof(cgroups), root, "/proc/self/cgroup") < 0)
		return -1;
	path = find_cgroup(cgroups, controller);
	if (!path || sysfs_read(text, sizeof(text), root, "%s%s/%s", mount,
				path, file) < 0)
		return -1;
	return find_count(text);
}

long oom_kills(const char *root)
{
	long n = count_in(root, ":memory:", "/sys/fs/cgroup/memory",
			  "memory.oom_control");

	if (n < 0)
		n = count_in(root, "::", "/sys/fs/cgroup", "memory.events");
	return n;
}
