/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs on a node between Slurm's start of a task and its program.
 *
 * apply.h		the task's environment, or the launcher before it
 * container.h, launcher_argv.h, prepend.h	how the launcher gets there
 * later_plugin.h	the same where another plugin's task_init follows
 * hccn_conf.h	what root alone may read of this node
 * step_devices.h	the devices of the step, kept for its tasks
 * step_route.h	how the node reaches rank 0's
 * node_secret.h	the launchers' secret, opened for all tasks
 * node_memory_fd.h	memory that the launchers of a node share
 * keepers_socket.h	the way to the one launcher of a node's tasks
 * step_cleanup.h	what is removed when a launcher was killed
 *
 * plugin.c calls it: in slurmstepd as root, where files of the node are read
 * before any container is entered, and in the forked task as the user, where
 * the plan is made (by task/, which dist-train exec uses, too). Nothing here
 * waits for another node or opens a connection to it (a name may be looked up):
 * that is the launcher's part.
 */
#ifndef DT_SPANK_NODE_APPLY_H
#define DT_SPANK_NODE_APPLY_H

#include "core/base/err.h"
#include "spank/slurm/adapter.h"

/* In the forked child, first of all. Slurm takes and clears a buffer of 256 KiB
 * for each variable that it sets: from here on it comes from the kernel, which
 * has cleared the pages that are used, and not from the heap. */
void apply_prepare(void);

/* In the forked child, as the user, just before the program is executed: make
 * the task's plan and give it its environment, or put the launcher before its
 * program. Where the node's first task has the launcher for this one, wait for
 * its word, and return in a child of this process. With explain=only the
 * process ends here, with 0. */
int apply_task(spank_t sp, const struct adapter *adapter, struct err *err);

/* Whether this task shows its node's error: the first one of the node. */
bool apply_shows_errors(spank_t sp);

#endif
