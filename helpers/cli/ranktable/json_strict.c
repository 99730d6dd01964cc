/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/ranktable/json_strict.h"

#include "core/base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct scan {
	const unsigned char *start, *p, *end;
	const char *what; /* the fault, at p */
	int depth;
	unsigned n; /* members of the last object or array that was closed */
	struct json_list longest;
};

static int fault(struct scan *s, const char *what)
{
	s->what = what;
	return -1;
}

/* The next byte, or -1 at the end. */
static int peek(const struct scan *s)
{
	return s->p < s->end ? *s->p : -1;
}

static void skip_blanks(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' ||
				 *s->p == '\t' || *s->p == '\r'))
		s->p++;
}

/* What stands where something else was expected. */
static int unexpected(struct scan *s, const char *what)
{
	int c = peek(s);

	if (c == '/' || c == '#')
		return fault(s, "a comment; JSON has none");
	if (c < 0)
		return fault(s, "the text ends here; it isn't complete");
	if (c == 0xe2 || c == 0xef)
		return fault(s, "a quote or sign that isn't ASCII");
	return fault(s, what);
}

static int scan_hex4(struct scan *s, unsigned *ret)
{
	unsigned value = 0;

	for (int i = 0; i < 4; i++) {
		int c = peek(s);

		if (c < 0 || !isxdigit(c))
			return fault(s, "\\u needs four hex digits");
		c = tolower(c);
		value = value << 4 |
			(unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
		s->p++;
	}
	*ret = value;
	return 0;
}

static int scan_unicode(struct scan *s)
{
	unsigned high, low;

	if (scan_hex4(s, &high) < 0)
		return -1;
	if (high == 0)
		return fault(s, "\\u0000; a text of a rank table has no NUL");
	if (high < 0xd800 || high > 0xdfff)
		return 0;
	if (high > 0xdbff || s->end - s->p < 2 || s->p[0] != '\\' ||
	    s->p[1] != 'u')
		return fault(s, "half of a surrogate pair");
	s->p += 2;
	if (scan_hex4(s, &low) < 0)
		return -1;
	if (low < 0xdc00 || low > 0xdfff)
		return fault(s, "half of a surrogate pair");
	return 0;
}

/* The bytes of one character above ASCII */
static int scan_utf8(struct scan *s)
{
	size_t n = utf8_char((const char *)s->p, (size_t)(s->end - s->p));

	if (!n)
		return fault(s, "a byte that isn't UTF-8");
	s->p += n;
	return 0;
}

static int scan_escape(struct scan *s)
{
	int c;

	s->p++;
	c = peek(s);
	if (c < 0 || !strchr("\"\\/bfnrtu", c) || !c)
		return fault(s, "a backslash with nothing that it escapes");
	s->p++;
	return c == 'u' ? scan_unicode(s) : 0;
}

/* Characters that stand for themselves. */
static void skip_plain(struct scan *s)
{
	const unsigned char *p = s->p;

	while (p < s->end && *p >= ' ' && *p < 0x80 && *p != '"' && *p != '\\')
		p++;
	s->p = p;
}

static int scan_string(struct scan *s)
{
	int c;

	s->p++;
	skip_plain(s);
	while ((c = peek(s)) != '"') {
		if (c < 0)
			return fault(s, "a text without closing quote");
		if (c == '\n' || c == '\r')
			return fault(s, "a line break inside of a text; is a "
					"quote missing?");
		if (c < 0x20)
			return fault(s, "a control character inside of a text");
		if (c == '\\') {
			if (scan_escape(s) < 0)
				return -1;
		} else if (c < 0x80) {
			s->p++;
		} else if (scan_utf8(s) < 0) {
			return -1;
		}
	}
	s->p++;
	return 0;
}

static bool scan_digits(struct scan *s)
{
	const unsigned char *start = s->p;

	while (peek(s) >= '0' && peek(s) <= '9')
		s->p++;
	return s->p > start;
}

/* Whether the number [from, s->p) is one that a double can hold. */
static int check_range(struct scan *s, const unsigned char *from)
{
	size_t len = (size_t)(s->p - from);
	char text[400];

	if (len >= sizeof(text))
		return fault(s, "a number of more than 399 characters");
	memcpy(text, from, len);
	text[len] = '\0';
	return isinf(strtod(text, NULL)) ? fault(s, "a number out of range")
					 : 0;
}

static int scan_number(struct scan *s)
{
	const unsigned char *from = s->p;

	if (peek(s) == '-')
		s->p++;
	if (peek(s) == '0') {
		s->p++;
		if (peek(s) >= '0' && peek(s) <= '9')
			return fault(s, "a number with a leading zero");
	} else if (!scan_digits(s)) {
		return unexpected(s, "a sign without a number");
	}
	if (peek(s) == '.') {
		s->p++;
		if (!scan_digits(s))
			return fault(s, "no digit after the point");
	}
	if (peek(s) == 'e' || peek(s) == 'E') {
		s->p++;
		if (peek(s) == '+' || peek(s) == '-')
			s->p++;
		if (!scan_digits(s))
			return fault(s, "no digit in the exponent");
	}
	return check_range(s, from);
}

static int scan_word(struct scan *s)
{
	static const char *const words[] = {"true", "false", "null"};

	for (size_t i = 0; i < 3; i++) {
		size_t len = strlen(words[i]);

		if ((size_t)(s->end - s->p) >= len &&
		    !memcmp(s->p, words[i], len)) {
			s->p += len;
			return 0;
		}
	}
	return unexpected(s, "no value; texts are in double quotes");
}

static int scan_value(struct scan *s);

static int scan_key(struct scan *s)
{
	skip_blanks(s);
	if (peek(s) == '}')
		return fault(s, "a comma before the closing brace");
	if (peek(s) != '"')
		return unexpected(s, "no key in double quotes");
	if (scan_string(s) < 0)
		return -1;
	skip_blanks(s);
	if (peek(s) != ':')
		return unexpected(s, "no colon after the key");
	s->p++;
	return 0;
}

/* Note the root's member that was read from `from` on, if it is the longest
 * array so far. */
static void note_list(struct scan *s, const unsigned char *from,
		      unsigned member)
{
	size_t len = (size_t)(s->p - from);

	if (*from != '[' || !s->n ||
	    len < s->longest.end - s->longest.begin + 2)
		return;
	s->longest.begin = (size_t)(from - s->start) + 1;
	s->longest.end = s->longest.begin + len - 2;
	s->longest.n = s->n;
	s->longest.member = member;
}

/* The members of an object or array whose opening bracket is at p. */
static int scan_members(struct scan *s, int close)
{
	const unsigned char *from;
	unsigned n = 0;

	s->p++;
	s->n = 0;
	skip_blanks(s);
	if (peek(s) == close) {
		s->p++;
		return 0;
	}
	for (;;) {
		if (close == '}' && scan_key(s) < 0)
			return -1;
		skip_blanks(s);
		if (close == ']' && peek(s) == ']')
			return fault(s, "a comma before the closing bracket");
		from = s->p;
		if (scan_value(s) < 0)
			return -1;
		if (s->depth == 1 && close == '}')
			note_list(s, from, n);
		n++;
		skip_blanks(s);
		if (peek(s) == close) {
			s->p++;
			s->n = n;
			return 0;
		}
		if (peek(s) != ',')
			return unexpected(s, "no comma or closing bracket");
		s->p++;
	}
}

static int scan_value(struct scan *s)
{
	int c, ret;

	skip_blanks(s);
	c = peek(s);
	if (c == '"')
		return scan_string(s);
	if (c == '-' || (c >= '0' && c <= '9'))
		return scan_number(s);
	if (c != '{' && c != '[')
		return scan_word(s);
	if (s->depth == JSON_DEPTH_MAX)
		return fault(s, "nested more than 64 deep; no rank table is");
	s->depth++;
	ret = scan_members(s, c == '{' ? '}' : ']');
	s->depth--;
	return ret;
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
	const unsigned char *start = (const unsigned char *)text;
	struct scan s = {.start = start, .p = start, .end = start + len};

	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		s.p += 3;
	skip_blanks(&s);
	if (s.p == s.end)
		fault(&s, "the file is empty");
	if (!s.what && scan_value(&s) == 0) {
		*ret_end = (size_t)(s.p - start);
		*ret_longest = s.longest;
		return 0;
	}
	ret_fault->what = s.what;
	locate(text, (size_t)(s.p - start), ret_fault);
	return -1;
}
