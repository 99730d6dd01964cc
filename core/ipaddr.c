/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ipaddr.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define GROUPS 8

static int parse_v4(const char *text, size_t len, unsigned char byte[4])
{
	const char *end = text + len;

	for (int i = 0; i < 4; i++) {
		const char *start = text;
		unsigned n = 0;

		while (text < end && isdigit((unsigned char)*text) &&
		       text - start < 3)
			n = n * 10 + (unsigned)(*text++ - '0');
		if (text == start || n > 255 ||
		    (*start == '0' && text - start > 1))
			return -1;
		byte[i] = (unsigned char)n;
		if (i < 3 && (text == end || *text++ != '.'))
			return -1;
	}
	return text == end ? 0 : -1;
}

/* One group of up to four hexadecimal digits; returns how many, 0 for none. */
static size_t parse_group(const char *text, const char *end, unsigned *ret)
{
	size_t n = 0;

	*ret = 0;
	for (; text + n < end && isxdigit((unsigned char)text[n]); n++) {
		int c = tolower((unsigned char)text[n]);

		if (n == 4)
			return 0;
		*ret = *ret * 16 +
		       (unsigned)(isdigit(c) ? c - '0' : c - 'a' + 10);
	}
	return n;
}

/* Groups from `text` on. The position of "::" among them is in *gap, or -1.
 * Returns how many there are, or -1. */
static int parse_groups(const char *text, const char *end,
			unsigned group[GROUPS], int *gap)
{
	unsigned char v4[4];
	int n = 0;

	*gap = -1;
	if (end - text >= 2 && text[0] == ':' && text[1] == ':') {
		*gap = 0;
		text += 2;
	}
	while (text < end) {
		size_t digits;

		if (n == GROUPS)
			return -1;
		if (n <= GROUPS - 2 &&
		    parse_v4(text, (size_t)(end - text), v4) == 0) {
			group[n++] = (unsigned)(v4[0] << 8 | v4[1]);
			group[n++] = (unsigned)(v4[2] << 8 | v4[3]);
			return n;
		}
		digits = parse_group(text, end, &group[n]);
		if (!digits)
			return -1;
		text += digits;
		n++;
		if (text == end)
			break;
		if (*text++ != ':' || text == end)
			return -1;
		if (*text == ':') {
			if (*gap >= 0)
				return -1;
			*gap = n;
			text++;
		}
	}
	return n;
}

static int parse_v6(const char *text, size_t len, unsigned char byte[16])
{
	unsigned group[GROUPS];
	int gap, n = parse_groups(text, text + len, group, &gap);
	int zeros;

	if (n < 0 || (gap < 0 ? n != GROUPS : n > GROUPS - 1))
		return -1;
	zeros = GROUPS - n;
	for (int i = 0, from = 0; i < GROUPS; i++) {
		bool in_gap = gap >= 0 && i >= gap && i < gap + zeros;
		unsigned g = in_gap ? 0 : group[from++];

		byte[2 * i] = (unsigned char)(g >> 8);
		byte[2 * i + 1] = (unsigned char)g;
	}
	return 0;
}

int ipaddr_parse(const char *text, size_t len, struct ipaddr *ret)
{
	struct ipaddr a = {.version = 4};

	if (parse_v4(text, len, a.byte) < 0) {
		a.version = 6;
		if (parse_v6(text, len, a.byte) < 0)
			return -1;
	}
	*ret = a;
	return 0;
}

static unsigned group_at(const struct ipaddr *a, int i)
{
	return (unsigned)(a->byte[2 * i] << 8 | a->byte[2 * i + 1]);
}

/* The longest run of two or more zero groups, the first of equal ones. */
static int longest_zeros(const struct ipaddr *a, int *ret_len)
{
	int best = -1, best_len = 1, len = 0;

	for (int i = 0; i < GROUPS; i++) {
		len = group_at(a, i) ? 0 : len + 1;
		if (len > best_len) {
			best_len = len;
			best = i - len + 1;
		}
	}
	*ret_len = best_len;
	return best;
}

const char *ipaddr_format(const struct ipaddr *addr, char buf[IPADDR_TEXT])
{
	const unsigned char *b = addr->byte;
	int zeros_len, zeros, used = 0;

	if (addr->version == 4) {
		snprintf(buf, IPADDR_TEXT, "%u.%u.%u.%u", b[0], b[1], b[2],
			 b[3]);
		return buf;
	}
	zeros = longest_zeros(addr, &zeros_len);
	for (int i = 0; i < GROUPS; i++) {
		if (i == zeros) {
			used += sprintf(buf + used, "::");
			i += zeros_len - 1;
			continue;
		}
		used += sprintf(buf + used, "%s%x",
				used && buf[used - 1] != ':' ? ":" : "",
				group_at(addr, i));
	}
	return buf;
}

static const char *fault_v4(const unsigned char *b)
{
	if (b[0] == 0)
		return "not an address of a host";
	if (b[0] == 127)
		return "a loopback address";
	if (b[0] >= 224)
		return b[0] < 240 ? "a multicast address"
				  : "not an address of a host";
	return NULL;
}

const char *ipaddr_fault(const struct ipaddr *addr)
{
	const unsigned char *b = addr->byte;
	unsigned sum = 0;

	if (addr->version == 4)
		return fault_v4(b);
	for (int i = 0; i < 15; i++)
		sum += b[i];
	if (!sum && b[15] < 2)
		return b[15] ? "a loopback address"
			     : "not an address of a host";
	if (b[0] == 0xff)
		return "a multicast address";
	return NULL;
}
