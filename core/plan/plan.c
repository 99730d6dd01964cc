/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan.h"

#include "core/facts/port.h"

const char *plan_nic(const struct plan *plan, const char **ret_source)
{
	*ret_source = plan->nic_source;
	return *plan->nic ? plan->nic : NULL;
}

const char *plan_rank_source(const struct plan *plan)
{
	const struct resolved *w = &plan->resolved;

	return w->device_mode || w->recovery || w->ordered || plan->nreplicas
		       ? "computed"
		       : "SLURM_PROCID";
}

unsigned plan_port(const struct plan *plan, unsigned local)
{
	const struct coordinator *c = &plan->coordinator;
	const struct job *job = plan->job;
	unsigned n, port;

	if (c->port_kind != PORT_RESERVED)
		return c->port + local;
	n = port_reserved_count(job->resv_ports);
	local += job->round * plan->nports;
	return port_reserved(job->resv_ports, local % n, &port) == 0 ? port : 0;
}
