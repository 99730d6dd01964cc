/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launcher's part in what the communication libraries record
 * (helpers/recorders/recorders.h): the folder, and what is left in it.
 */
#ifndef DT_HELPERS_LAUNCH_LAUNCH_RECORDERS_H
#define DT_HELPERS_LAUNCH_LAUNCH_RECORDERS_H

#include "core/facts/job.h"
#include "helpers/recorders/collect.h"

struct launch;

/* Put the folder into the plan, if recorders were asked for. */
void recorders_tell(struct launch *l);

/* What to collect on this node, but for its `ms`; `name` is for the step's. */
struct collect_wish recorders_wish(const struct launch *l,
				   char name[JOB_STEP_SIZE]);

/* At the end: keep dumps that processes have written by themselves, on a
 * timeout, before the folder goes. Blocks for two seconds at most, and only
 * where there are some. */
void recorders_keep(struct launch *l);

#endif
