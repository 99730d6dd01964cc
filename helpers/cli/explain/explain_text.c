/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/explain_text.h"

#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "core/plan/explain.h"
#include "core/plan/framework.h"
#include "core/plan/plan_process.h"
#include "core/plan/plan_remark.h"
#include "core/plan/process_env.h"

#include <stdarg.h>
#include <string.h>

#define PART_SEPARATOR "; "

static void cleanup_envset_fn(struct envset *set)
{
	envset_clear(set);
}

#define cleanup_envset __attribute__((cleanup(cleanup_envset_fn)))

static char *look_up_nothing(void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return NULL;
}

/* The index-th process of the view's task and its resolved environment. */
static int make_process(const struct dryrun_view *view, unsigned index,
			struct process *ret_process, struct envset *ret_set,
			struct err *err)
{
	if (plan_process(&view->plan, index, ret_process, err) < 0 ||
	    process_env(&view->plan, ret_process, ret_set, err) < 0)
		return -1;
	envset_resolve(ret_set, look_up_nothing, NULL, false, false);
	return 0;
}

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
		if (e->task[procid].node != e->task[0].node)
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

int explain_view_row(void *arg, unsigned rank, struct explain_row *ret,
		     struct err *err)
{
	struct dryrun_view *view = arg;
	struct process process;

	if (dryrun_view_rank(view, rank, err) < 0 ||
	    plan_process(&view->plan, rank - view->plan.first_rank, &process,
			 err) < 0)
		return -1;
	snprintf(ret->node, sizeof(ret->node), "%s", view->job.node_name);
	ret->local_rank = process.local_rank;
	ret->devices = process.devices.own;
	ret->role = process.role;
	return 0;
}

static int print_layout(FILE *f, struct dryrun_view *view, struct err *err)
{
	cleanup_free char *text = NULL;
	unsigned n = view->plan.world_size;

	text = explain_layout(n, explain_view_row, view, err);
	if (!text)
		return -1;
	fprintf(f, "%s: %s mode, %u process%s on %u node%s\n\n%s",
		view->request->framework->name,
		view->plan.resolved.device_mode ? "device" : "task", n,
		n == 1 ? "" : "es", view->plan.nnodes,
		view->plan.nnodes == 1 ? "" : "s", text);
	return 0;
}

/* Whether a task may have another value than those before it in a variable
 * that hasn't differed so far: the first ones, the first that isn't its node's
 * first, the last, and wherever a node of another size begins. */
static bool is_worth_a_look(const struct dryrun *e, unsigned procid,
			    bool *second)
{
	const struct dryrun_task *t = &e->task[procid];
	unsigned last = procid ? t[-1].node : t->node;
	bool first_second = t->local == 1 && !*second;

	*second = *second || t->local == 1;
	return procid < 2 || procid + 1 == e->ntasks || first_second ||
	       e->tasks[t->node] != e->tasks[last] ||
	       e->devices[t->node] != e->devices[last];
}

/* Mark the entries of `set` for which the index-th process of the view's task
 * has another value. */
static int mark_process(const struct dryrun_view *view, unsigned index,
			const struct envset *set, bool *differs,
			struct err *err)
{
	cleanup_envset struct envset other = {0};
	struct process process;

	if (make_process(view, index, &process, &other, err) < 0)
		return -1;
	for (size_t i = 0; i < set->n; i++) {
		const char *value = set->entry[i].value;
		const struct env_entry *e;

		e = envset_find(&other, set->entry[i].name);
		if (!e || !e->value != !value ||
		    (value && strcmp(e->value, value) != 0))
			differs[i] = true;
	}
	return 0;
}

static int mark(struct dryrun_view *view, const struct envset *set,
		bool *differs, struct err *err)
{
	bool second = false;

	for (unsigned p = 0; p < view->example->ntasks; p++) {
		unsigned n;

		if (!is_worth_a_look(view->example, p, &second))
			continue;
		if (dryrun_view_task(view, p, err) < 0)
			return -1;
		n = view->plan.nprocs;
		if (mark_process(view, 0, set, differs, err) < 0 ||
		    (n > 1 && mark_process(view, 1, set, differs, err) < 0) ||
		    (n > 2 && mark_process(view, n - 1, set, differs, err) < 0))
			return -1;
	}
	return 0;
}

static int print_process(FILE *f, struct dryrun_view *view, unsigned rank,
			 struct err *err)
{
	cleanup_envset struct envset set = {0};
	cleanup_free bool *differs = NULL;
	cleanup_free char *text = NULL;
	struct process process;

	if (dryrun_view_rank(view, rank, err) < 0 ||
	    make_process(view, rank - view->plan.first_rank, &process, &set,
			 err) < 0)
		return -1;
	differs = calloc(set.n + 1, sizeof(*differs));
	if (!differs)
		return err_memory(err);
	if (mark(view, &set, differs, err) < 0 ||
	    dryrun_view_rank(view, rank, err) < 0)
		return -1;
	text = explain_process(&view->plan, &process, &set, differs, err);
	if (!text)
		return -1;
	fprintf(f, "\n%s", text);
	return 0;
}

/* One line for each part of the list. */
static void print_examples(FILE *f, const char *list)
{
	fputs("\nExample values:\n", f);
	while (*list) {
		const char *end = strstr(list, PART_SEPARATOR);
		int len = end ? (int)(end - list) : (int)strlen(list);

		fprintf(f, "  %.*s\n", len, list);
		list += len + (end ? (int)strlen(PART_SEPARATOR) : 0);
	}
}

int explain_text(FILE *f, struct dryrun_view *view, unsigned rank,
		 const char *examples, const char *remark, struct err *err)
{
	if (print_layout(f, view, err) < 0 ||
	    print_process(f, view, rank, err) < 0)
		return -1;
	if (view->plan.world_size > 1)
		fputs("\n* another value for other ranks\n", f);
	if (*examples)
		print_examples(f, examples);
	if (*remark)
		fprintf(f, "\nRemark:\n  %s\n", remark);
	return 0;
}
