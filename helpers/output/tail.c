/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/output/line_writer.h"

#include <string.h>

void tail_add(struct tail *tail, const char *data, size_t n)
{
	size_t skip = n > TAIL_SIZE ? n - TAIL_SIZE : 0;

	tail->total += skip;
	data += skip;
	n -= skip;
	while (n) {
		size_t at = tail->total % TAIL_SIZE;
		size_t take = n < TAIL_SIZE - at ? n : TAIL_SIZE - at;

		memcpy(tail->ring + at, data, take);
		tail->total += take;
		data += take;
		n -= take;
	}
}

/* The beginning of the last lines of a text that ends with a newline. */
static const char *last_lines(const char *text, size_t n)
{
	const char *p = text + n - 1;

	for (int lines = 0; p > text; p--)
		if (p[-1] == '\n' && ++lines == TAIL_LINES)
			break;
	return p;
}

const char *tail_text(const struct tail *tail, char buf[TAIL_SIZE + 2])
{
	size_t n = tail->total < TAIL_SIZE ? tail->total : TAIL_SIZE;
	size_t at = tail->total % TAIL_SIZE;
	const char *newline, *begin = buf;

	if (tail->total > TAIL_SIZE) {
		memcpy(buf, tail->ring + at, TAIL_SIZE - at);
		memcpy(buf + TAIL_SIZE - at, tail->ring, at);
	} else {
		memcpy(buf, tail->ring, n);
	}
	for (size_t i = 0; i < n; i++)
		if (!buf[i])
			buf[i] = '?';
	if (n && buf[n - 1] != '\n')
		buf[n++] = '\n';
	buf[n] = '\0';
	newline = strchr(buf, '\n');
	if (tail->total > TAIL_SIZE && newline[1])
		begin = newline + 1;
	return n ? last_lines(begin, n - (size_t)(begin - buf)) : buf;
}
