/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/ip.h"

#include <stdio.h>
#include <string.h>

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
