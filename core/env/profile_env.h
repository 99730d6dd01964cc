/* SPDX-License-Identifier: Apache-2.0 */
/* The administrator's profile in the environment of a process. */
#ifndef DT_CORE_ENV_PROFILE_ENV_H
#define DT_CORE_ENV_PROFILE_ENV_H

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/plan/plan.h"

/* Put the profile of the plan's job over what the framework has chosen, but
 * not over what a key of the user's has. Fails when it sets what is true of the
 * step, such as RANK. */
int profile_add(const struct plan *plan, struct envset *set, struct err *err);

#endif
