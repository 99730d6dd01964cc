/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/message.h"

#include "core/base/parse.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

#define DIGITS_MAX 20

void message_hello(char ret[HELLO_SIZE], unsigned procid, const char *node)
{
	snprintf(ret, HELLO_SIZE, "%d %u %s", MESSAGE_VERSION, procid, node);
}

bool message_is_foreign(const char *hello, char ret[FOREIGN_SIZE])
{
	long version, procid;

	if (message_number(&hello, 0, INT_MAX, &version) < 0 ||
	    version == MESSAGE_VERSION ||
	    message_number(&hello, 0, INT_MAX, &procid) < 0)
		return false;
	snprintf(ret, FOREIGN_SIZE,
		 "%.*s speaks version %ld of the launchers' messages, and the "
		 "step's controller version %d (slurm-dist-train %s; install "
		 "one release on all hosts)",
		 HOSTLIST_NAME_MAX - 1, hello, version, MESSAGE_VERSION,
		 PACKAGE_VERSION);
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
