/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What shows that a node doesn't have the plugin. Called by hand_over.c, in
 * srun.
 */
#ifndef DT_SPANK_SRUN_MARKERS_H
#define DT_SPANK_SRUN_MARKERS_H

#include "core/base/err.h"
#include "core/plan/plan.h"

/* Give each variable that the nodes will set a marker as its value, which
 * remains, and says what is wrong, on a node without the plugin. A value that
 * the user has set is kept, unless an outer step of ours has left it. */
int markers_put(const struct plan *plan, struct err *err);

#endif
