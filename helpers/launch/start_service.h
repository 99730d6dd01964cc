/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phases that start what the plan adds to this node's processes, such as a
 * scheduler (core/plan/service.h), and wait until it answers. When that takes
 * too long the step is ended. Where each node has a service, that of the first
 * node is there before the others begin.
 */
#ifndef DT_HELPERS_LAUNCH_START_SERVICE_H
#define DT_HELPERS_LAUNCH_START_SERVICE_H

#include "helpers/launch/phase.h"
#include "helpers/procs/procs.h"

int service_show(struct launch *l, struct err *err);

/* This node's service, unless it is for the second of these phases. Makes the
 * secret of the step's services (l->made.secret), too; fails where the step
 * can't have one. */
enum phase_state service_begin(struct launch *l, struct err *err);
enum phase_state service_begin_other_nodes(struct launch *l, struct err *err);

/* A process that the plan adds has ended: a service that isn't waited for any
 * more is none of ours. One that hasn't answered yet ends the step, with the
 * reason that it gave itself or with a line. */
void service_ended(struct launch *l, const struct proc *proc);

void service_end(struct launch *l);

#endif
