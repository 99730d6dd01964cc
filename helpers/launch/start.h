/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phase that starts the plan's processes on this node, again in each round.
 * When one can't be started the step is ended; others may run by then.
 */
#ifndef DT_HELPERS_LAUNCH_START_H
#define DT_HELPERS_LAUNCH_START_H

#include "helpers/launch/phase.h"

/* With the key explain, a node without a process says so, once. */
bool start_shows_spare(const struct launch *l);
int start_show_spare(struct launch *l, struct err *err);
enum phase_state start_begin_spare(struct launch *l, struct err *err);

int start_show(struct launch *l, struct err *err);
enum phase_state start_begin(struct launch *l, struct err *err);

#endif
