/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In srun: the map of processes to nodes, for frameworks in which each
 * process must know where all others are. From the step's layout (one
 * question to the controller), and if needed the address of each node.
 */
#include "spank/srun/srun.h"

#include "core/base/envset.h"
#include "core/base/runlength.h"
#include "core/facts/taskmap.h"
#include "spank/slurm/slurmctld.h"
#include "sys/socket.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The node of each task, or NULL. */
static unsigned *nodes_of_tasks(const slurm_step_layout_t *layout)
{
	unsigned *node = calloc(layout->task_cnt, sizeof(*node));

	for (unsigned i = 0; node && i < layout->node_cnt; i++)
		for (unsigned t = 0; t < layout->tasks[i]; t++)
			if (layout->tids[i][t] < layout->task_cnt)
				node[layout->tids[i][t]] = i;
	return node;
}

static int describe(const slurm_step_layout_t *layout, struct step_procmap *p,
		    struct err *err)
{
	cleanup_free unsigned *count = calloc(layout->node_cnt, sizeof(*count));
	cleanup_free unsigned *node = nodes_of_tasks(layout);

	if (!count || !node)
		return err_memory(err);
	for (unsigned i = 0; i < layout->node_cnt; i++)
		count[i] = layout->tasks[i];
	p->nodes = strdup(layout->node_list);
	p->tasks = runlength_text(count, layout->node_cnt);
	if (!p->nodes || !p->tasks)
		return err_memory(err);
	p->first_node = node[0];
	if (hostlist_nth(p->nodes, node[0], p->first) < 0)
		return err_printf(err, "the step's layout has no task 0");
	return taskmap_describe(node, layout->task_cnt, p->tasks,
				layout->node_cnt, &p->taskmap, err);
}

struct addresses {
	FILE *f;
	const char *comma;
	const char *nodes;
	const char *key; /* that needs them, and what does without */
	const char *remedy;
	struct err *err;
};

/* The address by which other nodes reach this one. */
static int find_address(const struct addresses *a, const char *node, char *ret,
			size_t size)
{
	struct err ignored;
	slurm_addr_t addr;

	if (slurmctld_node_addr(node, &addr, &ignored) < 0)
		return -1;
	if (host_address_is_loopback(&addr))
		return rank0_own_address(node, a->nodes, ret, size);
	host_address_text(&addr, ret, size);
	return 0;
}

static int put_address(void *arg, const char *node)
{
	struct addresses *a = arg;
	char text[NI_MAXHOST];

	if (find_address(a, node, text, sizeof(text)) < 0)
		return err_printf(a->err,
				  "%s: the address of node %s isn't known "
				  "on this host; %s",
				  a->key, node, a->remedy);
	fprintf(a->f, "%s%s", a->comma, text);
	a->comma = ",";
	return 0;
}

static int find_addresses(struct step_procmap *p, bool recovery,
			  struct err *err)
{
	struct addresses a = {
		.comma = "",
		.nodes = p->nodes,
		.key = recovery ? "spares, on-node-loss" : "addr=ip",
		.remedy = recovery ? "NodeAddr of slurm.conf can have it"
				   : "addr=name uses its name",
		.err = err,
	};
	size_t size;
	int rc;

	a.f = open_memstream(&p->addrs, &size);
	if (!a.f)
		return err_memory(err);
	rc = hostlist_each(p->nodes, put_address, &a);
	if (fclose(a.f) < 0)
		return err_memory(err);
	if (rc == 0 && size >= ENV_STRING_MAX - 64)
		return err_printf(err,
				  "%s: the addresses of all nodes have "
				  "%zu bytes, too many for an environment "
				  "variable; %s",
				  a.key, size,
				  recovery ? "use fewer nodes"
					   : "addr=name uses the nodes' names");
	return rc;
}

static bool is_known_name(const char *node)
{
	struct addrinfo *list;

	if (getaddrinfo(node, NULL, NULL, &list) != 0)
		return false;
	freeaddrinfo(list);
	return true;
}

/* Without a rank table the library orders ranks by address, and a remark says
 * if that differs from Slurm's order (core/plan/step_order.c). A table that
 * each node makes by itself has all nodes' addresses. */
static void try_addresses(struct step_procmap *p)
{
	struct err ignored;

	if (find_addresses(p, false, &ignored) == 0)
		return;
	free(p->addrs);
	p->addrs = NULL;
}

int ask_procmap(const struct srun_step *step, const struct request *r,
		const struct resolved *w, struct step_procmap *ret,
		struct err *err)
{
	slurm_step_layout_t *layout =
		slurmctld_layout(step->job_id, step->step_id, err);
	bool may_need = w->needs & (NEEDS_PROCMAP | NEEDS_TASKMAP) &&
			request_word(r, KEY_ADDR) == ADDR_AUTO;
	struct step_procmap p = {0};
	int rc;

	if (!layout)
		return -1;
	rc = describe(layout, &p, err);
	if (rc == 0 && w->recovery)
		rc = find_addresses(&p, true, err);
	else if (rc == 0 && layout->node_cnt > 1 && (w->chief || w->table))
		try_addresses(&p);
	else if (rc == 0 && layout->node_cnt > 1 &&
		 (w->addresses || (may_need && !is_known_name(p.first))))
		rc = find_addresses(&p, false, err);
	slurm_job_step_layout_free(layout);
	if (rc == 0)
		*ret = p;
	else
		step_procmap_clear(&p);
	return rc;
}

void step_procmap_clear(struct step_procmap *peers)
{
	free(peers->nodes);
	free(peers->tasks);
	free(peers->taskmap);
	free(peers->addrs);
	*peers = (struct step_procmap){0};
}
