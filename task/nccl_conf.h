/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether NCCL's own files choose its interfaces: environment variables, as
 * ours, would be stronger than they are. In the task's process, as the user.
 */
#ifndef DT_TASK_NCCL_CONF_H
#define DT_TASK_NCCL_CONF_H

#include "core/base/err.h"
#include "task/task.h"

/* The first of NCCL_CONF_FILE or ~/.nccl.conf, and /etc/nccl.conf, that sets
 * NCCL_SOCKET_IFNAME; the caller frees it. *ret is NULL when none does or can
 * be read: NCCL passes over such a file, too. Fails only when out of memory. */
int nccl_conf_find(const struct task_env *env, char **ret, struct err *err);

#endif
