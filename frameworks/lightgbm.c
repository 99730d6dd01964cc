/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LightGBM's socket learners: each process gets the list of all processes and
 * the port at which it listens, as parameters (`machines`, `local_listen_port`
 * of docs/Parameters.rst; Booster.set_network() of lightgbm/basic.py). LightGBM
 * reads no variable, so that the neutral names say it: NEEDS_PEERS is all.
 */
#include "core/plan/framework.h"
#include "core/plan/plan.h"

#include <string.h>

/* It finds itself in the list by its node's IPv4 addresses. */
static int lightgbm_check(const struct plan *plan, struct err *err)
{
	if (!plan->coordinator.addr || !strchr(plan->coordinator.addr, ':'))
		return 0;
	return err_printf(err,
			  "lightgbm can't use rank 0's IPv6 address %s; "
			  "addr=nic:IFACE takes the IPv4 address of an "
			  "interface",
			  plan->coordinator.addr);
}

const struct framework framework_lightgbm = {
	.name = "lightgbm",
	.summary = "LightGBM over sockets: DIST_TRAIN_PEERS is its machines",
	.tested = "LightGBM 4.7.0 on CPUs",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC | NEEDS_PEERS |
		 NEEDS_PROCMAP | NEEDS_ADDRESSES,
	.role = ROLE_WORKER,
	.check = lightgbm_check,
};
