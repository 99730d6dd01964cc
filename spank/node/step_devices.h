/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SPANK_NODE_STEP_DEVICES_H
#define DT_SPANK_NODE_STEP_DEVICES_H

#include "core/base/err.h"

#include <slurm/spank.h>

/* In slurmstepd, before Slurm rewrites SLURM_STEP_GPUS and the visible-devices
 * variable for each task (wrongly, under device cgroups): keep the step's own
 * values under hand-over names, for all tasks, in the place of those that an
 * outer step may have left. */
int step_devices_keep(spank_t sp, struct err *err);

#endif
