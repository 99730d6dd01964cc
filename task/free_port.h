/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_TASK_FREE_PORT_H
#define DT_TASK_FREE_PORT_H

#include "core/base/err.h"
#include "core/plan/plan.h"

/* Check that rank 0 can listen on the coordinator's port of this node, as
 * frameworks do (all addresses, SO_REUSEADDR). Opens and closes a socket; never
 * waits. Fails with `port N on NODE is in use`. */
int free_port_check(const struct coordinator *coordinator, const char *node,
		    struct err *err);

#endif
