/* SPDX-License-Identifier: Apache-2.0 */
/* The InfiniBand and RoCE ports of this node, as facts. */
#include "core/base/text.h"
#include "helpers/check/node_facts.h"
#include "helpers/rdma/rdma_ports.h"

#include <stdio.h>
#include <string.h>

/* "mlx5_0/1=ACTIVE,LinkUp,400,InfiniBand", one word for each */
static void tell_ports(int out, const struct rdma_ports *ports)
{
	for (unsigned i = 0; i < ports->n; i++) {
		const struct rdma_port *p = &ports->port[i];

		dprintf(out, "%s%s/%u=%s,%s,%u,%s", i ? " " : "rdma ",
			p->device, p->port, p->state, p->physical, p->rate_gbps,
			p->infiniband ? "InfiniBand" : "Ethernet");
	}
	dprintf(out, "\n");
}

/* The indices of its RoCE ports: "3" when it's the same for all */
static void tell_gids(int out, const struct rdma_ports *ports)
{
	char all[128] = "", one[16];

	for (unsigned i = 0; i < ports->n; i++) {
		const struct rdma_port *p = &ports->port[i];

		if (p->infiniband || strcmp(p->state, "ACTIVE") != 0)
			continue;
		if (p->gid_index < 0) {
			dprintf(out, "roce-none %s/%u\n", p->device, p->port);
			continue;
		}
		snprintf(one, sizeof(one), "%d", p->gid_index);
		if (strcmp(all, one) != 0)
			text_add(all, sizeof(all), ",", "%s", one);
	}
	if (*all)
		dprintf(out, "roce-gid %s\n", all);
}

void facts_rdma(int out)
{
	static struct rdma_ports ports;

	rdma_look(hardware_root(), &ports);
	if (!ports.n)
		return;
	tell_ports(out, &ports);
	tell_gids(out, &ports);
	for (unsigned i = 0; i < ports.n; i++)
		if (*ports.port[i].errors)
			dprintf(out, "rdma-errors %s/%u %s\n",
				ports.port[i].device, ports.port[i].port,
				ports.port[i].errors);
	if (*ports.denied)
		dprintf(out, "rdma-denied /dev/infiniband/%s\n", ports.denied);
	dprintf(out, "rdma-peermem %s\n", ports.peermem ? "yes" : "no");
}
