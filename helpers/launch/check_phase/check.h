/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: the phase that looks at this node before its processes start (key
 * check; check.c). It is done when all nodes are well, which is decided where
 * the arbiter is (helpers/step/node_check.h). One launcher looks for all of
 * its node.
 */
#pragma once

#include <stdbool.h>

struct launch_view;
struct plan;

/* Whether this step has it. */
bool check_is_wanted(const struct plan *plan);

/* How many GPUs Slurm has given to this task; -1: unknown, or they are NPUs. */
int check_gpus_given(const struct launch_view *v);
