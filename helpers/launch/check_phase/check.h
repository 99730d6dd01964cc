/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phase that looks at this node before its processes start (key check). It
 * is done when all nodes are well, which is decided where the arbiter is
 * (helpers/launch/check_phase/check_step.h). One launcher looks for all of its
 * node.
 */
#ifndef DT_HELPERS_LAUNCH_CHECK_PHASE_CHECK_H
#define DT_HELPERS_LAUNCH_CHECK_PHASE_CHECK_H

#include "helpers/launch/phase.h"

/* Whether this step has it. */
bool check_is_wanted(const struct launch *l);

/* How many GPUs Slurm has given to this task; -1: unknown, or they are NPUs. */
int check_gpus_given(const struct launch *l);

enum phase_state check_begin(struct launch *l, struct err *err);
enum phase_state check_message(struct launch *l, char type, const char *data,
			       size_t n, struct err *err);
void check_leave(struct launch *l);
void check_end(struct launch *l);

#endif
