/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/runlength.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#define COUNT_MAX  1000000UL
#define REPEAT_MAX 1000000UL

int runlength_next(const char **text, unsigned long *ret_count,
		   unsigned long *ret_repeat)
{
	*ret_repeat = 1;
	if (digits_read(text, COUNT_MAX, ret_count) < 0)
		return -1;
	if (**text == '(') {
		if ((*text)[1] != 'x')
			return -1;
		*text += 2;
		if (digits_read(text, REPEAT_MAX, ret_repeat) < 0 ||
		    !*ret_repeat || **text != ')')
			return -1;
		++*text;
	}
	if (**text == ',' && (*text)[1])
		++*text;
	else if (**text)
		return -1;
	return 0;
}

int runlength_read_at(const char *text, unsigned index, struct runlength *ret,
		      unsigned *ret_count, unsigned long *ret_before)
{
	unsigned long count, repeat, before = 0;
	struct runlength c = {0};
	unsigned at = 0;

	if (!*text)
		return -1;
	while (*text) {
		if (runlength_next(&text, &count, &repeat) < 0 ||
		    c.n + repeat > REPEAT_MAX)
			return -1;
		if (!c.n || count < c.min)
			c.min = (unsigned)count;
		if (count > c.max)
			c.max = (unsigned)count;
		if (index >= c.n) {
			before = c.total + count * (index - c.n);
			at = (unsigned)count;
		}
		c.n += (unsigned)repeat;
		c.total += count * repeat;
	}
	c.uniform = c.min == c.max;
	*ret = c;
	*ret_count = at;
	*ret_before = before;
	return 0;
}

int runlength_read(const char *text, struct runlength *ret)
{
	unsigned long before;
	unsigned count;

	return runlength_read_at(text, 0, ret, &count, &before);
}

int runlength_at(const char *text, unsigned index, unsigned *ret_count,
		 unsigned long *ret_before)
{
	unsigned long count, repeat, before = 0, left = index;

	while (*text) {
		if (runlength_next(&text, &count, &repeat) < 0)
			return -1;
		if (left < repeat) {
			*ret_count = (unsigned)count;
			*ret_before = before + count * left;
			return 0;
		}
		before += count * repeat;
		left -= repeat;
	}
	return -1;
}

int runlength_expand(const char *text, unsigned n, unsigned *ret)
{
	unsigned long count, repeat;
	unsigned i = 0;

	while (*text) {
		if (runlength_next(&text, &count, &repeat) < 0 ||
		    repeat > n - i)
			return -1;
		while (repeat--)
			ret[i++] = (unsigned)count;
	}
	return i == n ? 0 : -1;
}

char *runlength_text(const unsigned *count, unsigned n)
{
	struct text_stream stream;
	FILE *f;

	if (!n || !(f = text_stream_open(&stream)))
		return NULL;
	for (unsigned i = 0, run; i < n; i += run) {
		for (run = 1; i + run < n && count[i + run] == count[i];)
			run++;
		fprintf(f, "%s%u", i ? "," : "", count[i]);
		if (run > 1)
			fprintf(f, "(x%u)", run);
	}
	return text_stream_take(&stream);
}
