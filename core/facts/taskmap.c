/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/taskmap.h"

#include "core/base/runlength.h"

#include <stdlib.h>
#include <string.h>

static void deal_blocks(const unsigned *tasks, unsigned nnodes, unsigned ntasks,
			unsigned *node)
{
	unsigned task = 0;

	for (unsigned i = 0; i < nnodes; i++)
		for (unsigned k = 0; k < tasks[i] && task < ntasks; k++)
			node[task++] = i;
}

static void deal_in_turn(const unsigned *tasks, unsigned nnodes,
			 unsigned ntasks, unsigned *node)
{
	unsigned task = 0;

	for (unsigned round = 0; task < ntasks; round++)
		for (unsigned i = 0; i < nnodes && task < ntasks; i++)
			if (round < tasks[i])
				node[task++] = i;
}

/* Number the tasks of each node. Returns 0, or -1 when a node has another
 * number of tasks than `tasks` says. */
static int number_tasks(const unsigned *node, unsigned ntasks,
			const unsigned *tasks, unsigned nnodes,
			struct task_place *ret)
{
	cleanup_free unsigned *n = calloc(nnodes, sizeof(*n));

	if (!n)
		return -1;
	for (unsigned i = 0; i < ntasks; i++) {
		if (node[i] >= nnodes || n[node[i]] == tasks[node[i]])
			return -1;
		ret[i] = (struct task_place){node[i], n[node[i]]++};
	}
	return 0;
}

static unsigned long sum(const unsigned *tasks, unsigned nnodes)
{
	unsigned long total = 0;

	for (unsigned i = 0; i < nnodes; i++)
		total += tasks[i];
	return total;
}

struct task_place *taskmap_make(const char *text, const char *taskmap,
				unsigned ntasks, unsigned nnodes,
				struct err *err)
{
	cleanup_free unsigned *tasks = calloc(nnodes, sizeof(*tasks));
	cleanup_free unsigned *node = calloc(ntasks, sizeof(*node));
	struct task_place *place = calloc(ntasks, sizeof(*place));
	int rc = -1;

	if (!tasks || !node || !place) {
		free(place);
		return err_memory_null(err);
	}
	if (runlength_expand(text, nnodes, tasks) == 0 &&
	    sum(tasks, nnodes) == ntasks) {
		rc = 0;
		if (!taskmap)
			deal_blocks(tasks, nnodes, ntasks, node);
		else if (!strcmp(taskmap, TASKMAP_CYCLIC))
			deal_in_turn(tasks, nnodes, ntasks, node);
		else
			rc = runlength_expand(taskmap, ntasks, node);
	}
	if (rc == 0 && number_tasks(node, ntasks, tasks, nnodes, place) == 0)
		return place;
	free(place);
	err_printf(err,
		   "the map of %u tasks on %u nodes contradicts "
		   "SLURM_STEP_TASKS_PER_NODE",
		   ntasks, nnodes);
	return NULL;
}

int taskmap_describe(const unsigned *node, unsigned ntasks, const char *text,
		     unsigned nnodes, char **ret, struct err *err)
{
	cleanup_free unsigned *tasks = calloc(nnodes, sizeof(*tasks));
	cleanup_free unsigned *other = calloc(ntasks, sizeof(*other));

	*ret = NULL;
	if (!tasks || !other)
		return err_memory(err);
	if (runlength_expand(text, nnodes, tasks) < 0 ||
	    sum(tasks, nnodes) != ntasks)
		return err_printf(
			err, "the step's layout doesn't have %u tasks", ntasks);
	deal_blocks(tasks, nnodes, ntasks, other);
	if (!memcmp(node, other, ntasks * sizeof(*node)))
		return 0;
	deal_in_turn(tasks, nnodes, ntasks, other);
	if (!memcmp(node, other, ntasks * sizeof(*node)))
		*ret = strdup(TASKMAP_CYCLIC);
	else
		*ret = runlength_text(node, ntasks);
	return *ret ? 0 : err_memory(err);
}
