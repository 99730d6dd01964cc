/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens to this node's processes, told to the arbiter and the timeline;
 * and the report of the step's first failure.
 */
#ifndef DT_HELPERS_LAUNCH_PROC_EVENTS_H
#define DT_HELPERS_LAUNCH_PROC_EVENTS_H

#include "core/base/err.h"

struct launch;

/* Make room for the plan's processes, the service and the script. Returns 0 or
 * -1. */
int proc_events_open(struct launch *l, struct err *err);

/* MSG_REPORT: our first failure was the first one of the step, as far as anyone
 * knows. */
void proc_events_report(struct launch *l);

#endif
