/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader for JSON text that libc alone can carry: find keys and strings
 * without building a tree. For small files of other programs, such as
 * torch's error file, in the static launcher.
 */
#include "sys/json_text.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX  64
#define HEX_DIGITS 4

struct bytes {
	char *buf;
	size_t n, size;
};

char json_text_next(struct json_text *t)
{
	t->at += strspn(t->at, " \t\r\n");
	return *t->at;
}

bool json_text_take(struct json_text *t, char c)
{
	if (!c || json_text_next(t) != c)
		return false;
	t->at++;
	return true;
}

static void put_byte(struct bytes *b, unsigned byte)
{
	if (b->n + 1 < b->size)
		b->buf[b->n++] = (char)byte;
}

static void put_utf8(struct bytes *b, unsigned code)
{
	static const unsigned first[] = {0, 0xc0, 0xe0, 0xf0};
	unsigned more = code < 0x80	 ? 0
			: code < 0x800	 ? 1
			: code < 0x10000 ? 2
					 : 3;

	put_byte(b, first[more] | code >> 6 * more);
	while (more--)
		put_byte(b, 0x80 | (code >> 6 * more & 0x3f));
}

static bool take_hex(struct json_text *t, unsigned *ret)
{
	char digits[HEX_DIGITS + 1] = "";

	if (strspn(t->at, "0123456789abcdefABCDEF") < HEX_DIGITS)
		return false;
	memcpy(digits, t->at, HEX_DIGITS);
	*ret = (unsigned)strtoul(digits, NULL, 16);
	t->at += HEX_DIGITS;
	return true;
}

/* After \u: one unit of UTF-16, or the first of two. */
static bool take_code(struct json_text *t, struct bytes *b)
{
	unsigned code, low;

	if (!take_hex(t, &code))
		return false;
	if (code >= 0xd800 && code < 0xdc00) {
		if (strncmp(t->at, "\\u", 2) != 0)
			return false;
		t->at += 2;
		if (!take_hex(t, &low) || low < 0xdc00 || low >= 0xe000)
			return false;
		code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
	}
	put_utf8(b, code);
	return true;
}

static bool take_escape(struct json_text *t, struct bytes *b)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	char c = *t->at++;
	const char *name;

	if (c == 'u')
		return take_code(t, b);
	name = c ? strchr(names, c) : NULL;
	if (!name)
		return false;
	put_byte(b, (unsigned char)values[name - names]);
	return true;
}

bool json_text_string(struct json_text *t, char *buf, size_t size)
{
	struct bytes b = {.buf = buf, .size = size};

	if (!json_text_take(t, '"'))
		return false;
	while (*t->at != '"') {
		char c = *t->at;

		if (!c)
			return false;
		t->at++;
		if (c != '\\')
			put_byte(&b, (unsigned char)c);
		else if (!take_escape(t, &b))
			return false;
	}
	t->at++;
	if (size)
		buf[b.n] = '\0';
	return true;
}

static bool skip_word(struct json_text *t)
{
	static const char *const words[] = {"true", "false", "null"};
	char *end;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(t->at, words[i], strlen(words[i]))) {
			t->at += strlen(words[i]);
			return true;
		}
	if (!*t->at || !strchr("-0123456789", *t->at))
		return false;
	strtod(t->at, &end);
	if (end == t->at)
		return false;
	t->at = end;
	return true;
}

static bool skip_member(struct json_text *t)
{
	return json_text_string(t, NULL, 0) && json_text_take(t, ':') &&
	       json_text_skip(t);
}

/* Skip what is between the brackets, and the closing bracket. */
static bool skip_items(struct json_text *t, char end,
		       bool (*item)(struct json_text *))
{
	bool good = true;

	if (json_text_take(t, end))
		return true;
	if (++t->depth > DEPTH_MAX)
		return false;
	do
		good = item(t);
	while (good && json_text_take(t, ','));
	t->depth--;
	return good && json_text_take(t, end);
}

bool json_text_skip(struct json_text *t)
{
	switch (json_text_next(t)) {
	case '{':
		t->at++;
		return skip_items(t, '}', skip_member);
	case '[':
		t->at++;
		return skip_items(t, ']', json_text_skip);
	case '"':
		return json_text_string(t, NULL, 0);
	default:
		return skip_word(t);
	}
}
