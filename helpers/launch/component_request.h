/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In the launchers of a heterogeneous step, when they have told each other what
 * they have (helpers/meet): how many processes each task of the step is, and
 * which option this one's component has. Called before each plan by
 * dist-train-launch.c.
 */
#ifndef DT_HELPERS_LAUNCH_COMPONENT_REQUEST_H
#define DT_HELPERS_LAUNCH_COMPONENT_REQUEST_H

#include "core/base/err.h"

struct launch;

/* Once, where the job has learned of components. Fails where one of them can't
 * have what it asks for. */
int components_take(struct launch *launch, struct err *err);

#endif
