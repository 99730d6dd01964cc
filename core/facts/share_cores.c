/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/share_cores.h"

#include <stdbool.h>

/* Which of `parts` contiguous parts of equal size core `i` of `n` belongs
 * to. */
static unsigned part_of(unsigned i, unsigned n, unsigned parts)
{
	return (unsigned)((((unsigned long)i + 1) * parts - 1) / n);
}

static bool node_has_process(int node, const int *proc_node, unsigned nprocs)
{
	for (unsigned p = 0; p < nprocs; p++)
		if (proc_node[p] == node)
			return true;
	return false;
}

static int package_of(int node, const struct core *cores, unsigned ncores)
{
	for (unsigned c = 0; c < ncores; c++)
		if (cores[c].node == node)
			return cores[c].package;
	return -1;
}

/* Whether a process whose device is on NUMA node `node` may get `core`, whose
 * own NUMA node has devices or has none. */
static bool has_part(int node, const struct core *core, bool with_devices,
		     const struct core *cores, unsigned ncores)
{
	if (with_devices)
		return node == core->node;
	return core->package >= 0 &&
	       package_of(node, cores, ncores) == core->package;
}

/* Divide the n cores of one NUMA node, the first of which is `first`. */
static void share_node(const struct core *cores, unsigned ncores,
		       unsigned first, unsigned n, const int *proc_node,
		       unsigned nprocs, unsigned *ret_owner)
{
	const struct core *core = &cores[first];
	bool own = node_has_process(core->node, proc_node, nprocs);
	unsigned parts = 0, part = 0;

	for (unsigned c = first; c < first + n; c++)
		ret_owner[c] = SHARE_NOBODY;
	for (unsigned p = 0; p < nprocs; p++)
		parts += has_part(proc_node[p], core, own, cores, ncores);
	for (unsigned p = 0; p < nprocs; p++) {
		if (!has_part(proc_node[p], core, own, cores, ncores))
			continue;
		for (unsigned i = 0; i < n; i++)
			if (part_of(i, n, parts) == part)
				ret_owner[first + i] = p;
		part++;
	}
}

/* Whether each node has a core for each process whose device is there. */
static bool can_be_near(const struct core *cores, unsigned ncores,
			const int *proc_node, unsigned nprocs)
{
	for (unsigned p = 0; p < nprocs; p++) {
		unsigned there = 0, procs = 0;

		for (unsigned c = 0; c < ncores; c++)
			there += cores[c].node == proc_node[p];
		for (unsigned q = 0; q < nprocs; q++)
			procs += proc_node[q] == proc_node[p];
		if (proc_node[p] < 0 || there < procs)
			return false;
	}
	return true;
}

enum share_kind share_cores(const struct core *cores, unsigned ncores,
			    const int *proc_node, unsigned nprocs,
			    unsigned *ret_owner)
{
	if (!nprocs || ncores < nprocs)
		return SHARE_NOTHING;
	if (!can_be_near(cores, ncores, proc_node, nprocs)) {
		for (unsigned c = 0; c < ncores; c++)
			ret_owner[c] = part_of(c, ncores, nprocs);
		return SHARE_EQUAL;
	}
	for (unsigned first = 0, n; first < ncores; first += n) {
		for (n = 1; first + n < ncores; n++)
			if (cores[first + n].node != cores[first].node)
				break;
		share_node(cores, ncores, first, n, proc_node, nprocs,
			   ret_owner);
	}
	return SHARE_NEAR;
}

unsigned share_of_task(const struct job *job, unsigned ncores)
{
	unsigned n = ncores;

	if (job->cpus_per_task && job->cpus_per_task < n)
		n = job->cpus_per_task;
	if (job->cpus_on_node && job->cpus_on_node / job->local_ntasks < n)
		n = job->cpus_on_node / job->local_ntasks;
	return n || !ncores ? n : 1;
}

unsigned share_of_process(unsigned ncores, unsigned nprocs)
{
	if (!nprocs)
		return 0; /* a task that only waits: run-on=first */
	return ncores && ncores < nprocs ? 1 : ncores / nprocs;
}
