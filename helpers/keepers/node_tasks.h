/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The node's other tasks, where this launcher is that of all of them
 * (core/facts/keeping.h): their programs are among the procs, behind those that
 * the launcher starts itself, and count and end as these do. Elsewhere there is
 * none, and all of this does nothing.
 */
#ifndef DT_HELPERS_KEEPERS_NODE_TASKS_H
#define DT_HELPERS_KEEPERS_NODE_TASKS_H

#include "core/base/err.h"

struct launch;
struct plan;
struct proc;

/* Let them start their programs. Returns 0, or -1 when one of them has no place
 * or device. */
int node_tasks_start(struct launch *l, struct err *err);

/* The plan that a process is of: its task's, or the launcher's own. */
const struct plan *node_tasks_plan(const struct launch *l,
				   const struct proc *proc);

#endif
