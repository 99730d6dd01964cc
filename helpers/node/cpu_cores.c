/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/node/bind.h"

#include "sys/proc_file.h"

#include <sched.h>
#include <stdlib.h>

#define CPU  "/sys/devices/system/cpu"
#define NODE "/sys/devices/system/node"

int cores_allowed(struct idset *ret)
{
	*ret = (struct idset){{0}};
	return sched_getaffinity(0, sizeof(*ret), (cpu_set_t *)ret);
}

/* The CPUs of one core; without SMT nothing has to be read. */
static void read_siblings(const char *root, int cpu, bool smt,
			  struct idset *ret)
{
	*ret = (struct idset){{0}};
	if (smt)
		sysfs_set(ret, root, CPU "/cpu%d/topology/thread_siblings_list",
			  cpu);
	idset_add(ret, cpu);
}

static void read_cores(const char *root, const struct idset *allowed,
		       struct cores *cores)
{
	bool smt = sysfs_number(root, CPU "/smt/active") != 0;
	struct idset seen = {{0}};

	for (int cpu = idset_next(allowed, 0); cpu >= 0;
	     cpu = idset_next(allowed, cpu + 1)) {
		struct core *core = &cores->core[cores->n];

		if (idset_has(&seen, cpu))
			continue;
		read_siblings(root, cpu, smt, &core->cpus);
		idset_unite(&seen, &core->cpus);
		idset_intersect(&core->cpus, allowed);
		core->package = -1;
		cores->n++;
	}
}

static int by_node(const void *a, const void *b)
{
	const struct core *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return idset_next(&x->cpus, 0) < idset_next(&y->cpus, 0) ? -1 : 1;
}

/* Put down the node of each core in it, and its socket. */
static void read_node(const char *root, int node, struct cores *cores)
{
	struct idset cpus;
	int package = -1;

	if (sysfs_set(&cpus, root, NODE "/node%d/cpulist", node) < 0)
		return;
	for (unsigned c = 0; c < cores->n; c++) {
		struct core *core = &cores->core[c];
		int cpu = idset_next(&core->cpus, 0);

		if (!idset_has(&cpus, cpu))
			continue;
		if (package < 0)
			package = sysfs_number(
				root, CPU "/cpu%d/topology/physical_package_id",
				cpu);
		core->node = node;
		core->package = package;
	}
}

int cores_read(const char *root, const struct idset *allowed, struct cores *ret,
	       struct err *err)
{
	struct cores cores = {.n = 0};

	cores.core = calloc(idset_count(allowed) + 1, sizeof(*cores.core));
	if (!cores.core)
		return err_memory(err);
	read_cores(root, allowed, &cores);
	if (sysfs_set(&cores.nodes, root, NODE "/online") < 0)
		idset_add(&cores.nodes, 0);
	if (idset_count(&cores.nodes) > 1)
		for (int node = idset_next(&cores.nodes, 0); node >= 0;
		     node = idset_next(&cores.nodes, node + 1))
			read_node(root, node, &cores);
	qsort(cores.core, cores.n, sizeof(*cores.core), by_node);
	*ret = cores;
	return 0;
}

void cores_clear(struct cores *cores)
{
	free(cores->core);
	*cores = (struct cores){0};
}
