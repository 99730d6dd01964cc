/* SPDX-License-Identifier: Apache-2.0 */
/* What a process on an Ascend NPU gets, for other frameworks that run there. */
#ifndef DT_FRAMEWORKS_ASCEND_H
#define DT_FRAMEWORKS_ASCEND_H

#include "core/plan/framework.h"
#include "core/plan/plan.h"

/* The index by which the process opens its device, among those it sees. */
unsigned ascend_device_seen(const struct process *process);

/* The variables of ddp, ASCEND_DEVICE_ID (that index), DEVICE_ID (the number in
 * /dev), JOB_ID and the library's own. Returns 0 or -1. */
int ascend_common_env(const struct plan *plan, const struct process *process,
		      struct envset *set, struct err *err);

/* The rank table and the process's place in it, and nothing of a chief. Returns
 * 0 or -1. */
int ascend_table_env(const struct plan *plan, const struct process *process,
		     struct envset *set, struct err *err);

/* Without a table a process is known by the number of the device that it sees:
 * fails when two of a node may have the same. */
int ascend_check_numbers(const struct plan *plan, struct err *err);

#endif
