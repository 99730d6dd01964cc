/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Role services: processes that the plan adds to a node because the others
 * need them, such as a scheduler. They have no rank; launchers start them
 * first and end them last.
 */
#ifndef DT_CORE_PLAN_SERVICE_H
#define DT_CORE_PLAN_SERVICE_H

#include "core/plan/plan.h"

/* The process of the plan's service, when this task has it. */
int service_process(const struct plan *plan, struct process *ret,
		    struct err *err);

/* What log files and reports call it: "scheduler", or "worker-2" where each
 * node has one. */
#define SERVICE_NAME_SIZE 32
const char *service_name(const struct plan *plan, char buf[SERVICE_NAME_SIZE]);

#endif
