/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phase that lets this node's processes report how far they are (key
 * metrics, helpers/metrics/metrics.h), and what the launcher does with it.
 */
#ifndef DT_HELPERS_LAUNCH_METRICS_PHASE_H
#define DT_HELPERS_LAUNCH_METRICS_PHASE_H

#include "helpers/launch/phase.h"

bool metrics_phase_is_wanted(const struct launch *l);
enum phase_state metrics_phase_begin(struct launch *l, struct err *err);
void metrics_phase_end(struct launch *l);

/* A process has ended. When none is left that could report, what takes reports
 * ends, too: it is a child of the launcher, which waits for all of them. */
void metrics_phase_proc_ended(struct launch *l);

#endif
