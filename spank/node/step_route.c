/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/node/node.h"

#include "core/facts/handover.h"
#include "spank/slurm/step_job.h"

void step_route_find(spank_t sp, const struct resolved *resolved,
		     struct route *ret)
{
	const char *addr = NULL;

	if (!resolved->find_nic)
		return;
	if (job_has_one_node(sp))
		return route_find(ROUTE_LOOPBACK, ret);
	if (job_was_handed_over(sp))
		addr = job_getenv(sp, HANDOVER_ADDR);
	if (!addr)
		return;
	route_find(addr, ret);
	if (resolved->own_address && *ret->interface)
		route_address_of(ret->interface, ret->own, sizeof(ret->own));
}
