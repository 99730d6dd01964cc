/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/way_search.h"

#include "registry/registry.h"

#include <stdlib.h>
#include <string.h>

#define NODES_MAX 8 /* of the step's; and srun's host */

static void add_range(struct way_list *list, unsigned min, unsigned max)
{
	struct port_range range = {0};

	if (!min || list->nranges == WAY_RANGES_MAX)
		return;
	for (unsigned i = 0; i < list->nranges; i++)
		if (list->range[i].min == min && list->range[i].max == max)
			return;
	range.min = min;
	range.max = max;
	port_range_spare_slurms(&range, list->where.step->ports.mpi_params);
	list->range[list->nranges++] = range;
}

/* That of a controller whose srun didn't know the step yet. */
static unsigned port_by_pid(const struct way_list *list, unsigned try)
{
	return port_beside_srun(list->where.step->srun_pid,
				&list->range[try % list->nranges],
				try / list->nranges);
}

unsigned way_list_port(const struct way_list *list, unsigned try)
{
	const struct found_step *step = list->where.step;
	unsigned range = try % list->nranges;

	if (!range && step->ports.srun_min)
		return port_by_pid(list, try);
	return port_of_launchers(step->job_id, step->step_id, step->restart,
				 &list->range[range], try / list->nranges);
}

static void add_addresses(struct way_list *list, unsigned port,
			  const struct found_node *node,
			  char ips[NODE_IPS_MAX][IP_TEXT_SIZE], unsigned nips)
{
	for (unsigned i = 0; i < nips; i++) {
		struct address *a = &list->address[list->n++];

		a->port = port;
		a->node = node;
		memcpy(a->ip, ips[i], sizeof(a->ip));
	}
}

static unsigned choose_hosts(const struct found_step *step,
			     const struct found_node *ret[NODES_MAX + 1])
{
	unsigned n = 0;

	if (*step->srun.addr)
		ret[n++] = &step->srun;
	for (unsigned i = 0; i < step->nfound && i < NODES_MAX; i++)
		if (strcmp(step->node[i].addr, step->srun.addr) != 0)
			ret[n++] = &step->node[i];
	return n;
}

static void fill(struct way_list *list)
{
	const struct found_node *host[NODES_MAX + 1];
	char ips[NODES_MAX + 1][NODE_IPS_MAX][IP_TEXT_SIZE];
	unsigned nips[NODES_MAX + 1];
	unsigned n = choose_hosts(list->where.step, host);

	for (unsigned i = 0; i < n; i++)
		nips[i] = node_ips(host[i]->addr, ips[i]);
	for (unsigned try = 0; try < LAUNCHERS_TRIES * list->nranges; try++)
		for (unsigned i = 0; i < n; i++)
			add_addresses(list, way_list_port(list, try), host[i],
				      ips[i], nips[i]);
	if (!*list->where.step->srun.addr || list->where.step->ports.srun_min)
		return;
	for (unsigned try = 0; try < LAUNCHERS_TRIES * list->nranges; try++)
		add_addresses(list, port_by_pid(list, try), host[0], ips[0],
			      nips[0]);
}

int way_list_open(struct way_list *ret, const struct way_where *where,
		  struct err *err)
{
	const struct site_ports *site = &where->step->ports;
	struct config usual;

	*ret = (struct way_list){.where = *where};
	if (config_parse(0, NULL, &usual, err) < 0)
		return -1;
	add_range(ret, site->srun_min, site->srun_max);
	add_range(ret, where->port_min, where->port_max);
	add_range(ret, site->min, site->max);
	if (!where->step->world)
		add_range(ret, usual.port_min, usual.port_max);
	config_clear(&usual);
	ret->address = calloc((size_t)(NODES_MAX + 2) * NODE_IPS_MAX *
				      LAUNCHERS_TRIES * ret->nranges,
			      sizeof(*ret->address));
	if (!ret->address)
		return err_memory(err);
	fill(ret);
	return 0;
}

void way_list_close(struct way_list *list)
{
	free(list->address);
}
