/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/dryrun/dryrun_order.h"

#include "core/base/cleanup.h"
#include "core/base/hostnames.h"
#include "core/base/text.h"
#include "core/facts/node_order.h"
#include "core/plan/resolve.h"
#include "core/plan/step_order.h"
#include "core/topology/topology_read.h"
#include "sys/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX (64UL << 20)

/* The tasks in the order of ranks: node by node. */
static int sort_tasks(struct dryrun *e, const struct places *places,
		      struct err *err)
{
	cleanup_free unsigned *first = calloc(e->nnodes, sizeof(*first));
	unsigned n = 0;

	e->in_world = calloc(e->ntasks, sizeof(*e->in_world));
	if (!first || !e->in_world)
		return err_memory(err);
	for (unsigned i = 0; i < places->n; i++) {
		first[places->node[i]] = n;
		n += e->tasks[places->node[i]];
	}
	for (unsigned t = 0; t < e->ntasks; t++)
		e->in_world[first[e->task[t].node] + e->task[t].local] = t;
	return 0;
}

static int make_order(const struct request *request, struct dryrun *e,
		      struct err *err)
{
	struct step_tasks step = {e->tasks_text, e->taskmap, e->ntasks,
				  request};
	struct resolved w;

	resolve(request, NULL, &w);
	if (!w.by_topology ||
	    step_order(&e->topology, &step, &w, &e->order, err) < 0)
		return w.by_topology ? -1 : 0;
	if (!e->order)
		return 0;
	if (node_order_parse(e->order, e->nnodes, &e->places, NULL, err) < 0)
		return -1;
	return sort_tasks(e, &e->places, err);
}

int dryrun_order_read(const char *path, const struct request *request,
		      struct dryrun *e, struct err *err)
{
	cleanup_free char *text = text_stream_read(path, FILE_MAX, err);

	if (!text || topology_read(text, e->nodes, &e->topology, err) < 0)
		return -1;
	if (!topology_is_known(&e->topology))
		return err_printf(
			err,
			"--topology: no SwitchName= and no BlockName= "
			"there has one of the nodes %.200s; take what "
			"scontrol show topology prints, or "
			"topology.conf",
			e->nodes);
	return make_order(request, e, err);
}

unsigned dryrun_task_at(const struct dryrun *e, unsigned i)
{
	return e->in_world ? e->in_world[i] : i;
}

unsigned dryrun_node_at(const struct dryrun *e, unsigned place)
{
	return e->order ? e->places.node[place] : place;
}

/* --- for a person --- */

static const unsigned *path_of(const struct topology *t, unsigned node)
{
	return t->path + (size_t)node * t->depth;
}

static void path_text(const struct topology *t, unsigned node, char *buf,
		      size_t size)
{
	const unsigned *path = path_of(t, node);

	*buf = '\0';
	for (unsigned i = 0; i < t->depth; i++)
		if (path[i] != TOPOLOGY_NONE && (!i || path[i] != path[i - 1]))
			text_add(buf, size, ", ", "%s",
				 topology_name(t, path[i]));
	if (!*buf)
		snprintf(buf, size, "?");
}

int dryrun_order_each(const struct dryrun *e,
		      int (*each)(void *arg, const char *where,
				  const char *nodes),
		      void *arg)
{
	const struct topology *t = &e->topology;
	char **name = t->nnodes ? hostnames_make(e->nodes, e->nnodes) : NULL;
	cleanup_free char **run = calloc(e->nnodes, sizeof(*run));
	int rc = !t->nnodes || (name && run) ? 0 : -1;
	char where[512];

	for (unsigned i = 0, n; rc == 0 && i < t->nnodes; i += n) {
		unsigned first = dryrun_node_at(e, i), next = first;
		cleanup_free char *nodes = NULL;

		for (n = 0; !memcmp(path_of(t, first), path_of(t, next),
				    t->depth * sizeof(*t->path));) {
			run[n++] = name[next];
			if (i + n == t->nnodes)
				break;
			next = dryrun_node_at(e, i + n);
		}
		nodes = hostnames_text(run, n);
		path_text(t, first, where, sizeof(where));
		rc = nodes ? each(arg, where, nodes) : -1;
	}
	hostnames_free(name);
	return rc;
}

const char *dryrun_order_unit(const struct dryrun *e, unsigned node)
{
	const struct topology *t = &e->topology;
	unsigned unit;

	if (!t->nnodes)
		return NULL;
	unit = t->block_depth ? topology_block(t, node)
			      : topology_switch(t, node);
	return unit == TOPOLOGY_NONE ? NULL : topology_name(t, unit);
}
