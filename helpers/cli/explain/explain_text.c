/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/explain_show.h"

#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "core/groups/groups_report.h"
#include "core/plan/plan.h"

#include <string.h>

#define PART_SEPARATOR "\n"

int explain_examples(struct dryrun_view *view, char ret[EXPLAIN_TEXT_SIZE],
		     struct err *err)
{
	const struct coordinator *c = &view->plan.coordinator;
	const struct request *r = view->request;

	if (dryrun_view_task(view, 0, err) < 0)
		return -1;
	ret[0] = '\0';
	if (c->addr && c->addr == view->job.rank0_addr)
		text_add(ret, EXPLAIN_TEXT_SIZE, PART_SEPARATOR,
			 "%s stands for the address of %s", c->addr,
			 view->job.rank0_node);
	if (c->addr && c->addr == view->job.nic_addr)
		text_add(ret, EXPLAIN_TEXT_SIZE, PART_SEPARATOR,
			 "%s stands for the address of %s on %s", c->addr,
			 request_text(r, KEY_ADDR), view->job.rank0_node);
	else if (view->job.nnodes > 1 && view->plan.resolved.find_nic)
		text_add(ret, EXPLAIN_TEXT_SIZE, PART_SEPARATOR,
			 "%s stands for the interface that routes to "
			 "rank 0",
			 view->job.nic);
	if (c->addr && c->port_kind == PORT_DERIVED)
		text_add(ret, EXPLAIN_TEXT_SIZE, PART_SEPARATOR,
			 "port %u is computed for job %lu, step %lu (where "
			 "Slurm reserves ports for steps, the first of them is "
			 "used)",
			 c->port, view->job.job_id, view->job.step_id);
	return 0;
}

int explain_remark(struct dryrun_view *view, char ret[EXPLAIN_TEXT_SIZE],
		   struct err *err)
{
	const struct dryrun *e = view->example;
	struct process process;

	ret[0] = '\0';
	for (unsigned procid = 0; procid < e->ntasks; procid++) {
		if (e->task[dryrun_task_at(e, procid)].node != e->task[0].node)
			continue;
		if (dryrun_view_task(view, procid, err) < 0)
			return -1;
		for (unsigned i = 0; i < view->plan.nprocs; i++) {
			if (plan_process(&view->plan, i, &process, err) < 0)
				return -1;
			if (plan_remark(&view->plan, &process, ret,
					EXPLAIN_TEXT_SIZE))
				return 0;
		}
	}
	if (view->plan.start_command)
		snprintf(ret, EXPLAIN_TEXT_SIZE,
			 "the program runs once, on %s; its %s starts these "
			 "processes",
			 view->job.rank0_node, view->plan.start_command);
	return 0;
}

static int view_row(struct dryrun_view *view, unsigned rank,
		    struct explain_row *ret, struct err *err)
{
	struct process process;
	unsigned index;

	if (dryrun_view_rank(view, rank, err) < 0)
		return -1;
	index = rank - view->plan.first_rank;
	if (plan_process(&view->plan, index, &process, err) < 0)
		return -1;
	snprintf(ret->node, sizeof(ret->node), "%s", view->job.node_name);
	ret->local_rank = process.local_rank;
	plan_devices_on_node(&view->plan, index, &ret->devices);
	ret->role = process.role;
	ret->more[0] = '\0';
	return 0;
}

/* A table of the step's processes, with its groups. */
struct table {
	struct dryrun_view *view;
	struct dryrun_groups groups;
};

static int table_row(void *arg, unsigned rank, struct explain_row *ret,
		     struct err *err)
{
	const struct table *t = arg;
	const struct dryrun_view *view = t->view;
	char kind[GROUPS_MARK_SIZE];
	unsigned bits;

	if (view_row(t->view, rank, ret, err) < 0)
		return -1;
	bits = dryrun_groups_of(&t->groups, rank,
				view->example->task[view->procid].node);
	/* Ranks in groups are what these processes start. */
	if (view->plan.resolved.launches || view->plan.resolved.run_first)
		bits = 0;
	for (unsigned k = 0; bits >> k; k++)
		if (bits >> k & 1)
			text_add(ret->more, sizeof(ret->more), ", ", "%s",
				 groups_mark_text(&t->groups.report, k, kind));
	return 0;
}

/* Which nodes have no place at the start. */
static int print_spares(FILE *f, const struct dryrun_view *view,
			struct err *err)
{
	unsigned n = view->plan.resolved.spares;
	char **names = dryrun_view_spares(view);
	cleanup_free char *spares = names ? hostnames_text(names, n) : NULL;

	hostnames_free(names);
	if (n && !spares)
		return err_memory(err);
	if (n)
		fprintf(f, "\n%s in reserve: %s\n", n == 1 ? "spare" : "spares",
			spares);
	return 0;
}

static int print_place(void *arg, const char *where, const char *nodes)
{
	return fprintf(arg, "  %s: %s\n", where, nodes) < 0 ? -1 : 0;
}

static int print_topology(FILE *f, const struct dryrun_view *view,
			  struct err *err)
{
	const struct dryrun *e = view->example;

	if (!e->topology.nnodes)
		return 0;
	fprintf(f,
		"\nBlocks and switches, in the order of the world's nodes:\n");
	return dryrun_order_each(e, print_place, f) < 0 ? err_memory(err) : 0;
}

/* "3 of 8 cross a block, 4 a switch". */
static void print_group(FILE *f, const struct groups_report *r, unsigned k)
{
	static const char *const name[] = {
		[GROUPS_BLOCK] = "block", [GROUPS_SWITCH] = "switch"};
	const char *between = ":";

	fprintf(f, "  %s, %u ranks each: %u groups", r->groups.kind[k].name,
		r->groups.kind[k].size, r->ranks.n / r->groups.kind[k].size);
	for (int i = 0; i < GROUPS_LEVELS; i++) {
		if (!r->known[i])
			continue;
		fprintf(f, "%s %u cross a %s", between,
			r->now[i].kind[k].ncross, name[i]);
		between = ",";
	}
	fputs("\n", f);
}

static void print_groups(FILE *f, const struct dryrun_view *view,
			 const struct groups_report *r)
{
	char line[GROUPS_LINE_SIZE];

	if (r->groups.n)
		fputs("\nParallel groups:\n", f);
	for (unsigned k = 0; k < r->groups.n; k++)
		print_group(f, r, k);
	if (*groups_line(r, r->near, view->example->nodes, line))
		fprintf(f, "  %s\n", line);
}

static int print_table(FILE *f, struct table *t, struct err *err)
{
	struct dryrun_view *view = t->view;
	cleanup_free char *text =
		explain_layout(view->plan.world_size, table_row, t, err);

	if (!text || dryrun_view_rank(view, 0, err) < 0)
		return -1;
	explain_put_summary(f, &view->plan);
	fprintf(f, "\n\n%s", text);
	if (print_topology(f, view, err) < 0)
		return -1;
	print_groups(f, view, &t->groups.report);
	return print_spares(f, view, err);
}

static int print_layout(FILE *f, struct dryrun_view *view, struct err *err)
{
	struct table t = {.view = view};
	int rc;

	if (dryrun_view_task(view, 0, err) < 0 ||
	    dryrun_groups_mark(view, &t.groups, err) < 0)
		return -1;
	rc = print_table(f, &t, err);
	dryrun_groups_clear(&t.groups);
	return rc;
}

/* Whether a task may have another value than those before it in a variable
 * that hasn't differed so far: the first ones, the first that isn't its node's
 * first, the last, and wherever a node of another size begins. */
static bool is_worth_a_look(const struct dryrun *e, unsigned ntasks,
			    unsigned procid, bool *second)
{
	const struct dryrun_task *t = &e->task[dryrun_task_at(e, procid)];
	unsigned last =
		procid ? e->task[dryrun_task_at(e, procid - 1)].node : t->node;
	bool first_second = t->local == 1 && !*second;

	*second = *second || t->local == 1;
	return procid < 2 || procid + 1 == ntasks || first_second ||
	       e->tasks[t->node] != e->tasks[last] ||
	       e->devices[t->node] != e->devices[last];
}

/* This rank and those that are worth a look, into an array that has room. */
static int find_ranks(struct dryrun_view *view, unsigned rank, unsigned *ret,
		      unsigned *ret_n, struct err *err)
{
	unsigned ntasks = view->job.ntasks; /* without the spares' */
	bool second = false;

	ret[0] = rank;
	*ret_n = 1;
	for (unsigned p = 0; p < ntasks; p++) {
		unsigned n, first;

		if (!is_worth_a_look(view->example, ntasks, p, &second))
			continue;
		if (dryrun_view_task(view, p, err) < 0)
			return -1;
		n = view->plan.nprocs;
		first = view->plan.first_rank;
		for (unsigned i = 0; i < n; i += i == 1 && n > 3 ? n - 2 : 1)
			ret[(*ret_n)++] = first + i;
	}
	return 0;
}

static int print_process(FILE *f, struct dryrun_view *view, unsigned rank,
			 unsigned flags, struct err *err)
{
	cleanup_process struct process_view p = {0};
	cleanup_common struct process_common c = {0};
	cleanup_free unsigned *ranks =
		calloc(view->plan.world_size + 1, sizeof(*ranks));
	cleanup_free bool *differs = NULL;
	cleanup_free char *text = NULL;
	unsigned n;

	if (!ranks)
		return err_memory(err);
	if (find_ranks(view, rank, ranks, &n, err) < 0 ||
	    process_common_make(view, ranks, n, &c, err) < 0 ||
	    process_view_make(view, rank, &p, err) < 0)
		return -1;
	differs = calloc(p.set.n + 1, sizeof(*differs));
	if (!differs)
		return err_memory(err);
	for (size_t i = 0; i < p.set.n; i++)
		differs[i] = !process_common_has(&c, p.set.entry[i].name);
	text = explain_process(&view->plan, &p.process, &p.set, differs, flags,
			       err);
	if (!text)
		return -1;
	fprintf(f, "\n%s", text);
	return 0;
}

int explain_text(FILE *f, struct dryrun_view *view, unsigned rank,
		 unsigned flags, struct err *err)
{
	if (print_layout(f, view, err) < 0 ||
	    print_process(f, view, rank, flags, err) < 0)
		return -1;
	if (view->plan.world_size > 1)
		fputs("\n* another value for other ranks\n", f);
	return 0;
}

void explain_ends(FILE *f, const char *examples, const char *remark)
{
	if (*examples)
		fputs("\nExample values:\n", f);
	text_lines_put(f, examples, "  ", "  ");
	if (*remark)
		fprintf(f, "\nRemark:\n  %s\n", remark);
}
