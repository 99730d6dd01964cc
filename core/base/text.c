/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

int text_add(char *buf, size_t size, const char *separator, const char *fmt,
	     ...)
{
	size_t used = strlen(buf);
	va_list ap;
	int n;

	if (used) {
		n = snprintf(buf + used, size - used, "%s", separator);
		if (n < 0 || (size_t)n >= size - used)
			return -1;
		used += (size_t)n;
	}
	va_start(ap, fmt);
	n = vsnprintf(buf + used, size - used, fmt, ap);
	va_end(ap);
	return n < 0 || (size_t)n >= size - used ? -1 : 0;
}

bool text_ends(const char *text, const char *end)
{
	size_t n = strlen(text), e = strlen(end);

	return n >= e && !strcmp(text + n - e, end);
}

bool text_setting(const char *text, const char *key, char *ret, size_t size)
{
	size_t n = strlen(key);

	for (const char *line = text; line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (strncmp(line, key, n) != 0 || line[n] != ' ')
			continue;
		line += n + strspn(line + n, " =");
		snprintf(ret, size, "%.*s", (int)strcspn(line, " \n"), line);
		return true;
	}
	return false;
}

size_t utf8_char(const char *text, size_t size)
{
	const unsigned char *p = (const unsigned char *)text;
	unsigned char low = 0x80, high = 0xbf;
	size_t n;

	if (!size || *p < 0x80)
		return size && *p;
	if (*p < 0xc2 || *p > 0xf4)
		return 0;
	n = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
	/* No long forms, no surrogates, nothing above U+10FFFF */
	if (*p == 0xe0)
		low = 0xa0;
	if (*p == 0xed)
		high = 0x9f;
	if (*p == 0xf0)
		low = 0x90;
	if (*p == 0xf4)
		high = 0x8f;
	for (size_t i = 1; i < n; i++) {
		if (i >= size || p[i] < low || p[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return n;
}

bool utf8_prints(const char *text, size_t n)
{
	unsigned char c = (unsigned char)*text;

	if (n == 1)
		return c >= ' ' && c != 0x7f;
	return n > 2 || c != 0xc2 || (unsigned char)text[1] >= 0xa0;
}

/* U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F, U+FEFF. */
static bool is_invisible(const char *text)
{
	unsigned char last = (unsigned char)text[2];

	if (!strncmp(text, "\xe2\x80", 2))
		return (last >= 0x8b && last <= 0x8f) ||
		       (last >= 0xa8 && last <= 0xae);
	if (!strncmp(text, "\xe2\x81", 2))
		return last >= 0xa0 && last <= 0xaf;
	return !strncmp(text, "\xef\xbb\xbf", 3);
}

size_t utf8_visible(const char *text)
{
	size_t n = utf8_char(text, SIZE_MAX);

	if (!n || !utf8_prints(text, n) || (n == 3 && is_invisible(text)))
		return 0;
	return n;
}

void plain_text(char *text, const char *kept)
{
	while (*text) {
		size_t n = utf8_char(text, SIZE_MAX);
		size_t bytes = n ? n : 1;

		if ((!n || !utf8_prints(text, n)) && !strchr(kept, *text))
			memset(text, '?', bytes);
		text += bytes;
	}
}

const char *json_quote(const char *text, char *buf, size_t size)
{
	size_t at = 0, n;

	buf[at++] = '"';
	for (; *text; text += n ? n : 1) {
		unsigned char c = (unsigned char)*text;
		char one[8] = "?";

		n = utf8_char(text, SIZE_MAX);
		if (c == '"' || c == '\\' || c < 0x20 || c == 0x7f)
			snprintf(one, sizeof(one), "\\u%04x", c);
		else if (n)
			snprintf(one, sizeof(one), "%.*s", (int)n, text);
		if (at + strlen(one) + 2 > size)
			break;
		memcpy(buf + at, one, strlen(one));
		at += strlen(one);
	}
	memcpy(buf + at, "\"", 2);
	return buf;
}

#define LONGEST_S 1000000000000UL /* longer: from a broken file */

const char *time_text(double ms, char buf[32])
{
	double s = ms / 1000;
	unsigned long n, part;
	bool hours;

	if (s < 59.95) {
		snprintf(buf, 32, s < 9.995 ? "%.2f s" : "%.1f s", s);
		return buf;
	}
	n = s < LONGEST_S ? (unsigned long)(s + 0.5) : LONGEST_S;
	hours = n >= 3600;
	if (hours)
		n = (n + 30) / 60; /* minutes from here on */
	part = n % 60;
	if (part)
		snprintf(buf, 32, hours ? "%lu h %lu min" : "%lu min %lu s",
			 n / 60, part);
	else
		snprintf(buf, 32, hours ? "%lu h" : "%lu min", n / 60);
	return buf;
}

#define CUT ",..."

int ranges_text(char *buf, size_t size, size_t n,
		long (*number)(const void *arg, size_t i), const void *arg)
{
	size_t whole = 0; /* so much of it leaves room for CUT */

	*buf = '\0';
	for (size_t i = 0; i < n;) {
		long from = number(arg, i), to = from;

		while (++i < n && number(arg, i) <= to + 1)
			to = number(arg, i);
		if (text_add(buf, size, ",", to > from ? "%ld-%ld" : "%ld",
			     from, to) < 0) {
			snprintf(buf + whole, size - whole, "%s",
				 &CUT[whole ? 0 : 1]);
			return -1;
		}
		if (strlen(buf) + sizeof(CUT) <= size)
			whole = strlen(buf);
	}
	return 0;
}
