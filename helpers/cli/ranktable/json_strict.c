/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/ranktable/json_strict.h"

#include "sys/json_text.h"

#include <string.h>

/* Keep the root's member of that number, which was read from `from` on, if it
 * is the longest array so far. */
static void note_list(const struct json_text *t, const char *start,
		      const char *from, unsigned member,
		      struct json_list *longest)
{
	size_t len = (size_t)(t->at - from), begin = (size_t)(from - start) + 1;

	if (*from != '[' || !t->n || len < longest->end - longest->begin + 2)
		return;
	*longest = (struct json_list){
		.begin = begin,
		.end = begin + len - 2,
		.n = t->n,
		.member = member,
	};
}

static bool scan_root(struct json_text *t, const char *start,
		      struct json_list *longest)
{
	const char *from;
	unsigned n = 0;

	if (!json_text_take(t, '{'))
		return json_text_skip(t);
	t->depth = 1;
	if (json_text_take(t, '}'))
		return true;
	do {
		if (!json_text_key(t))
			return false;
		json_text_next(t);
		from = t->at;
		if (!json_text_skip(t))
			return false;
		note_list(t, start, from, n++, longest);
	} while (json_text_take(t, ','));
	return json_text_close(t, '}');
}

static void locate(const char *text, size_t at, struct json_fault *ret)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < at; i++) {
		column = text[i] == '\n' ? 1 : column + 1;
		line += text[i] == '\n';
	}
	ret->line = line;
	ret->column = column;
}

int json_strict(const char *text, size_t len, size_t *ret_end,
		struct json_list *ret_longest, struct json_fault *ret_fault)
{
	bool bom = !strncmp(text, "\xef\xbb\xbf", 3);
	struct json_text t = {.at = bom ? text + 3 : text};
	bool empty = !json_text_next(&t);

	*ret_longest = (struct json_list){0};
	if (!empty && scan_root(&t, text, ret_longest)) {
		*ret_end = (size_t)(t.at - text);
		return 0;
	}
	ret_fault->what = empty ? "the file is empty" : t.what;
	if (!*t.at && t.at < text + len)
		ret_fault->what = "a byte 0; no text has one";
	locate(text, (size_t)(t.at - text), ret_fault);
	return -1;
}
