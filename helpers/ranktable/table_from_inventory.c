/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/exchange.h"

#include "core/ascend/inventory.h"
#include "core/ascend/npu_ids.h"
#include "core/facts/device.h"
#include "core/plan/procmap.h"

#include <stdlib.h>
#include <string.h>

/* What is the same for all rows. */
struct maker {
	const struct plan *plan;
	const struct devinfo_options *options;
	const struct own_npus *own;
	/* of several nodes */
	struct inventory inventory;
	struct hostindex nodes; /* the step's */
	struct hostindex addrs; /* their addresses, if srun has told them */
	struct idlist *indices; /* their devices by Slurm's index, or NULL */
	put_row_fn *put;
	void *arg;
};

/* One node of the step. */
struct server {
	char name[HOSTLIST_NAME_MAX];
	const char *address;	/* NULL: unknown */
	struct idlist physical; /* of its processes, by local index */
};

/* --- which devices the processes of a node have --- */

/* One after the other, as the node's own launchers have them. */
static int deal_devices(const struct idlist *indices,
			const struct npu_nodes *nodes, unsigned nprocs,
			struct server *s, struct err *err)
{
	struct device_facts facts = {.step = *indices};
	struct idlist physical, its;

	if (indices->n < nprocs || nprocs > IDLIST_MAX)
		return err_printf(err,
				  "exchange=none: node %s has %u NPUs of the "
				  "step for %u processes",
				  s->name, indices->n, nprocs);
	if (npu_ids_of_gres(indices, nodes, s->name, &physical, err) < 0)
		return -1;
	for (unsigned i = 0; i < nprocs; i++) {
		device_on_node(&facts, i, nprocs, &its);
		if (its.n != 1)
			return err_printf(
				err,
				"exchange=none: process %u of node "
				"%s would have %u NPUs; start one process per "
				"NPU (--ntasks-per-node=%u)",
				i, s->name, its.n, indices->n);
		s->physical.id[i] =
			physical.id[idlist_find(indices, its.id[0])];
	}
	s->physical.n = nprocs;
	return 0;
}

static int find_own_server(const struct maker *m, unsigned nprocs,
			   struct server *s, struct err *err)
{
	struct npu_nodes nodes;

	if (devinfo_nodes(m->options->root, &nodes, err) < 0)
		return -1;
	return deal_devices(&m->plan->job->devices.step, &nodes, nprocs, s,
			    err);
}

static int find_other_server(const struct maker *m, unsigned node,
			     unsigned nprocs, struct server *s, struct err *err)
{
	struct npu_nodes nodes;

	if (!m->indices)
		return err_printf(err, "exchange=none: Slurm doesn't tell srun "
				       "which NPUs the step has on each node; "
				       "use exchange=auto to ask the nodes");
	inventory_ids(&m->inventory, s->name, &nodes.present);
	nodes.allowed = nodes.present;
	if (nodes.present.n)
		return deal_devices(&m->indices[node], &nodes, nprocs, s, err);
	return err_printf(
		err, "exchange=none: the inventory %s doesn't have node %s",
		m->options->inventory, s->name);
}

static unsigned count_procs(const struct maker *m,
			    const struct rank_place *peer, unsigned rank)
{
	unsigned n = 0;

	for (unsigned r = rank; r < m->plan->world_size; r++) {
		if (peer[r].node != peer[rank].node)
			break;
		n++;
	}
	return n;
}

/* That node's, of which `rank` is the first process. */
static int find_server(const struct maker *m, const struct rank_place *peer,
		       unsigned rank, struct server *ret, struct err *err)
{
	const struct job *job = m->plan->job;
	unsigned n = count_procs(m, peer, rank), node = peer[rank].node;

	if (node >= m->nodes.n)
		return err_printf(err, "the step has no node %u", node);
	snprintf(ret->name, sizeof(ret->name), "%s", m->nodes.name[node]);
	ret->address = node < m->addrs.n ? m->addrs.name[node] : NULL;
	if (!strcmp(ret->name, job->node_name))
		return find_own_server(m, n, ret, err);
	return find_other_server(m, node, n, ret, err);
}

/* --- the facts of a device --- */

static const struct npu *find_own(const struct maker *m, unsigned rank)
{
	for (unsigned i = 0; i < m->own->n; i++)
		if (m->own->rank[i] == rank)
			return &m->own->npu[i];
	return NULL;
}

/* What this node's own driver says against the inventory; addresses have been
 * compared when the driver was asked. */
static int compare_own(const struct maker *m, unsigned rank,
		       const struct npu *listed, struct err *err)
{
	const struct npu *own = find_own(m, rank);

	if (!own)
		return 0;
	if (own->phy_id != listed->phy_id)
		return err_printf(err,
				  "exchange=none: rank %u on node %s has NPU "
				  "%u, but the other nodes expect %u; leave "
				  "--gpu-bind and --gpus-per-task out, or use "
				  "exchange=auto",
				  rank, m->plan->job->node_name, own->phy_id,
				  listed->phy_id);
	if (own->chip_from && listed->chip_from && own->chip != listed->chip)
		return err_printf(err,
				  "NPU %u of node %s is a %s, but the "
				  "inventory %s says %s; correct it there",
				  own->phy_id, m->plan->job->node_name,
				  chip_facts(own->chip)->name,
				  m->options->inventory,
				  chip_facts(listed->chip)->name);
	if (own->sdid_from && listed->sdid_from && own->sdid != listed->sdid)
		return err_printf(err,
				  "NPU %u of node %s has the super device id "
				  "%lu, but the inventory %s says %lu; correct "
				  "it there",
				  own->phy_id, m->plan->job->node_name,
				  own->sdid, m->options->inventory,
				  listed->sdid);
	return 0;
}

/* From the inventory alone, so that every node writes the same; but for the
 * generation, which is that of the whole step. */
static int put_listed(const struct maker *m, const struct server *s,
		      unsigned rank, unsigned phy_id, struct err *err)
{
	struct npu npu = {.phy_id = phy_id};

	if (inventory_find(&m->inventory, s->name, &npu, err) < 0 ||
	    compare_own(m, rank, &npu, err) < 0)
		return -1;
	if (!npu.addr_from)
		return err_printf(err,
				  "exchange=none: the inventory %s has no "
				  "address of NPU %u of node %s",
				  m->options->inventory, phy_id, s->name);
	if (!npu.chip_from)
		npu.chip = m->own->npu[0].chip;
	return m->put(m->arg, rank, s->name, s->address, &npu, err);
}

/* Each node's processes must be one after the other. */
static int check_order(const struct maker *m, const struct rank_place *peer,
		       struct err *err)
{
	for (unsigned r = 1; r < m->plan->world_size; r++)
		if (peer[r].node != peer[r - 1].node && peer[r].local)
			return err_printf(
				err,
				"exchange=none: rank %u is on another "
				"node than rank %u, but isn't the "
				"first there; --distribution=block "
				"gives each node's tasks ranks in a row, as "
				"the collective library needs them",
				r, r - 1);
	return 0;
}

static int put_servers(const struct maker *m, const struct rank_place *peer,
		       struct err *err)
{
	struct server s;

	for (unsigned r = 0; r < m->plan->world_size; r += s.physical.n) {
		if (find_server(m, peer, r, &s, err) < 0)
			return -1;
		for (unsigned i = 0; i < s.physical.n; i++)
			if (put_listed(m, &s, r + i, s.physical.id[i], err) < 0)
				return -1;
	}
	return 0;
}

/* --- one node --- */

/* Its driver knows all. */
static int put_node(const struct maker *m, struct err *err)
{
	unsigned n = m->plan->world_size;
	cleanup_free struct npu *npu = calloc(n, sizeof(*npu));
	struct devinfo_options quiet = *m->options;
	struct server s;

	if (!npu)
		return err_memory(err);
	quiet.warnings = NULL; /* each task has said its own */
	snprintf(s.name, sizeof(s.name), "%s", m->plan->job->node_name);
	if (find_own_server(m, n, &s, err) < 0 ||
	    devinfo_read(&quiet, &s.physical, npu, err) < 0)
		return -1;
	for (unsigned r = 0; r < n; r++) {
		if (compare_own(m, r, &npu[r], err) < 0 ||
		    m->put(m->arg, r, s.name, m->plan->job->rank0_addr, &npu[r],
			   err) < 0)
			return -1;
	}
	return 0;
}

/* What is known of all nodes, read once: a step may have thousands. */
static int read_nodes(struct maker *m, struct err *err)
{
	const struct job *job = m->plan->job;

	if (devinfo_inventory(m->options->inventory, &m->inventory, err) < 0 ||
	    hostindex_make(job->nodes, &m->nodes, err) < 0 ||
	    (job->addrs && hostindex_make(job->addrs, &m->addrs, err) < 0))
		return -1;
	if (!job->gres)
		return 0;
	m->indices = calloc(m->nodes.n, sizeof(*m->indices));
	if (!m->indices)
		return err_memory(err);
	return gres_of_nodes(job->gres, &m->nodes, m->indices, err);
}

int table_from_inventory(const struct plan *plan,
			 const struct devinfo_options *options,
			 const struct own_npus *own, put_row_fn *put, void *arg,
			 struct err *err)
{
	struct maker m = {
		.plan = plan,
		.options = options,
		.own = own,
		.put = put,
		.arg = arg,
	};
	cleanup_free struct rank_place *peer = NULL;
	int rc;

	if (plan->nnodes == 1)
		return put_node(&m, err);
	peer = procmap_make(plan, err);
	if (!peer)
		return -1;
	rc = check_order(&m, peer, err);
	if (rc == 0)
		rc = read_nodes(&m, err);
	if (rc == 0)
		rc = put_servers(&m, peer, err);
	inventory_clear(&m.inventory);
	hostindex_clear(&m.nodes);
	hostindex_clear(&m.addrs);
	free(m.indices);
	return rc;
}
