/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-on=first: the program runs once, on the first node, as a launcher that
 * starts workers on all nodes itself. The other tasks wait.
 */
#ifndef DT_CORE_PLAN_PLAN_FIRST_H
#define DT_CORE_PLAN_PLAN_FIRST_H

#include "core/base/envset.h"
#include "core/plan/plan.h"

/* Fails when the framework's processes can't be made by one program. */
int plan_first(struct plan *plan, struct err *err);

/* What lets launchers such as mpirun, horovodrun and pdsh reach the step's
 * nodes without ssh, and tells them which nodes those are. */
int plan_launcher_env(const struct plan *plan, struct envset *set,
		      struct err *err);

#endif
