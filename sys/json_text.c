/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/json_text.h"

#include "core/base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX  64
#define HEX_DIGITS 4

struct bytes {
	char *buf;
	size_t n, size;
};

static bool fault(struct json_text *t, const char *what)
{
	t->what = what;
	return false;
}

/* What stands where something else was expected. */
static bool unexpected(struct json_text *t, const char *what)
{
	unsigned char c = (unsigned char)*t->at;

	if (c == '/' || c == '#')
		return fault(t, "a comment; JSON has none");
	if (!c)
		return fault(t, "the text ends here; it isn't complete");
	if (c == 0xe2 || c == 0xef)
		return fault(t, "a quote or sign that isn't ASCII");
	return fault(t, what);
}

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

/* --- strings --- */

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
	size_t n = strspn(t->at, "0123456789abcdefABCDEF");

	if (n < HEX_DIGITS) {
		t->at += n;
		return fault(t, "\\u needs four hex digits");
	}
	memcpy(digits, t->at, HEX_DIGITS);
	*ret = (unsigned)strtoul(digits, NULL, 16);
	t->at += HEX_DIGITS;
	return true;
}

/* After \u: one unit of UTF-16, or the first of two. */
static bool take_code(struct json_text *t, struct bytes *b)
{
	static const char half[] = "half of a surrogate pair";
	unsigned code, low;

	if (!take_hex(t, &code))
		return false;
	if (!code)
		return fault(t, "\\u0000; no text here has a NUL");
	if (code >= 0xd800 && code < 0xe000) {
		if (code >= 0xdc00 || strncmp(t->at, "\\u", 2) != 0)
			return fault(t, half);
		t->at += 2;
		if (!take_hex(t, &low))
			return false;
		if (low < 0xdc00 || low >= 0xe000)
			return fault(t, half);
		code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
	}
	put_utf8(b, code);
	return true;
}

static bool take_escape(struct json_text *t, struct bytes *b)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *name = *t->at ? strchr(names, *t->at) : NULL;

	if (*t->at == 'u') {
		t->at++;
		return take_code(t, b);
	}
	if (!name)
		return fault(t, "a backslash with nothing that it escapes");
	put_byte(b, (unsigned char)values[name - names]);
	t->at++;
	return true;
}

static bool take_char(struct json_text *t, struct bytes *b)
{
	size_t n = utf8_char(t->at, SIZE_MAX);

	if (!*t->at)
		return fault(t, "a text without closing quote");
	if (*t->at == '\n' || *t->at == '\r')
		return fault(t, "a line break inside of a text; is a quote "
				"missing?");
	if (n == 1 && *t->at < ' ')
		return fault(t, "a control character inside of a text");
	if (!n)
		return fault(t, "a byte that isn't UTF-8");
	if (*t->at == '\\') {
		t->at++;
		return take_escape(t, b);
	}
	while (n--)
		put_byte(b, (unsigned char)*t->at++);
	return true;
}

bool json_text_string(struct json_text *t, char *buf, size_t size)
{
	struct bytes b = {.buf = buf, .size = size};

	if (!json_text_take(t, '"'))
		return unexpected(t, "no text in double quotes");
	while (*t->at != '"')
		if (!take_char(t, &b))
			return false;
	t->at++;
	if (size)
		buf[b.n] = '\0';
	return true;
}

/* --- values that are skipped --- */

static bool skip_digits(struct json_text *t)
{
	size_t n = strspn(t->at, "0123456789");

	t->at += n;
	return n;
}

static bool skip_number(struct json_text *t)
{
	const char *from = t->at;

	t->at += *t->at == '-';
	if (*t->at == '0' && isdigit((unsigned char)t->at[1])) {
		t->at++;
		return fault(t, "a number with a leading zero");
	}
	if (!skip_digits(t))
		return unexpected(t, "a sign without a number");
	if (*t->at == '.') {
		t->at++;
		if (!skip_digits(t))
			return fault(t, "no digit after the point");
	}
	if (*t->at == 'e' || *t->at == 'E') {
		t->at++;
		t->at += *t->at == '+' || *t->at == '-';
		if (!skip_digits(t))
			return fault(t, "no digit in the exponent");
	}
	if (isinf(strtod(from, NULL)))
		return fault(t, "a number out of range");
	return true;
}

static bool skip_word(struct json_text *t)
{
	static const char *const words[] = {"true", "false", "null"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(t->at, words[i], strlen(words[i]))) {
			t->at += strlen(words[i]);
			return true;
		}
	return unexpected(t, "no value; texts are in double quotes");
}

bool json_text_key(struct json_text *t)
{
	if (json_text_next(t) == '}')
		return fault(t, "a comma before the closing brace");
	if (*t->at != '"')
		return unexpected(t, "no key in double quotes");
	return json_text_string(t, NULL, 0) &&
	       (json_text_take(t, ':') ||
		unexpected(t, "no colon after the key"));
}

bool json_text_close(struct json_text *t, char bracket)
{
	return json_text_take(t, bracket) ||
	       unexpected(t, "no comma or closing bracket");
}

/* From the opening bracket on. */
static bool skip_members(struct json_text *t)
{
	bool object = *t->at++ == '{';
	char close = object ? '}' : ']';
	unsigned n = 0;

	t->n = 0;
	if (json_text_take(t, close))
		return true;
	do {
		if (object && !json_text_key(t))
			return false;
		if (!object && json_text_next(t) == ']')
			return fault(t, "a comma before the closing bracket");
		if (!json_text_skip(t))
			return false;
		n++;
	} while (json_text_take(t, ','));
	t->n = n;
	return json_text_close(t, close);
}

bool json_text_skip(struct json_text *t)
{
	char c = json_text_next(t);
	bool good;

	if (c == '"')
		return json_text_string(t, NULL, 0);
	if (c == '-' || isdigit((unsigned char)c))
		return skip_number(t);
	if (c != '{' && c != '[')
		return skip_word(t);
	if (t->depth == DEPTH_MAX)
		return fault(t, "nested more than 64 deep");
	t->depth++;
	good = skip_members(t);
	t->depth--;
	return good;
}
