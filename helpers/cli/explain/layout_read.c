/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/layout.h"

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/plan/framework.h"
#include "core/plan/plan.h"
#include "core/plan/procmap.h"

#include <stdlib.h>
#include <string.h>

/* A layout that is being read. */
struct reading {
	struct layout *l;
	struct dryrun_view *view;
	unsigned *node_of; /* index by the step's node and one; 0: none yet */
};

/* "dev 3", "dev 0-3", "5 devices". */
static void show_devices(const struct idlist *ids, char *buf, size_t size)
{
	unsigned n = ids->n;

	*buf = '\0';
	if (n == 1)
		snprintf(buf, size, "dev %u", ids->id[0]);
	else if (n && ids->id[n - 1] - ids->id[0] == (int)n - 1)
		snprintf(buf, size, "dev %u-%u", ids->id[0], ids->id[n - 1]);
	else if (n)
		snprintf(buf, size, "%u devices", n);
}

static struct layout_item *
add_item(struct reading *rd, const struct layout_item *item, struct err *err)
{
	struct layout *l = rd->l;

	if (!array_append(&l->item, l->nitems, sizeof(*l->item)))
		return err_memory_null(err);
	l->item[l->nitems] = *item;
	if (item->kind == LAYOUT_SLOT)
		l->nslots++;
	else if (item->kind == LAYOUT_SERVICE)
		l->services = true;
	else
		l->role[item->role] = true;
	if (layout_is_bar(item->kind))
		l->node[item->node].nbars++;
	else
		l->node[item->node].ncells++;
	return &l->item[l->nitems++];
}

/* The layout's index of the view's node. */
static int find_node(struct reading *rd, unsigned *ret, struct err *err)
{
	const struct dryrun_view *view = rd->view;
	unsigned number = view->example->task[view->procid].node;
	const char *unit = dryrun_order_unit(view->example, number);
	unsigned *at = &rd->node_of[number];
	struct layout *l = rd->l;
	const char *source, *nic = plan_nic(&view->plan, &source);

	if (!*at) {
		struct layout_node *node = &l->node[l->nnodes];

		node->name = strdup(view->job.node_name);
		if (!node->name)
			return err_memory(err);
		if (unit)
			text_add(node->nic, sizeof(node->nic), "", "%s", unit);
		if (nic)
			text_add(node->nic, sizeof(node->nic), ", ", "%s", nic);
		node->equal = 1;
		node->spare = view->plan.spare;
		*at = ++l->nnodes;
	}
	*ret = *at - 1;
	return 0;
}

/* The service that this task has. */
static int read_service(struct reading *rd, unsigned node, struct err *err)
{
	const struct service *s = &rd->view->plan.service;
	struct layout_item item = {
		.kind = LAYOUT_SERVICE,
		.role = s->role,
		.node = node,
	};

	if (!rd->view->plan.serves || !s->here)
		return 0;
	return add_item(rd, &item, err) ? 0 : -1;
}

/* Whether one process runs the user's program, and that starts the others. */
static bool runs_once(const struct plan *plan)
{
	return plan->resolved.run_first || plan->request->framework->once;
}

/* What the node's or the step's own program starts there. */
static int read_started(struct reading *rd, unsigned node, struct err *err)
{
	const struct plan *plan = &rd->view->plan;
	const struct framework *fw = plan->request->framework;
	bool once = runs_once(plan);
	unsigned n = hostfile_own_slots(plan);
	struct layout_item item = {
		.kind = once ? LAYOUT_SLOT : LAYOUT_WORKER,
		.role = ROLE_WORKER,
		.node = node,
		.numbered = !once && !fw->args,
	};

	for (unsigned i = 0; i < n; i++) {
		item.local_rank = i;
		item.number = item.last = plan->node_rank * n + i;
		item.role_index = item.number;
		if (n == device_count(&plan->job->devices))
			snprintf(item.devices, sizeof(item.devices), "dev %u",
				 i);
		if (!add_item(rd, &item, err))
			return -1;
	}
	rd->l->nworkers += item.numbered ? n : 0;
	return 0;
}

static int read_process(struct reading *rd, unsigned node, unsigned index,
			struct err *err)
{
	const struct plan *plan = &rd->view->plan;
	struct layout_item item = {
		.kind = plan->resolved.launches || plan->resolved.run_first
				? LAYOUT_PROGRAM
				: LAYOUT_RANK,
		.node = node,
		.numbered = true,
	};
	struct idlist devices;
	struct process p;

	if (plan_process(plan, index, &p, err) < 0)
		return -1;
	rd->l->nread++;
	if (runs_once(plan) && p.rank)
		return 0; /* it waits for the end */
	plan_devices_on_node(plan, index, &devices);
	show_devices(&devices, item.devices, sizeof(item.devices));
	item.role = runs_once(plan) ? ROLE_LAUNCHER : p.role;
	item.number = item.last = p.rank;
	item.local_rank = p.local_rank;
	item.role_index = p.role_index;
	return add_item(rd, &item, err) ? 0 : -1;
}

static int read_task(struct reading *rd, unsigned procid, struct err *err)
{
	const struct plan *plan = &rd->view->plan;
	unsigned node = 0;

	if (dryrun_view_task(rd->view, procid, err) < 0 ||
	    find_node(rd, &node, err) < 0 || read_service(rd, node, err) < 0)
		return -1;
	for (unsigned i = 0; i < plan->nprocs; i++)
		if (read_process(rd, node, i, err) < 0)
			return -1;
	/* The room of a node is there once, however many of its tasks wait. */
	if (!plan->spare && !plan->job->localid &&
	    (plan->resolved.run_first || plan->resolved.launches))
		return read_started(rd, node, err);
	return 0;
}

/* By node, then bars, then cells, each in the order of its task. */
static int order_items(struct layout *l, struct err *err)
{
	cleanup_free size_t *bar = calloc(l->nnodes, sizeof(*bar));
	cleanup_free size_t *cell = calloc(l->nnodes, sizeof(*cell));
	struct layout_item *sorted = calloc(l->nitems + 1, sizeof(*sorted));
	size_t at = 0;

	if (!bar || !cell || !sorted) {
		free(sorted);
		return err_memory(err);
	}
	for (unsigned i = 0; i < l->nnodes; i++) {
		l->node[i].first = bar[i] = at;
		cell[i] = at += l->node[i].nbars;
		at += l->node[i].ncells;
	}
	for (size_t i = 0; i < l->nitems; i++) {
		const struct layout_item *item = &l->item[i];

		at = layout_is_bar(item->kind) ? bar[item->node]++
					       : cell[item->node]++;
		sorted[at] = *item;
	}
	free(l->item);
	l->item = sorted;
	return 0;
}

/* Items that are ranks in groups: a program that starts them isn't one. */
static void mark_items(struct reading *rd, const struct dryrun_groups *g)
{
	struct layout *l = rd->l;
	char *cure;

	for (unsigned k = 0; k < g->report.groups.n; k++)
		groups_mark_text(&g->report, k, l->crossing[k]);
	groups_line(&g->report, g->report.near, rd->view->example->nodes,
		    l->groups);
	while ((cure = strstr(l->groups, "; "))) {
		*cure++ = '\n';
		memmove(cure, cure + 1, strlen(cure));
	}
	for (unsigned node = 0; node < rd->view->example->nnodes; node++) {
		const struct layout_node *n = l->node + rd->node_of[node];
		struct layout_item *item;

		if (!rd->node_of[node])
			continue;
		n--;
		item = l->item + n->first + n->nbars;
		for (unsigned i = 0; i < n->ncells; i++)
			item[i].crosses =
				dryrun_groups_of(g, item[i].number, node);
	}
}

static int read_groups(struct reading *rd, struct err *err)
{
	struct dryrun_groups g;

	if (dryrun_groups_mark(rd->view, &g, err) < 0)
		return -1;
	mark_items(rd, &g);
	dryrun_groups_clear(&g);
	return 0;
}

/* Whether the coordinator is on rank 0's node, as far as the view, which is at
 * rank 0, can tell. */
static bool meets_at_rank0(const struct dryrun_view *view)
{
	const char *addr = view->plan.coordinator.addr;

	return addr &&
	       (addr == view->job.rank0_addr || addr == view->job.nic_addr ||
		(view->job.rank0_node && !strcmp(addr, view->job.rank0_node)));
}

/* A service answers at the coordinator's port where the step has one; else
 * rank 0 does. */
static void find_meeting(struct layout *l)
{
	for (size_t i = 0; i < l->nitems && l->meeting < 0; i++)
		if (l->item[i].kind == LAYOUT_SERVICE)
			l->meeting = (long)i;
	for (size_t i = 0; i < l->nitems && l->meeting < 0; i++)
		if (l->item[i].number == 0 && l->item[i].numbered)
			l->meeting = (long)i;
}

int layout_read(struct dryrun_view *view, struct layout *ret, struct err *err)
{
	const struct dryrun *e = view->example;
	cleanup_free unsigned *node_of = calloc(e->nnodes, sizeof(*node_of));
	struct reading rd = {.l = ret, .view = view, .node_of = node_of};

	*ret = (struct layout){
		.world_size = view->plan.world_size,
		.meeting = -1,
	};
	ret->node = calloc(e->nnodes, sizeof(*ret->node));
	if (!node_of || !ret->node)
		return err_memory(err);
	for (unsigned t = 0; t < e->ntasks && ret->nread < LAYOUT_RANKS_MAX;
	     t++)
		if (read_task(&rd, t, err) < 0)
			return -1;
	if (order_items(ret, err) < 0 || dryrun_view_task(view, 0, err) < 0 ||
	    read_groups(&rd, err) < 0)
		return -1;
	if (meets_at_rank0(view))
		find_meeting(ret);
	return 0;
}

void layout_clear(struct layout *l)
{
	for (unsigned i = 0; l->node && i < l->nnodes; i++)
		free(l->node[i].name);
	free(l->node);
	free(l->item);
	*l = (struct layout){.nnodes = 0};
}
