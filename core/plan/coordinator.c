/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/coordinator.h"

#include "core/facts/port.h"
#include "core/plan/framework.h"

#include <stdint.h>

#define LOOPBACK "127.0.0.1"

const char *coordinator_port_source(const struct coordinator *c)
{
	static const char *const sources[] = {
		[PORT_ASKED] = "key port",
		[PORT_RESERVED] = "reserved by Slurm for the step",
		[PORT_DERIVED] = "derived from job, step and requeues",
	};

	return sources[c->port_kind];
}

static int choose_nic(const struct request *r, const struct resolved *w,
		      const struct job *job, struct coordinator *c,
		      struct err *err)
{
	const char *nic = request_text(r, KEY_ADDR);

	if (w->address_is_told && w->needs & NEEDS_PROCMAP)
		return err_printf(
			err,
			"addr=nic:%s in a step of several nodes: %s "
			"needs the addresses of all processes, not of rank 0 "
			"alone; addr=ip uses those of NodeAddr",
			nic, r->framework->name);
	if (!job->nic_addr && !w->address_is_told)
		return err_printf(
			err, "addr=nic:%s: its address isn't known here", nic);
	c->addr = job->nic_addr ? job->nic_addr : nic;
	c->addr_source = job->nic_addr ? "key addr"
				       : "the interface of rank 0's node; its "
					 "address is sent when the step starts";
	return 0;
}

static int choose_addr(const struct request *r, const struct resolved *w,
		       const struct job *job, struct coordinator *c,
		       struct err *err)
{
	int word = request_word(r, KEY_ADDR);

	if (word == ADDR_NIC)
		return choose_nic(r, w, job, c, err);
	if (w->loopback) {
		c->addr = LOOPBACK;
		c->addr_source = "a step on one node";
	} else if (word != ADDR_NAME && job->rank0_addr) {
		c->addr = job->rank0_addr;
		c->addr_source = "address of rank 0's node";
	} else if ((word == ADDR_NAME || word == ADDR_AUTO) &&
		   job->rank0_node) {
		c->addr = job->rank0_node;
		c->addr_source = "name of rank 0's node";
	} else {
		return err_printf(err, "the address of rank 0's node isn't "
				       "known here; addr=name uses its name");
	}
	return 0;
}

/* The coordinator's port; where each process has one, the first of as many as
 * a node's processes need, the same on all nodes. */
static int choose_port(const struct request *r, const struct config *config,
		       const struct job *job, unsigned n, struct coordinator *c,
		       struct err *err)
{
	long asked = request_number(r, KEY_PORT);
	unsigned total =
		job->resv_ports ? port_reserved_count(job->resv_ports) : 0;

	if (request_word(r, KEY_PORT) == PORT_N) {
		if ((unsigned)asked + n - 1 > UINT16_MAX)
			return err_printf(
				err,
				"port=%ld: a node has %u processes that need a "
				"port each, and the last port would be above "
				"%d",
				asked, n, UINT16_MAX);
		c->port = (unsigned)asked;
		c->port_kind = PORT_ASKED;
	} else if (total >= n &&
		   port_reserved(job->resv_ports, job->round * n % total,
				 &c->port) == 0) {
		c->port_kind = PORT_RESERVED;
	} else if (config->port_max - config->port_min + 1 < n) {
		return err_printf(err,
				  "ports=%u-%u are fewer than the %u processes "
				  "of a node need",
				  config->port_min, config->port_max, n);
	} else {
		c->port = port_derived(job->job_id, job->step_id,
				       job->restart + job->round, n,
				       config->port_min, config->port_max);
		c->port_kind = PORT_DERIVED;
	}
	return 0;
}

int coordinator_choose(const struct request *request,
		       const struct resolved *resolved,
		       const struct config *config, const struct job *job,
		       unsigned nports, struct coordinator *ret,
		       struct err *err)
{
	if (choose_addr(request, resolved, job, ret, err) < 0)
		return -1;
	return choose_port(request, config, job, nports, ret, err);
}
