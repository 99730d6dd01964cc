/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"

#include "core/base/err.h"

#include <string.h>

FILE *text_stream_open(struct text_stream *s)
{
	*s = (struct text_stream){0};
	s->f = open_memstream(&s->text, &s->size);
	return s->f;
}

char *text_stream_take(struct text_stream *s)
{
	bool cut = !s->f || ferror(s->f);

	cut |= s->f && fclose(s->f) != 0;
	if (!cut)
		return s->text;
	free(s->text);
	return NULL;
}

void text_lines_put(FILE *f, const char *text, const char *before,
		    const char *after)
{
	while (*text) {
		int len = (int)strcspn(text, "\n");

		fprintf(f, "%s%.*s\n", before, len, text);
		text += len + (text[len] == '\n');
		before = after;
	}
}

char *text_stream_end(struct text_stream *s, int rc, struct err *err)
{
	char *text = text_stream_take(s);

	if (rc == 0 && !text)
		err_memory(err);
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}
