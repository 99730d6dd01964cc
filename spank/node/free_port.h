/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SPANK_NODE_FREE_PORT_H
#define DT_SPANK_NODE_FREE_PORT_H

#include "core/base/err.h"
#include "core/plan/plan.h"

/* Whether rank 0 will be able to listen on the coordinator's port of this
 * node, in the way that frameworks do (all addresses, SO_REUSEADDR). Opens and
 * closes a socket; waits for nobody. Fails with `port N on NODE is in use`. */
int free_port_check(const struct coordinator *coordinator, const char *node,
		    struct err *err);

#endif
