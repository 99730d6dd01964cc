/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IPv4 and IPv6 addresses as text, without the C library's network functions:
 * the plugin and the pure rooms read them too.
 */
#ifndef DT_CORE_IPADDR_H
#define DT_CORE_IPADDR_H

#include <stddef.h>

#define IPADDR_TEXT 46 /* any address with its NUL */

struct ipaddr {
	int version; /* 4 or 6 */
	unsigned char byte[16];
};

/* Read `len` bytes of text as inet_pton() does: no blanks, no leading zeros in
 * IPv4, no scope behind IPv6. Returns 0, or -1 with *ret untouched. */
int ipaddr_parse(const char *text, size_t len, struct ipaddr *ret);

/* The one spelling of an address (RFC 5952). Returns buf. */
const char *ipaddr_format(const struct ipaddr *addr, char buf[IPADDR_TEXT]);

/* Why no device can have this address ("a loopback address"), or NULL. */
const char *ipaddr_fault(const struct ipaddr *addr);

#endif
