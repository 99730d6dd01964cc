/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/node/bind.h"

#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The NUMA node of process `index`'s devices, and the first of them. -1 when
 * it isn't known or they are on several. */
static int node_of_process(const struct plan *plan, unsigned index,
			   const struct locality *locality, int *ret_device)
{
	struct idlist own;
	int node = -1;

	plan_devices_on_node(plan, index, &own);
	for (unsigned i = 0; i < own.n; i++) {
		int at =
			own.id[i] < IDLIST_MAX ? locality->node[own.id[i]] : -1;

		if (at < 0 || (i && at != node))
			return -1;
		node = at;
	}
	*ret_device = own.n ? own.id[0] : -1;
	return node;
}

/* Memory nodes that may be preferred: none when there is only one, or when a
 * policy is set already (srun --mem-bind). */
static void memory_nodes(const struct cores *cores, struct idset *ret)
{
	int mode = MPOL_DEFAULT;

	*ret = (struct idset){{0}};
	if (idset_count(&cores->nodes) < 2 ||
	    syscall(SYS_get_mempolicy, &mode, NULL, 0UL, NULL, 0UL) < 0 ||
	    mode != MPOL_DEFAULT)
		return;
	syscall(SYS_get_mempolicy, NULL, ret->word, (unsigned long)IDSET_MAX,
		NULL, (unsigned long)MPOL_F_MEMS_ALLOWED);
}

/* The one NUMA node of these CPUs, or -1. */
static int node_of_cpus(const struct cores *cores, const struct idset *cpus)
{
	int node = -1;

	for (unsigned c = 0; c < cores->n; c++) {
		const struct core *core = &cores->core[c];

		if (!idset_has(cpus, idset_next(&core->cpus, 0)))
			continue;
		if (node >= 0 && node != core->node)
			return -1;
		node = core->node;
	}
	return node;
}

static void describe(struct bind_share *s, int device, int node)
{
	int memory = idset_next(&s->memory, 0), n;
	char cpus[256];

	if (idset_format(&s->cpus, cpus, sizeof(cpus)) < 0)
		snprintf(cpus, sizeof(cpus), "(%u)", idset_count(&s->cpus));
	n = snprintf(s->text, sizeof(s->text), "%u core%s, CPU%s %s", s->ncores,
		     s->ncores == 1 ? "" : "s",
		     idset_count(&s->cpus) == 1 ? "" : "s", cpus);
	if (memory >= 0)
		n += snprintf(s->text + n, sizeof(s->text) - (size_t)n,
			      ", memory node %d", memory);
	if (node >= 0 && device >= 0)
		snprintf(s->text + n, sizeof(s->text) - (size_t)n,
			 " (near device %d, NUMA node %d)", device, node);
}

/* Nothing is bound, and why. */
static void describe_none(const struct plan *plan, const struct cores *cores,
			  struct bind *bind)
{
	const struct job *job = plan->job;

	for (unsigned i = 0; i < plan->nprocs; i++) {
		struct bind_share *s = &bind->share[i];

		if (cores->n < plan->nprocs)
			snprintf(s->text, sizeof(s->text),
				 "not bound: %u core%s for %u processes",
				 cores->n, cores->n == 1 ? "" : "s",
				 plan->nprocs);
		else
			snprintf(s->text, sizeof(s->text),
				 "not bound: the step has %u CPUs here, but "
				 "may run on %u cores",
				 job->cpus_on_node, cores->n);
	}
}

static void find_nodes(const struct plan *plan, const struct cores *cores,
		       const char *root, int *node, int *device)
{
	struct locality locality;
	bool several = idset_count(&cores->nodes) > 1;

	if (several)
		locality_read(root, plan->job->devices.variable, &locality);
	for (unsigned i = 0; i < plan->nprocs; i++) {
		device[i] = -1;
		node[i] = several ? node_of_process(plan, i, &locality,
						    &device[i])
				  : -1;
	}
}

static void share_out(const struct plan *plan, const struct cores *cores,
		      const int *node, const int *device, unsigned *owner,
		      struct bind *bind)
{
	struct idset memory;
	enum share_kind kind =
		share_cores(cores->core, cores->n, node, plan->nprocs, owner);

	if (kind == SHARE_NOTHING) {
		describe_none(plan, cores, bind);
		return;
	}
	for (unsigned c = 0; c < cores->n; c++) {
		if (owner[c] == SHARE_NOBODY)
			continue;
		idset_unite(&bind->share[owner[c]].cpus, &cores->core[c].cpus);
		bind->share[owner[c]].ncores++;
	}
	memory_nodes(cores, &memory);
	for (unsigned i = 0; i < plan->nprocs; i++) {
		struct bind_share *s = &bind->share[i];
		int near = kind == SHARE_NEAR ? node[i] : -1;
		int at = near >= 0 ? near : node_of_cpus(cores, &s->cpus);

		if (idset_has(&memory, at))
			idset_add(&s->memory, at);
		describe(s, device[i], near);
	}
}

static int make_shares(const struct plan *plan, const struct cores *cores,
		       const char *root, struct bind *bind, struct err *err)
{
	unsigned cpus = plan->job->cpus_on_node;
	cleanup_free int *node = calloc(plan->nprocs, sizeof(*node));
	cleanup_free int *device = calloc(plan->nprocs, sizeof(*device));
	cleanup_free unsigned *owner = calloc(cores->n + 1, sizeof(*owner));

	bind->share = calloc(plan->nprocs, sizeof(*bind->share));
	if (!node || !device || !owner || !bind->share)
		return err_memory(err);
	if (cpus && cpus < cores->n) {
		describe_none(plan, cores, bind);
		return 0;
	}
	find_nodes(plan, cores, root, node, device);
	share_out(plan, cores, node, device, owner, bind);
	return 0;
}

int bind_make(const struct plan *plan, const struct idset *allowed,
	      const char *root, struct bind *ret, struct err *err)
{
	struct bind bind = {0};
	struct cores cores;
	int rc = cores_read(root, allowed, &cores, err);

	if (rc < 0)
		return -1;
	bind.ncores = cores.n;
	if (plan->nprocs > 1 &&
	    request_word(plan->request, KEY_BIND) != BIND_OFF)
		rc = make_shares(plan, &cores, root, &bind, err);
	cores_clear(&cores);
	if (rc < 0)
		bind_clear(&bind);
	else
		*ret = bind;
	return rc;
}

int bind_here(const struct plan *plan, struct bind *ret, struct err *err)
{
	struct idset allowed;

	*ret = (struct bind){0};
	if (cores_allowed(&allowed) < 0)
		return 0;
	return bind_make(plan, &allowed, "", ret, err);
}

const struct bind_share *bind_share(const struct bind *bind, unsigned index)
{
	if (!bind->share || !bind->share[index].ncores)
		return NULL;
	return &bind->share[index];
}

void bind_tell(const struct bind *bind, unsigned index, struct process *process)
{
	const struct bind_share *s = bind->share ? &bind->share[index] : NULL;

	if (s && s->ncores)
		process->cores = s->ncores;
	process->place = s && *s->text ? s->text : NULL;
}

void bind_clear(struct bind *bind)
{
	free(bind->share);
	*bind = (struct bind){0};
}
