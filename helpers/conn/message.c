/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "helpers/conn/message.h"

#include "core/base/parse.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define DIGITS_MAX 20

#define ONE_RELEASE "install one release on all hosts"

void message_hello(char ret[HELLO_SIZE], unsigned procid, const char *node)
{
	snprintf(ret, HELLO_SIZE, "%d %u %s %s", MESSAGE_VERSION, procid, node,
		 PACKAGE_VERSION);
}

int message_hello_read(const char *hello, long min, long max,
		       unsigned *ret_procid, char ret_node[HOSTLIST_NAME_MAX])
{
	long version, procid;
	size_t n;

	if (message_number(&hello, MESSAGE_VERSION, MESSAGE_VERSION, &version) <
		    0 ||
	    message_number(&hello, min, max, &procid) < 0)
		return -1;
	n = strcspn(hello, " ");
	if (!n || n >= HOSTLIST_NAME_MAX)
		return -1;
	snprintf(ret_node, HOSTLIST_NAME_MAX, "%.*s", (int)n, hello);
	*ret_procid = (unsigned)procid;
	return 0;
}

/* Where NODE RELEASE begins, in a hello of whatever version; NULL: nowhere. */
static const char *hello_names(const char *hello, long *ret_version)
{
	long procid;

	if (message_number(&hello, 0, INT_MAX, ret_version) < 0 ||
	    message_number(&hello, 0, INT_MAX, &procid) < 0)
		return NULL;
	return hello;
}

bool message_is_foreign(const char *hello, char ret[FOREIGN_SIZE])
{
	long version;
	const char *names = hello_names(hello, &version);

	if (!names || version == MESSAGE_VERSION)
		return false;
	snprintf(ret, FOREIGN_SIZE,
		 "%.*s speaks version %ld of the launchers' messages, and the "
		 "step's controller version %d (slurm-dist-train "
		 "%s; " ONE_RELEASE ")",
		 HOSTLIST_NAME_MAX - 1, names, version, MESSAGE_VERSION,
		 PACKAGE_VERSION);
	return true;
}

bool message_is_mixed(const char *hello, char ret[FOREIGN_SIZE])
{
	long version;
	const char *names = hello_names(hello, &version);
	const char *release = names ? strchr(names, ' ') : NULL;

	if (!release || !strcmp(release + 1, PACKAGE_VERSION))
		return false;
	snprintf(ret, FOREIGN_SIZE,
		 "dist-train: %.*s has slurm-dist-train %.40s, and the step's "
		 "controller %s: " ONE_RELEASE "\n",
		 (int)(release - names), names, release + 1, PACKAGE_VERSION);
	return true;
}

int message_number(const char **text, long min, long max, long *ret)
{
	size_t n = strcspn(*text, " ");
	char number[DIGITS_MAX + 1];

	if (n > DIGITS_MAX)
		return -1;
	snprintf(number, sizeof(number), "%.*s", (int)n, *text);
	if (parse_number(number, min, max, ret) < 0)
		return -1;
	*text += n + ((*text)[n] == ' ');
	return 0;
}
