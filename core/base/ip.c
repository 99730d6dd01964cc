/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/ip.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define GROUPS 8

static int parse_v4(const char *text, size_t len, unsigned char *ret)
{
	unsigned char byte[4];
	size_t i = 0;

	for (int n = 0; n < 4; n++) {
		size_t start = i;
		unsigned value = 0;

		if (n && (i == len || text[i++] != '.'))
			return -1;
		start = i;
		while (i < len && i < start + 3 && text[i] >= '0' &&
		       text[i] <= '9')
			value = value * 10 + (unsigned)(text[i++] - '0');
		if (i == start || value > 255 ||
		    (text[start] == '0' && i > start + 1))
			return -1;
		byte[n] = (unsigned char)value;
	}
	if (i != len)
		return -1;
	memcpy(ret, byte, sizeof(byte));
	return 0;
}

static int hex_value(char c)
{
	const char *digits = "0123456789abcdef", *p;

	p = c ? strchr(digits, tolower((unsigned char)c)) : NULL;
	return p ? (int)(p - digits) : -1;
}

/* One group of up to four hex digits; how many bytes of text, 0 for none. */
static size_t parse_group(const char *text, size_t len, unsigned char *ret)
{
	unsigned value = 0;
	size_t i = 0;

	for (; i < len && hex_value(text[i]) >= 0; i++) {
		if (i == 4)
			return 0;
		value = value << 4 | (unsigned)hex_value(text[i]);
	}
	ret[0] = (unsigned char)(value >> 8);
	ret[1] = (unsigned char)value;
	return i;
}

/* Move what stands behind "::" to the end. */
static int spread(unsigned char *byte, int n, int gap)
{
	if (gap < 0)
		return n == 16 ? 0 : -1;
	if (n > 14)
		return -1;
	memmove(byte + 16 - (n - gap), byte + gap, (size_t)(n - gap));
	memset(byte + gap, 0, (size_t)(16 - n));
	return 0;
}

static int parse_v6(const char *text, size_t len, unsigned char *ret)
{
	unsigned char byte[16] = {0};
	int n = 0, gap = -1;
	size_t i = 0;

	if (len >= 2 && text[0] == ':' && text[1] == ':') {
		gap = 0;
		i = 2;
	}
	while (i < len) {
		size_t used;

		if (n <= 12 && memchr(text + i, '.', len - i) &&
		    parse_v4(text + i, len - i, byte + n) == 0) {
			n += 4;
			break;
		}
		used = n < 16 ? parse_group(text + i, len - i, byte + n) : 0;
		if (!used)
			return -1;
		n += 2;
		i += used;
		if (i == len)
			break;
		if (text[i++] != ':' || i == len)
			return -1;
		if (text[i] != ':')
			continue;
		if (gap >= 0)
			return -1;
		gap = n;
		i++;
	}
	if (spread(byte, n, gap) < 0)
		return -1;
	memcpy(ret, byte, sizeof(byte));
	return 0;
}

int ip_parse(const char *text, size_t len, struct ip *ret)
{
	struct ip ip = {.family = 4};

	if (len > IP_TEXT_MAX)
		return -1;
	if (memchr(text, ':', len)) {
		ip.family = 6;
		if (parse_v6(text, len, ip.byte) < 0)
			return -1;
	} else if (parse_v4(text, len, ip.byte) < 0) {
		return -1;
	}
	*ret = ip;
	return 0;
}

static unsigned group_at(const struct ip *ip, int i)
{
	return (unsigned)(ip->byte[2 * i] << 8 | ip->byte[2 * i + 1]);
}

/* The longest run of two or more zero groups, the first of equal ones. */
static int longest_zeros(const struct ip *ip, int *ret_len)
{
	int best = -1, best_len = 1, len = 0;

	for (int i = 0; i < GROUPS; i++) {
		len = group_at(ip, i) ? 0 : len + 1;
		if (len > best_len) {
			best_len = len;
			best = i - len + 1;
		}
	}
	*ret_len = best_len;
	return best;
}

const char *ip_format(const struct ip *ip, char buf[IP_TEXT_SIZE])
{
	const unsigned char *b = ip->byte;
	int zeros_len, zeros, used = 0;

	if (ip->family == 4) {
		snprintf(buf, IP_TEXT_SIZE, "%u.%u.%u.%u", b[0], b[1], b[2],
			 b[3]);
		return buf;
	}
	zeros = longest_zeros(ip, &zeros_len);
	for (int i = 0; i < GROUPS; i++) {
		if (i == zeros) {
			used += sprintf(buf + used, "::");
			i += zeros_len - 1;
			continue;
		}
		used += sprintf(buf + used, "%s%x",
				used && buf[used - 1] != ':' ? ":" : "",
				group_at(ip, i));
	}
	return buf;
}

static const char *unusable_v4(const unsigned char *byte)
{
	static const unsigned char all[4] = {255, 255, 255, 255};

	if (byte[0] == 0)
		return "an unspecified address";
	if (byte[0] == 127)
		return "a loopback address";
	if (byte[0] >= 224 && byte[0] < 240)
		return "a multicast address";
	return memcmp(byte, all, sizeof(all)) ? NULL : "the broadcast address";
}

const char *ip_unusable(const struct ip *ip)
{
	static const unsigned char zero[15], mapped[12] = {[10] = 0xff, 0xff};

	if (ip->family == 4)
		return unusable_v4(ip->byte);
	if (!memcmp(ip->byte, mapped, sizeof(mapped)))
		return unusable_v4(ip->byte + 12);
	if (!memcmp(ip->byte, zero, sizeof(zero)) && ip->byte[15] <= 1)
		return ip->byte[15] ? "a loopback address"
				    : "an unspecified address";
	return ip->byte[0] == 0xff ? "a multicast address" : NULL;
}

int ip_compare(const struct ip *a, const struct ip *b)
{
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	return memcmp(a->byte, b->byte, sizeof(a->byte));
}
