/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The word cpus=: worlds with it get so many of the CPUs that this node's task
 * may use, in the order of the file, the others share what is left, or all
 * where nothing is. Frameworks divide their part as they divide a task's.
 */
#include "helpers/roles/agent.h"

#include <stdbool.h>

static const struct role_line *line_of(const struct agent *a, unsigned world)
{
	return &a->file.role[a->roles.world[world].role];
}

/* Move the next n of `from` to `to`, if given. Returns whether there were so
 * many. */
static bool take(cpu_set_t *from, unsigned n, cpu_set_t *to)
{
	for (int cpu = 0; n && cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, from))
			continue;
		CPU_CLR(cpu, from);
		if (to)
			CPU_SET(cpu, to);
		n--;
	}
	return !n;
}

int cpu_part(const struct agent *a, unsigned world, cpu_set_t *ret,
	     struct err *err)
{
	cpu_set_t all, left, own;
	unsigned index;

	CPU_ZERO(&own);
	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		return err_printf(err, "the node's CPUs aren't known: %m");
	left = all;
	for (unsigned w = 0; w < a->roles.n; w++) {
		const struct role_line *line = line_of(a, w);

		if (line->cpus && here_has(a, w, &index) &&
		    !take(&left, line->cpus, w == world ? &own : NULL))
			return role_fault(
				&a->file, line->key_at[LINE_CPUS], err,
				"cpus=%u: on node %s the step has %d CPUs, "
				"which aren't enough for its worlds there; "
				"srun --cpus-per-task=N asks for more",
				line->cpus, a->job.node_name, CPU_COUNT(&all));
	}
	*ret = line_of(a, world)->cpus ? own : CPU_COUNT(&left) ? left : all;
	return 0;
}
