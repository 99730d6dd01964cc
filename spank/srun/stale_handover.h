/* SPDX-License-Identifier: Apache-2.0 */
/* In srun: variables of the hand-over that it has found in its environment. */
#ifndef DT_SPANK_SRUN_STALE_HANDOVER_H
#define DT_SPANK_SRUN_STALE_HANDOVER_H

#include "core/base/err.h"

/* Unset all. Whatever has these names was left by another step, or set by hand:
 * the nodes must not get it, wherever srun fails afterwards. Returns 0, or -1
 * when out of memory. */
int stale_handover_unset(struct err *err);

#endif
