/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the phases and parts of this room share: the plan, made again, and what
 * follows from it.
 */
#ifndef DT_HELPERS_LAUNCH_STEP_H
#define DT_HELPERS_LAUNCH_STEP_H

#include "core/base/err.h"

#include <stddef.h>

struct launch;

/* Fill the view with what is there from the begin. */
void launch_show(struct launch *l);

/* The session has got the step's secret (await_secret.c). */
void launch_knows_secret(struct launch *l);

/* Standard input for the processes of the plan: each gets all of it from the
 * beginning, as far as that is possible. Returns 0 or -1. */
int launch_input(struct launch *l, struct err *err);

/* How many processes there may be: those of the plan, the service and the
 * script; and those of the node's other tasks, which come last. */
unsigned launch_count_procs(const struct launch *l);

/* Let the plan know the files in the launcher's folder, if they are there. */
void launch_tell_files(struct launch *l);

/* Make the plan with what has become known since. Returns 0 or -1. */
int launch_plan_again(struct launch *l, struct err *err);

#endif
