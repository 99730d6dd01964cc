/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SPANK_SRUN_HAND_OVER_H
#define DT_SPANK_SRUN_HAND_OVER_H

#include "core/base/err.h"
#include "spank/slurm/adapter.h"

/* In srun, when the step exists and its tasks don't yet: find out what no
 * node can know and hand it over through srun's environment. What fails here
 * makes every task end at once; the caller shows the error. */
int srun_hand_over(spank_t sp, const struct adapter *adapter, struct err *err);

#endif
