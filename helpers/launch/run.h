/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_LAUNCH_RUN_H
#define DT_HELPERS_LAUNCH_RUN_H

#include "core/base/err.h"

struct launch;
struct part;
struct phase;

/* Start all, together with the step's other launchers, and wait for the end;
 * with explain=only show what would be started. The plan is made, and
 * `argv`, `program` and the handed-over descriptors are set. Returns the exit
 * code, or -1. Call launch_end() in both cases. */
int launch_run(struct launch *l, const struct phase *const *phases,
	       const struct part *const *parts, struct err *err);

/* Let go of what launch_run() has opened. */
void launch_end(struct launch *l);

#endif
