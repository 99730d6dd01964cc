/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_VISIT_NODE_IPS_H
#define DT_HELPERS_VISIT_NODE_IPS_H

#include "core/base/ip.h"

#define NODE_IPS_MAX 6

/* The addresses at which a node may be reached from here: all that NodeAddr, an
 * address or a name, stands for. A loopback address says that the node is this
 * host, whose other addresses follow then: a launcher that others must find
 * isn't at that one. Waits for the resolver. Returns how many. */
unsigned node_ips(const char *node_addr, char ret[NODE_IPS_MAX][IP_TEXT_SIZE]);

#endif
