/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where rank 0 of the step is, and an address by which the other nodes reach
 * it. srun calls rank0_find() before any task exists; a task to which srun
 * couldn't pass an address on finds one by task/task_facts.c. Loopback
 * addresses, which a host's own name often has, are never used between nodes.
 */
#include "config.h"

#include "spank/slurm/step_job.h"

#include "core/base/parse.h"
#include "spank/slurm/slurmctld.h"
#include "sys/socket.h"

#include <stdlib.h>
#include <string.h>

int rank0_own_address(const char *node, const char *nodes, char *ret,
		      unsigned size)
{
	char other[HOSTLIST_NAME_MAX];
	struct err ignored;
	slurm_addr_t addr;

	for (unsigned i = 0; nodes && i < 2; i++)
		if (hostlist_nth(nodes, i, other) == 0 &&
		    strcmp(other, node) != 0 &&
		    slurmctld_node_addr(other, &addr, &ignored) == 0 &&
		    host_address_towards(&addr, ret, size) == 0)
			return 0;
	return -1;
}

static int node_of_task0(const slurm_step_layout_t *layout, unsigned *ret)
{
	for (unsigned i = 0; i < layout->node_cnt; i++)
		for (unsigned t = 0; t < layout->tasks[i]; t++)
			if (layout->tids[i][t] == 0) {
				*ret = i;
				return 0;
			}
	return -1;
}

/* Whether task 0 is certainly on the first node of the job: the step has all
 * of its nodes and a distribution that begins there. */
static bool begins_at_first_node(const struct srun_step *step,
				 const char *nodes)
{
	const char *how = getenv("SLURM_DISTRIBUTION");
	unsigned n;

#if HAVE_SLURM_STEP_ID_T_SLUID
	return false; /* such releases may follow the network's topology */
#endif
	return nodes && !getenv("SLURM_HET_SIZE") &&
	       hostlist_count(nodes, &n) == 0 && n == step->nnodes &&
	       (!how || word_find("block cyclic plane", how,
				  strcspn(how, ":,="), NULL));
}

int rank0_ask_node(const struct srun_step *step, char ret[HOSTLIST_NAME_MAX],
		   struct err *err)
{
	slurm_step_layout_t *layout =
		slurmctld_layout(step->job_id, step->step_id, err);
	unsigned node;
	int rc = -1;

	if (!layout)
		return -1;
	if (node_of_task0(layout, &node) == 0)
		rc = hostlist_nth(layout->node_list, node, ret);
	slurm_job_step_layout_free(layout);
	return rc < 0 ? err_printf(err, "the step's layout has no task 0") : 0;
}

int rank0_find(const struct srun_step *step, struct rank0 *ret, struct err *err)
{
	const char *nodes = getenv("SLURM_NODELIST");
	struct rank0 r = {0};
	struct err ignored;
	slurm_addr_t addr;
	int rc;

	if (begins_at_first_node(step, nodes))
		rc = hostlist_nth(nodes, 0, r.node);
	else
		rc = rank0_ask_node(step, r.node, err);
	if (rc < 0)
		return -1;
	if (slurmctld_node_addr(r.node, &addr, &ignored) < 0)
		r.addr[0] = '\0';
	else if (host_address_is_loopback(&addr))
		rank0_own_address(r.node, nodes, r.addr, sizeof(r.addr));
	else
		host_address_text(&addr, r.addr, sizeof(r.addr));
	*ret = r;
	return 0;
}
