/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/way_list.h"

#include "core/facts/port.h"
#include "core/option/config.h"
#include "helpers/visit/step_find.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 8 /* nodes */

static void add_range(struct way_list *list, unsigned min, unsigned max)
{
	if (!min || list->nranges == WAY_RANGES_MAX)
		return;
	for (unsigned i = 0; i < list->nranges; i++)
		if (list->min[i] == min && list->max[i] == max)
			return;
	list->min[list->nranges] = min;
	list->max[list->nranges++] = max;
}

unsigned way_list_port(const struct way_list *list, unsigned try)
{
	const struct found_step *step = list->where.step;
	unsigned range = try % list->nranges;

	return port_of_launchers(step->job_id, step->step_id, step->restart,
				 list->min[range], list->max[range], 0, 0,
				 try / list->nranges);
}

static void add_addresses(struct way_list *list, unsigned try, unsigned node,
			  char ips[NODE_IPS_MAX][IP_TEXT_SIZE], unsigned nips)
{
	for (unsigned i = 0; i < nips; i++) {
		struct address *a = &list->address[list->n++];

		a->port = way_list_port(list, try);
		a->node = &list->where.step->node[node];
		memcpy(a->ip, ips[i], sizeof(a->ip));
	}
}

void way_list_fill(struct way_list *list)
{
	const struct found_step *step = list->where.step;
	char ips[BLOCK][NODE_IPS_MAX][IP_TEXT_SIZE];
	unsigned nips[BLOCK], n = step->nfound - list->block;

	if (n > BLOCK)
		n = BLOCK;
	for (unsigned i = 0; i < n; i++)
		nips[i] = node_ips(step->node[list->block + i].addr, ips[i]);
	list->n = 0;
	for (unsigned try = 0; try < LAUNCHERS_TRIES * list->nranges; try++)
		for (unsigned i = 0; i < n; i++)
			add_addresses(list, try, list->block + i, ips[i],
				      nips[i]);
}

bool way_list_move(struct way_list *list)
{
	list->block += BLOCK;
	if (list->block < list->where.step->nfound)
		return true;
	list->block = 0;
	return false;
}

int way_list_open(struct way_list *ret, const struct way_where *where,
		  struct err *err)
{
	const struct site_ports *site = &where->step->ports;
	struct config usual;

	*ret = (struct way_list){.where = *where};
	if (config_parse(0, NULL, &usual, err) < 0)
		return -1;
	add_range(ret, where->port_min, where->port_max);
	add_range(ret, site->min, site->max);
	add_range(ret, usual.port_min, usual.port_max);
	config_clear(&usual);
	ret->address = calloc((size_t)BLOCK * NODE_IPS_MAX * LAUNCHERS_TRIES *
				      ret->nranges,
			      sizeof(*ret->address));
	return ret->address ? 0 : err_memory(err);
}

void way_list_close(struct way_list *list)
{
	free(list->address);
}
