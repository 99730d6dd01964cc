/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/rows.h"

#include "core/base/text.h"

#include <string.h>

static void put(FILE *f, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		size_t n = utf8_char(text, left);

		if (n && utf8_prints(text, n))
			fwrite(text, 1, n, f);
		else
			fputc('?', f);
		n += !n;
		text += n;
		left -= n;
	}
}

void row_begin(FILE *f, const char *name)
{
	put(f, name);
}

void row_text(FILE *f, const char *text)
{
	fputc('\t', f);
	put(f, text);
}

void row_number(FILE *f, long long number)
{
	fprintf(f, "\t%lld", number);
}

void row_end(FILE *f)
{
	fputc('\n', f);
}

void row_note(FILE *f, const char *text)
{
	row_begin(f, "note");
	row_text(f, text);
	row_end(f);
}

unsigned row_next(char **text, char *ret[ROW_FIELDS])
{
	static char none[1];
	char *line = *text, *end = line + strcspn(line, "\n");
	unsigned n = 0;

	if (!*line)
		return 0;
	*text = *end ? end + 1 : end;
	*end = '\0';
	for (char *at = line; at && n < ROW_FIELDS; n++) {
		ret[n] = at;
		at = strchr(at, '\t');
		if (at)
			*at++ = '\0';
	}
	for (unsigned i = n; i < ROW_FIELDS; i++)
		ret[i] = none;
	return n;
}
