/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses of a connection, without its ports. */
#ifndef DT_HELPERS_CONN_CONN_ADDRESS_H
#define DT_HELPERS_CONN_CONN_ADDRESS_H

#include "core/base/ip.h"

#include <stdbool.h>

/* Of this end or the other one; IPv4 as such, also over an IPv6 socket. Returns
 * 0, or -1 when it has none. */
int conn_address(int fd, bool ours, char ret[IP_TEXT_SIZE]);

#endif
