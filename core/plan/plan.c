/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan.h"

#include "core/facts/step_command.h"
#include "core/plan/framework.h"

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

struct port_range plan_other_ports(const struct plan *plan,
				   const struct config *config)
{
	const char *reserved = plan->job->resv_ports;
	unsigned last = reserved ? port_reserved_count(reserved) - 1 : 0;
	struct port_range range = {config->port_min, config->port_max,
				   plan->coordinator.port, plan->nports};

	if (plan->coordinator.port_kind == PORT_RESERVED &&
	    port_reserved(reserved, 0, &range.taken) == 0 &&
	    port_reserved(reserved, last, &last) == 0)
		range.ntaken = last - range.taken + 1;
	return range;
}

bool plan_listens_early(const struct plan *plan, const struct process *process,
			const struct envset *set, const char *program)
{
	const char *address = plan->request->framework->grpc_address;
	const struct env_entry *e = address ? envset_find(set, address) : NULL;

	return e && e->state != ENV_KEPT && process->rank == 0 &&
	       !process->added && plan->world_size > 1 &&
	       plan->coordinator.port_kind != PORT_ASKED &&
	       !plan->resolved.run_first && step_command_is_python(program);
}
