/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan.h"

#include "core/facts/port.h"

#include <string.h>

const char *plan_nic(const struct plan *plan, const char **ret_source)
{
	const struct request *r = plan->request;
	const char *addr = request_text(r, KEY_ADDR);

	*ret_source = "key nic";
	if (request_word(r, KEY_NIC) != NIC_AUTO)
		return request_text(r, KEY_NIC);
	if (plan->job->nic && addr && !strcmp(plan->job->nic, addr))
		*ret_source = "key addr";
	else if (plan->job->nic)
		*ret_source = "routes to rank 0";
	return plan->job->nic;
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
