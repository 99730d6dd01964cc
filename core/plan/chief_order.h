/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranks that Ascend's library gives without a rank table: in the order of
 * the hosts' addresses, byte by byte, then of the devices on a host (HCCL's
 * topology exchange). Nobody can choose them.
 */
#ifndef DT_CORE_PLAN_CHIEF_ORDER_H
#define DT_CORE_PLAN_CHIEF_ORDER_H

#include "core/plan/plan.h"

#include <stdbool.h>

/* Whether Slurm's ranks are others, as far as the addresses and places of all
 * nodes are known here; then the line for the user is in buf. */
bool chief_order_remark(const struct plan *plan, char *buf, unsigned size);

#endif
