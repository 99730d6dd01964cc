/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/dryrun/dryrun_step.h"

#include "core/ascend/inventory.h"
#include "core/base/text.h"
#include "core/plan/framework.h"
#include "core/plan/resolve.h"
#include "core/plan/step_order.h"
#include "sys/text_file.h"

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

static int make_order(const struct request *request, const struct resolved *w,
		      struct dryrun *e, struct err *err)
{
	struct step_tasks step = {e->tasks_text, e->taskmap, e->ntasks,
				  request};
	bool slurms;

	if (!w->by_topology)
		return 0;
	if (step_order(&e->topology, &step, w, &e->order, &slurms, err) < 0)
		return -1;
	if (!e->order)
		return 0;
	if (node_order_parse(e->order, e->nnodes, &e->places, NULL, err) < 0)
		return -1;
	return sort_tasks(e, &e->places, err);
}

static int read_slurms(const char *path, struct dryrun *e, struct err *err)
{
	cleanup_free char *text = text_stream_read(path, FILE_MAX, err);

	return text ? topology_read(text, e->nodes, &e->topology, err) : -1;
}

/* As srun does (spank/srun/ask_order.c). */
static int add_domains(const char *path, FILE *notes, struct dryrun *e,
		       struct err *err)
{
	cleanup_free char *text = NULL;
	struct inventory_domains domains;
	struct err why;
	int rc = 0;

	text = text_file_read(path, INVENTORY_MAX, &why);
	if (!text) {
		fprintf(notes,
			"super pods and NVLink domains aren't known here: %s\n",
			why.text);
		return 0;
	}
	if (inventory_domains_read(text, path, e->nodes, &domains, err) < 0)
		return -1;
	for (int k = 0; rc == 0 && k < INVENTORY_DOMAINS; k++)
		rc = topology_enclose(
			&e->topology,
			inventory_domain_word((enum inventory_domain)k),
			domains.name[k], domains.n, err);
	inventory_domains_clear(&domains);
	return rc;
}

/* Where srun would read it (spank/srun/hand_over.c). */
static bool wants_inventory(const struct resolved *w, const struct dryrun *e)
{
	bool devices = false;

	for (unsigned i = 0; i < e->nnodes; i++)
		devices |= e->devices[i] > 0;
	return w->npu || (w->needs & NEEDS_DEVICES && devices);
}

static int read_files(const char *path, const struct config *c,
		      const struct resolved *w, FILE *notes, struct dryrun *e,
		      struct err *err)
{
	if (path && read_slurms(path, e, err) < 0)
		return -1;
	if (c->inventory && (path || w->by_topology || w->groups) &&
	    wants_inventory(w, e) &&
	    add_domains(c->inventory, notes, e, err) < 0)
		return -1;
	if (!path || topology_is_known(&e->topology))
		return 0;
	return err_printf(err,
			  "--topology: no SwitchName= and no BlockName= "
			  "there has one of the nodes %.200s; take what "
			  "scontrol show topology prints, or "
			  "topology.conf",
			  e->nodes);
}

int dryrun_order_read(const char *path, const struct request *request,
		      const struct config *config, FILE *notes,
		      struct dryrun *e, struct err *err)
{
	const char *why_not;
	struct resolved w;

	resolve(request, NULL, &w);
	why_not = step_order_no_effect(request, &w);
	if (why_not)
		fprintf(notes, "%s\n", why_not);
	if (read_files(path, config, &w, notes, e, err) < 0)
		return -1;
	if (!path && w.by_topology && e->nnodes > 1)
		fprintf(notes,
			"order=topology: %s; --topology=FILE has what scontrol "
			"show topology prints\n",
			e->topology.nnodes
				? "only the inventory's domains are known"
				: "Slurm's own order is shown");
	return e->topology.nnodes ? make_order(request, &w, e, err) : 0;
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
