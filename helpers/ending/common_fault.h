/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fault that all launchers of a step see. Where launchers can't meet, each
 * decides for itself and all would say the same line. So task 0 says it
 * and ends the step; another one says it only when the step hasn't ended 3 s
 * later.
 */
#ifndef DT_HELPERS_ENDING_COMMON_FAULT_H
#define DT_HELPERS_ENDING_COMMON_FAULT_H

#include "core/base/err.h"

struct launch;

/* End the step with that line. */
void common_fault_say(struct launch *l, const struct err *err);

#endif
