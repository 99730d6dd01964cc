/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/message.h"

#include "core/base/parse.h"

#include <stdio.h>
#include <string.h>

#define DIGITS_MAX 20

void message_hello(char ret[HELLO_SIZE], unsigned procid, const char *node)
{
	snprintf(ret, HELLO_SIZE, "%d %u %s", MESSAGE_VERSION, procid, node);
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
