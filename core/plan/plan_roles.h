/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a plan that is about roles: for frameworks that say which
 * processes there are (`roles`).
 */
#ifndef DT_CORE_PLAN_PLAN_ROLES_H
#define DT_CORE_PLAN_PLAN_ROLES_H

#include "core/plan/plan.h"

/* How many processes of each role there are where each task is one. */
int plan_roles_of_tasks(struct plan *plan, struct err *err);

/* The same in device mode, with the processes of this node. */
int plan_roles_of_nodes(struct plan *plan, struct err *err);

/* The processes by node of such a plan, as Slurm writes it. */
const char *plan_roles_by_task(const struct plan *plan, char *buf,
			       unsigned size);

/* The role of a process whose rank is known, and its part in the node's
 * devices: none when *ret_owners is 0. */
int plan_role_of(const struct plan *plan, struct process *process,
		 unsigned *ret_owner, unsigned *ret_owners, struct err *err);

#endif
