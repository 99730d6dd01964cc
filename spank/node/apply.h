/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SPANK_NODE_APPLY_H
#define DT_SPANK_NODE_APPLY_H

#include "core/base/err.h"
#include "spank/slurm/adapter.h"

/* In the forked child, as the user, just before the program is executed: make
 * the task's plan and give it its environment, or put the launcher before its
 * program. With explain=only the process ends here, with 0. */
int apply_task(spank_t sp, const struct adapter *adapter, struct err *err);

/* Whether this task shows its node's error: the first one of the node. */
bool apply_shows_errors(spank_t sp);

#endif
