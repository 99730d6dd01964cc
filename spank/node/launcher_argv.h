/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SPANK_NODE_LAUNCHER_ARGV_H
#define DT_SPANK_NODE_LAUNCHER_ARGV_H

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/facts/job.h"
#include "spank/slurm/adapter.h"
#include "task/task.h"

/* Make slurmstepd execute the launcher before the task's program, and hand
 * over what the launcher makes its plan from: the option's text, the
 * arguments, and what this task found out by itself. `set`: the environment of
 * its first process, after container_restore(). `for_node`: it is the launcher
 * of the node's other tasks, too. Fails, with the remedy, where the launcher
 * isn't installed or Slurm can't be made to start it. */
int prepend_launcher(spank_t sp, const struct adapter *adapter,
		     const struct task *task, const struct job *job,
		     bool for_node, const struct envset *set, struct err *err);

#endif
