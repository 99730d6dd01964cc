/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/step_order.h"

#include "core/base/cleanup.h"
#include "core/base/ip.h"
#include "core/plan/procmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Read all hosts as IP addresses; -1 if one is a name, whose order isn't
 * known. */
static int read_hosts(char *const host[], unsigned n, struct ip *ret)
{
	for (unsigned i = 0; i < n; i++)
		if (ip_parse(host[i], strlen(host[i]), &ret[i]) < 0)
			return -1;
	return 0;
}

/* The first rank whose predecessor (in Slurm's order) has a greater address, so
 * that the library's order differs; 0: none. */
static unsigned find_disorder(const struct rank_place *peer,
			      const struct ip *ip, unsigned n)
{
	for (unsigned r = 1; r < n; r++)
		if (ip_compare(&ip[peer[r - 1].node], &ip[peer[r].node]) > 0)
			return r;
	return 0;
}

static bool say_disorder(const struct rank_place *peer, char *const host[],
			 unsigned rank, char *buf, unsigned size)
{
	snprintf(
		buf, size,
		"table=none: the library orders processes by the addresses of "
		"their hosts, so its ranks differ from Slurm's: rank %u is on "
		"%s, rank %u on %s; order the nodes by address (SLURM_HOSTFILE "
		"with --distribution=arbitrary), or use a rank table",
		rank - 1, host[peer[rank - 1].node], rank,
		host[peer[rank].node]);
	return true;
}

bool chief_order_remark(const struct plan *plan, char *buf, unsigned size)
{
	cleanup_free struct ip *ip = calloc(plan->nnodes, sizeof(*ip));
	cleanup_free struct rank_place *peer = NULL;
	char **host = NULL;
	unsigned rank = 0;
	struct err err;
	bool differs;

	if (plan->nnodes > 1 && plan->job->addrs) {
		peer = procmap_make(plan, &err);
		host = procmap_hosts(plan, &err);
	}
	if (ip && peer && host && read_hosts(host, plan->nnodes, ip) == 0)
		rank = find_disorder(peer, ip, plan->world_size);
	differs = rank && say_disorder(peer, host, rank, buf, size);
	procmap_free_hosts(host);
	return differs;
}
