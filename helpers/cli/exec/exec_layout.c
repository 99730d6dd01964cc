/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which task is on which node, where Slurm may have dealt out the tasks by its
 * topology (since 26.05): no variable tells, and `sattach --layout` does. It
 * asks stepmgr or Slurm's controller.
 */
#include "core/base/hostlist.h"
#include "core/base/parse.h"
#include "core/facts/handover.h"
#include "core/facts/taskmap.h"
#include "helpers/cli/exec/exec.h"
#include "helpers/visit/step_find.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "Node 1 (node2), 2 task(s): 0 1 " */
static int read_line(const char *line, const struct job *job, unsigned *node,
		     unsigned *ret_n)
{
	const char *at = strstr(line, "task(s):");
	unsigned long number, task;

	if (!at || strncmp(line, "Node ", 5) != 0)
		return 0;
	line += 5;
	if (digits_read(&line, UINT_MAX, &number) < 0 || number >= job->nnodes)
		return -1;
	at += strlen("task(s):");
	for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
		if (digits_read(&at, UINT_MAX, &task) < 0 ||
		    task >= job->ntasks)
			return -1;
		node[task] = (unsigned)number;
		++*ret_n;
	}
	return 0;
}

int exec_layout_read(char *text, const struct job *job, unsigned *node)
{
	char *save = NULL;
	unsigned n = 0;

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		if (read_line(line + strspn(line, " \t"), job, node, &n) < 0)
			return -1;
	return n == job->ntasks ? 0 : -1;
}

static int put(const struct job *job, const unsigned *node, struct err *err)
{
	cleanup_free char *map = NULL;
	char name[HOSTLIST_NAME_MAX];

	if (hostlist_nth(job->nodes, node[0], name) < 0 ||
	    taskmap_describe(node, job->ntasks, job->tasks, job->nnodes, &map,
			     err) < 0 ||
	    exec_env_set(NULL, HANDOVER_NODE, name, err) < 0)
		return -1;
	return exec_env_set(NULL, HANDOVER_TASKMAP, map, err);
}

int exec_layout_put(const struct job *job, bool *ret_known, struct err *err)
{
	const char *pattern = getenv("SLURM_TOPOLOGY_ADDR_PATTERN");
	cleanup_free unsigned *node = NULL;
	cleanup_free char *text = NULL;
	char step[64];

	*ret_known = false;
	if (job->nnodes == 1 || job->het || !job->nodes || !job->tasks ||
	    !getenv("SLURM_JOB_SLUID") || !pattern || !strcmp(pattern, "node"))
		return 0;
	node = calloc(job->ntasks, sizeof(*node));
	if (!node)
		return err_memory(err);
	snprintf(step, sizeof(step), "%lu.%lu", job->job_id, job->step_id);
	text = sattach_layout(step);
	if (!text || exec_layout_read(text, job, node) < 0)
		return err_printf(
			err, "where task 0 is isn't known: Slurm deals out "
			     "tasks by its topology here, and sattach --layout "
			     "doesn't tell; use srun --distribution=cyclic");
	*ret_known = true;
	return put(job, node, err);
}
