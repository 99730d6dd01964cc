/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The coordinator's address where only rank 0's node can know it
 * (addr=nic:...): its launcher says it with MSG_READY, and MSG_GO brings it to
 * the others.
 */
#ifndef DT_HELPERS_LAUNCH_ADDRESS_H
#define DT_HELPERS_LAUNCH_ADDRESS_H

#include "core/base/err.h"

struct launch;

/* Fails when the address must be sent and the launchers can't be reached. */
int address_check(const struct launch *l, struct err *err);

/* The address that came with MSG_GO; "", or known already: nothing changes.
 * Returns 0, or -1 when there is no plan with it. */
int address_learn(struct launch *l, const char *addr, struct err *err);

#endif
