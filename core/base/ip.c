/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/ip.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static int libc_family(const struct ip *ip)
{
	return ip->family == 4 ? AF_INET : AF_INET6;
}

int ip_parse(const char *text, size_t len, struct ip *ret)
{
	char copy[IP_TEXT_SIZE] = "";
	struct ip ip = {.family = 4};

	if (len > IP_TEXT_MAX || memchr(text, '\0', len))
		return -1;
	memcpy(copy, text, len);
	if (strchr(copy, ':'))
		ip.family = 6;
	if (inet_pton(libc_family(&ip), copy, ip.byte) != 1)
		return -1;
	*ret = ip;
	return 0;
}

const char *ip_format(const struct ip *ip, char buf[IP_TEXT_SIZE])
{
	return inet_ntop(libc_family(ip), ip->byte, buf, IP_TEXT_SIZE);
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

const char *endpoint_format(const char *addr, unsigned port,
			    char buf[ENDPOINT_SIZE])
{
	/* Only an IPv6 address has a colon of its own. */
	if (strchr(addr, ':'))
		snprintf(buf, ENDPOINT_SIZE, "[%.255s]:%u", addr, port);
	else
		snprintf(buf, ENDPOINT_SIZE, "%.255s:%u", addr, port);
	return buf;
}
