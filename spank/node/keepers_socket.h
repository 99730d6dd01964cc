/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pair of sockets by which the keepers of a node's tasks reach the launcher
 * in its first task (core/facts/keeping.h): made in slurmstepd, as root, before
 * the tasks are, and without a name, so that nobody else reaches it. slurmstepd
 * itself never reads or writes there.
 */
#ifndef DT_SPANK_NODE_KEEPERS_SOCKET_H
#define DT_SPANK_NODE_KEEPERS_SOCKET_H

#include "core/base/err.h"
#include "spank/slurm/adapter.h"

#include <slurm/spank.h>
#include <stdbool.h>

/* Once for all tasks of the node, where the step may have a launcher for each
 * node; and tell the tasks, by the variable HANDOVER_KEEPERS, whether there is
 * one. Fails when the kernel has no socket or Slurm refuses the variable. */
int keepers_socket_make(spank_t sp, bool wanted, struct keepers_socket *ret,
			struct err *err);

/* In the first task: let the launcher inherit its end. `wanted` false: it has
 * none. */
int keepers_socket_hand_over(spank_t sp, const struct keepers_socket *sockets,
			     bool wanted, struct err *err);

/* All tasks have been started. A launcher or keeper that ends is noticed by the
 * others only when nobody else has its end. */
void keepers_socket_close(struct keepers_socket *sockets);

#endif
