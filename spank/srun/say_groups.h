/* SPDX-License-Identifier: Apache-2.0 */
/* In srun, with the key groups: say which groups of ranks cross a block or a
 * switch. */
#ifndef DT_SPANK_SRUN_SAY_GROUPS_H
#define DT_SPANK_SRUN_SAY_GROUPS_H

#include "core/base/err.h"
#include "core/plan/plan.h"
#include "core/topology/topology.h"

/* `plan` is task 0's, `step` what its world was made of. At most one line. Does
 * nothing without the key. Returns 0, or -1: groups-strict refuses the step, or
 * groups_report_make() has failed. */
int say_groups(const struct plan *plan, const struct job *step,
	       const struct topology *topology, struct err *err);

#endif
