/* SPDX-License-Identifier: Apache-2.0 */
#include "core/env/process_env.h"

#include "core/base/cleanup.h"
#include "core/base/ip.h"
#include "core/plan/framework.h"
#include "core/plan/procmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "nodes of the step";

/* Where each process listens, in the order of ranks. */
static void put_peers(FILE *f, const struct plan *plan,
		      const struct rank_place *peers, char *const *hosts)
{
	char endpoint[ENDPOINT_SIZE];

	for (unsigned r = 0; r < plan->world_size; r++)
		fprintf(f, "%s%s", r ? "," : "",
			endpoint_format(hosts[peers[r].node],
					plan_port(plan, peers[r].local),
					endpoint));
}

/* Each node in the order of node ranks: in device mode that of their ranks. */
static void put_hosts(FILE *f, const struct plan *plan,
		      const struct rank_place *peers, char *const *hosts)
{
	const char *comma = "";

	for (unsigned i = 0; !plan->resolved.device_mode && i < plan->nnodes;
	     i++)
		fprintf(f, "%s%s", i ? "," : "", hosts[i]);
	for (unsigned r = 0; plan->resolved.device_mode && r < plan->world_size;
	     r++) {
		if (peers[r].local)
			continue;
		fprintf(f, "%s%s", comma, hosts[peers[r].node]);
		comma = ",";
	}
}

typedef void put_fn(FILE *f, const struct plan *plan,
		    const struct rank_place *peers, char *const *hosts);

static int add_list(const char *name, put_fn *put, const struct plan *plan,
		    const struct rank_place *peers, char *const *hosts,
		    struct envset *set, struct err *err)
{
	cleanup_free char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return err_memory(err);
	put(f, plan, peers, hosts);
	if (fclose(f) < 0)
		return err_memory(err);
	if (strlen(name) + size + 2 > ENV_STRING_MAX)
		return err_printf(
			err,
			"%s would have %zu bytes for %u processes on "
			"%u nodes, but a variable has at most %d with "
			"its name; use fewer processes",
			name, size, plan->world_size, plan->nnodes,
			ENV_STRING_MAX - 1);
	return envset_add(set, ENV_OURS, source, err, name, "%s", text);
}

int peers_env(const struct plan *plan, const struct process *p,
	      struct envset *set, struct err *err)
{
	cleanup_free struct rank_place *peers = NULL;
	char **hosts;
	int rc;

	if (!(plan->resolved.needs & NEEDS_PEERS))
		return 0;
	peers = procmap_make(plan, err);
	hosts = peers ? procmap_hosts(plan, err) : NULL;
	if (!hosts)
		return -1;
	rc = add_list("DIST_TRAIN_PEERS", put_peers, plan, peers, hosts, set,
		      err);
	if (rc == 0)
		rc = add_list("DIST_TRAIN_HOST_ADDRS", put_hosts, plan, peers,
			      hosts, set, err);
	procmap_free_hosts(hosts);
	if (rc < 0 || p->added)
		return rc;
	return envset_add(set, ENV_OURS, "its own among these", err,
			  "DIST_TRAIN_PORT", "%u",
			  plan_port(plan, p->local_rank));
}
