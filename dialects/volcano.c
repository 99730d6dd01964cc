/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Volcano's job plugins env, svc, pytorch, tensorflow and mpi
 * (pkg/controllers/job/plugins/): the hosts of each kind of task and a pod's
 * number in its own. A pod is a process here. The pytorch plugin calls its
 * tasks master and worker, the first of all being the master; the tensorflow
 * plugin calls them ps, worker, chief and evaluator.
 */
#include "core/plan/dialect.h"

#include "core/plan/procmap.h"

#include <stdlib.h>

static const char src[] = "dialect volcano";

static int task_index(unsigned index, struct envset *set, struct err *err)
{
	const struct env_row rows[] = {
		{ENV_FACT, "VC_TASK_INDEX", src, .n = index},
		{ENV_FACT, "VK_TASK_INDEX", src, .n = index},
	};

	return ENVSET_ADD(set, rows, err);
}

/* The processes of one kind of task, and the names of its variables. */
struct kind {
	const char *hosts, *num;
	struct procmap_choice choice;
};

static int add_kind(const struct plan *plan, const struct procmap *map,
		    const struct kind *kind, struct envset *set,
		    struct err *err)
{
	unsigned n;
	cleanup_free char *text =
		procmap_text(plan, map, &kind->choice, &n, err);

	if (!text)
		return -1;
	if (!n)
		return 0;
	if (envset_add(set, ENV_FACT, src, err, kind->hosts, "%s", text) < 0)
		return -1;
	return envset_add(set, ENV_FACT, src, err, kind->num, "%u", n);
}

static int add_kinds(const struct plan *plan, const struct kind *kind, size_t n,
		     struct envset *set, struct err *err)
{
	cleanup_procmap struct procmap map;
	int rc = procmap_find(plan, &map, err);

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = add_kind(plan, &map, &kind[i], set, err);
	return rc;
}

static int pytorch(const struct plan *plan, const struct process *p,
		   struct envset *set, struct err *err)
{
	const struct kind kinds[] = {
		{"VC_MASTER_HOSTS",
		 "VC_MASTER_NUM",
		 {ROLE_WORKER, 0, 1, false}},
		{"VC_WORKER_HOSTS",
		 "VC_WORKER_NUM",
		 {ROLE_WORKER, 1, plan->world_size, false}},
	};

	if (task_index(p->rank ? p->rank - 1 : 0, set, err) < 0)
		return -1;
	return add_kinds(plan, kinds, 2, set, err);
}

static int tensorflow(const struct plan *plan, const struct process *p,
		      struct envset *set, struct err *err)
{
	unsigned n = plan->world_size;
	const struct kind kinds[] = {
		{"VC_PS_HOSTS", "VC_PS_NUM", {ROLE_PS, 0, n, false}},
		{"VC_WORKER_HOSTS",
		 "VC_WORKER_NUM",
		 {ROLE_WORKER, 0, n, false}},
		{"VC_CHIEF_HOSTS", "VC_CHIEF_NUM", {ROLE_CHIEF, 0, n, false}},
		{"VC_EVALUATOR_HOSTS",
		 "VC_EVALUATOR_NUM",
		 {ROLE_EVALUATOR, 0, n, false}},
	};

	if (task_index(p->role_index, set, err) < 0)
		return -1;
	return add_kinds(plan, kinds, 4, set, err);
}

static int add_hosts(const struct hostfile *nodes, const char *all,
		     struct envset *set, struct err *err)
{
	const struct env_row rows[] = {
		{ENV_FACT, "MPI_HOST", src, .text = all},
		{ENV_FACT, "VC_MASTER_HOSTS", src, .text = nodes->host[0]},
		{ENV_FACT, "VC_MASTER_NUM", src, .n = 1},
		{ENV_FACT, "VC_WORKER_HOSTS", src, .text = all},
		{ENV_FACT, "VC_WORKER_NUM", src, .n = nodes->n},
	};

	return ENVSET_ADD(set, rows, err);
}

/* The master's pod runs mpirun; the nodes are its workers. */
static int mpi(const struct plan *plan, const struct process *p,
	       struct envset *set, struct err *err)
{
	cleanup_hostfile struct hostfile nodes = {0};
	cleanup_free char *text = NULL;

	(void)p;
	if (task_index(0, set, err) < 0 || hostfile_find(plan, &nodes, err) < 0)
		return -1;
	text = hostfile_text(&nodes, NULL, ",", err);
	return text ? add_hosts(&nodes, text, set, err) : -1;
}

static const struct dialect_form forms[] = {
	{.framework = "ddp",
	 .platform = "Volcano's pytorch plugin",
	 .needs = NEEDS_TASKMAP,
	 .env = pytorch},
	{.framework = "tf",
	 .platform = "Volcano's tensorflow plugin",
	 .env = tensorflow},
	{.framework = "tf-ps",
	 .platform = "Volcano's tensorflow plugin",
	 .env = tensorflow},
	{.framework = "mpi",
	 .platform = "Volcano's mpi plugin",
	 .needs = NEEDS_HOST_FILE,
	 .first_node = true,
	 .env = mpi},
	{0},
};

const struct dialect dialect_volcano = {
	.name = "volcano",
	.summary = "Volcano's job plugins: svc, env, pytorch, tensorflow, "
		   "mpi",
	.form = forms,
};
