/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/parse.h"

#include "core/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SHOW_CHARS 60

const char *show(char buf[SHOW_SIZE], const char *text)
{
	char *p = buf;

	*p++ = '\'';
	for (int i = 0; *text && i < SHOW_CHARS; i++) {
		size_t n = utf8_visible(text);

		if (n)
			p = mempcpy(p, text, n);
		else
			p += sprintf(p, "\\x%02x", (unsigned char)*text);
		text += n ? n : 1;
	}
	strcpy(p, *text ? "...'" : "'");
	return buf;
}

int parse_number(const char *text, long min, long max, long *ret)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || *end || n < min || n > max)
		return -1;
	*ret = n;
	return 0;
}

int parse_seconds(const char *text, long min, long max, long *ret)
{
	size_t len = strlen(text);
	char digits[16];
	long unit = 1, n;

	if (!len || len >= sizeof(digits))
		return -1;
	memcpy(digits, text, len + 1);
	switch (digits[len - 1]) {
	case 'h':
		unit = 3600;
		break;
	case 'm':
		unit = 60;
		break;
	case 's':
		break;
	default:
		return parse_number(text, min, max, ret);
	}
	digits[len - 1] = '\0';
	if (parse_number(digits, 0, max / unit, &n) < 0 || n * unit < min)
		return -1;
	*ret = n * unit;
	return 0;
}

int parse_size(const char *text, long min, long max, long *ret)
{
	static const char units[] = "KMGT";
	size_t len = strlen(text);
	char digits[16];
	const char *unit;
	long n, bytes;

	if (!strcmp(text, "0"))
		return parse_number(text, min, max, ret);
	if (!len || len >= sizeof(digits) ||
	    !(unit = strchr(units, text[len - 1] & ~0x20)))
		return -1;
	memcpy(digits, text, len - 1);
	digits[len - 1] = '\0';
	bytes = 1024L << 10 * (unit - units);
	if (parse_number(digits, 0, max / bytes, &n) < 0 || n * bytes < min)
		return -1;
	*ret = n * bytes;
	return 0;
}

int parse_range(const char **text, unsigned max, unsigned *ret_first,
		unsigned *ret_last)
{
	unsigned long first, last;
	const char *at = *text;

	if (digits_read(&at, max, &first) < 0)
		return -1;
	last = first;
	if (*at == '-') {
		at++;
		if (digits_read(&at, max, &last) < 0 || last < first)
			return -1;
	}
	if (*at == ',' && is_digit(at[1]))
		at++;
	*text = at;
	*ret_first = (unsigned)first;
	*ret_last = (unsigned)last;
	return 0;
}

bool is_word(const char *text, const char *more, size_t max_len)
{
	size_t n = 0;

	for (; text[n]; n++)
		if (n >= max_len || (!isalnum((unsigned char)text[n]) &&
				     !strchr(more, text[n])))
			return false;
	return n > 0;
}

static bool find_by(int (*differ)(const char *, const char *, size_t),
		    const char *words, const char *word, size_t len,
		    int *ret_index)
{
	for (int i = 0; *words; i++) {
		size_t n = strcspn(words, " ,");

		if (n == len && !differ(words, word, n)) {
			if (ret_index)
				*ret_index = i;
			return true;
		}
		words += n + (words[n] != '\0');
	}
	return false;
}

bool word_find(const char *words, const char *word, size_t len, int *ret_index)
{
	return find_by(strncmp, words, word, len, ret_index);
}

bool word_find_any_case(const char *words, const char *word, size_t len,
			int *ret_index)
{
	return find_by(strncasecmp, words, word, len, ret_index);
}

bool is_listed(const char *words, const char *word)
{
	return *word && word_find(words, word, strlen(word), NULL);
}

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
