/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IP addresses: libc's inet_pton() and inet_ntop() for both families in one
 * struct. A file that includes this needs no header of the network.
 */
#pragma once

#include <stddef.h>

#define IP_TEXT_MAX  45		       /* characters of the longest spelling */
#define IP_TEXT_SIZE (IP_TEXT_MAX + 1) /* any address with its NUL */

struct ip {
	unsigned char family;	/* 4 or 6 */
	unsigned char byte[16]; /* network order; IPv4 in the first four */
};

/* Read one address from `len` bytes, all of them, as inet_pton() does (no zone,
 * no leading zeros in IPv4). Returns 0, or -1 with *ret untouched. */
int ip_parse(const char *text, size_t len, struct ip *ret);

/* Write the address as inet_ntop() does: lower case, the longest run of zeros
 * as "::". Returns buf. */
const char *ip_format(const struct ip *ip, char buf[IP_TEXT_SIZE]);

/* Why no device or host can have this address ("a loopback address"); NULL
 * when it can. An IPv4 address inside IPv6 is judged as itself. */
const char *ip_unusable(const struct ip *ip);

/* By family, then bytes; for qsort(). */
int ip_compare(const struct ip *a, const struct ip *b);

/* ADDRESS:PORT as one word, the way gRPC and most others read it. */

#define ENDPOINT_SIZE 272 /* a host name, a port and brackets */

/* "node1:21000", "10.0.0.1:21000", "[fd00::1]:21000". Returns buf. */
const char *endpoint_format(const char *addr, unsigned port,
			    char buf[ENDPOINT_SIZE]);
