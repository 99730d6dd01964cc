/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profiles of a task: those that the user has chosen, or the
 * administrator's defaults of this node. The launcher gets their text.
 *
 * A process of the task's own reads them, with the user's effective id and a
 * limit of time: which defaults apply depends on texts of the user's, and the
 * folder may be on a file system that doesn't answer. slurmstepd itself, which
 * nobody can end, reads nothing.
 */
#ifndef DT_SPANK_NODE_TASK_PROFILE_H
#define DT_SPANK_NODE_TASK_PROFILE_H

#include "core/base/err.h"
#include "spank/slurm/adapter.h"

#include <slurm/spank.h>

/* In task_init_privileged, before a container hides the node's files: set or
 * unset HANDOVER_PROFILE. Fails when a profile can't be read, not in time
 * either, or has a wrong line. */
int task_profile_keep(spank_t sp, const struct adapter *adapter,
		      struct err *err);

#endif
