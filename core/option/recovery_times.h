/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits how long in a step that outlives a lost node, from the key `lease`
 * (doc/design/helpers-server.md), for launchers and srun: who may be given up
 * fences himself first. */
#ifndef DT_CORE_OPTION_RECOVERY_TIMES_H
#define DT_CORE_OPTION_RECOVERY_TIMES_H

#include <stdint.h>

/* Between two beats: lease/8, at least half a second. */
uint64_t recovery_interval_ms(long lease_s);

/* Who has heard nothing for so long ends what it does: three quarters of the
 * lease, or less, so that one interval and a second more is still less than
 * the lease. Above two intervals for each `lease` that the key takes. */
uint64_t recovery_fence_ms(long lease_s);

/* Who has been silent for so long counts as lost. */
uint64_t recovery_lease_ms(long lease_s);

#endif
