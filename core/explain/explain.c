/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of `explain`, for one process: where it runs, its coordinator,
 * and a table of its variables with value, source, and what becomes of the
 * user's value. The plugin and the launcher print it for explain=yes and
 * only, `dist-train explain` without a step.
 */
#include "core/explain/explain.h"

#include "core/base/runlength.h"
#include "core/base/text.h"
#include "core/base/text_table.h"
#include "core/env/process_env.h"
#include "core/facts/handover.h"
#include "core/plan/dialect.h"
#include "core/plan/framework.h"
#include "core/plan/procmap.h"

#include <stdlib.h>

#define DEVICES_SIZE (IDLIST_MAX * 6)

static const char *devices_text(const struct idlist *devices, char *buf,
				size_t size, const char *none)
{
	if (devices->n && idlist_format(devices, buf, size) == 0)
		return buf;
	return none;
}

static void put_rank(FILE *f, const struct plan *plan, const struct process *p)
{
	struct idlist devices;
	char buf[DEVICES_SIZE];

	plan_devices_on_node(plan, p->rank - plan->first_rank, &devices);

	fprintf(f,
		"rank %u of %u (%s) on %s: %s mode, local rank %u of %u, "
		"%s%s\n",
		p->rank, plan->world_size, role_name(p->role),
		plan->job->node_name,
		plan->resolved.device_mode ? "device" : "task", p->local_rank,
		plan->nodes_procs,
		devices.n == 0	 ? "no device"
		: devices.n == 1 ? "device "
				 : "devices ",
		devices_text(&devices, buf, sizeof(buf), ""));
}

/* What the dialect decides where the user hasn't. */
static void put_dialect(FILE *f, const struct request *r)
{
	if (!r->form)
		return;
	fprintf(f, "  dialect %s (%s)", r->dialect->name, r->form->platform);
	if (r->form->procs != PROCS_AUTO && !request_given(r, KEY_PROCS))
		fprintf(f, ": procs=%s",
			r->form->procs == PROCS_TASK ? "task" : "device");
	else if (r->form->first_node && !request_given(r, KEY_RUN_ON))
		fputs(": run-on=first", f);
	else if (r->form->launches)
		fputs(": the program runs once per node", f);
	fputc('\n', f);
}

static void put_who(FILE *f, const struct plan *plan, const struct process *p)
{
	char name[SERVICE_NAME_SIZE];

	if (p->added)
		fprintf(f, "service %s on %s\n", service_name(plan, name),
			plan->job->node_name);
	else
		put_rank(f, plan, p);
}

const char *explain_ladder(const struct ladder *l,
			   char buf[LADDER_SENTENCE_SIZE])
{
	static const char *const words[LADDER_MAX] = {
		[LADDER_REPLACE] = "a spare takes its place",
		[LADDER_REQUEUE] = "the job is requeued",
		[LADDER_FAIL] = "the step fails",
	};

	buf[0] = '\0';
	for (unsigned i = 0; i < l->n; i++)
		if (l->rung[i].what == LADDER_SHRINK)
			text_add(buf, LADDER_SENTENCE_SIZE, ", else ",
				 "the world shrinks, to %u node%s at the least",
				 l->rung[i].min,
				 l->rung[i].min == 1 ? "" : "s");
		else
			text_add(buf, LADDER_SENTENCE_SIZE, ", else ", "%s",
				 words[l->rung[i].what]);
	return buf;
}

static void put_recovery(FILE *f, const struct plan *plan)
{
	char text[LADDER_SENTENCE_SIZE];

	if (plan->resolved.recovery)
		fprintf(f, "  when a node is lost: %s\n",
			explain_ladder(&plan->resolved.ladder, text));
}

char *explain_spare(const struct plan *plan, struct err *err)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	if (!f)
		return err_memory_null(err);
	fprintf(f,
		"spare on %s: no process until it takes a lost node's place\n",
		plan->job->node_name);
	put_recovery(f, plan);
	return text_stream_end(&stream, 0, err);
}

/* Whether the user's program is to start the workers, one program per node. */
static bool starts_workers(const struct plan *plan)
{
	return plan->role == ROLE_LAUNCHER && !plan->resolved.run_first;
}

static void put_head(FILE *f, const struct plan *plan, const struct process *p)
{
	const struct coordinator *c = &plan->coordinator;
	char name[SERVICE_NAME_SIZE], keys[1024];

	if (starts_workers(plan) && !p->added)
		fprintf(f, "  it starts %u of the workers\n",
			hostfile_own_slots(plan));
	else if (plan->resolved.run_first && plan->nnodes > 1)
		fputs("  the program runs here alone; the other nodes wait for "
		      "what it starts there\n",
		      f);
	if (c->addr)
		fprintf(f, "  coordinator %s (%s), port %u (%s)\n", c->addr,
			c->addr_source, c->port, coordinator_port_source(c));
	if (plan->nreplicas && !p->added)
		fprintf(f,
			"  replica group %u of %u: rank %u of %u, which meet "
			"at %s port %u\n",
			p->world.replica, plan->nreplicas, p->world.rank,
			p->world.size, p->world.addr, plan->replica_port);
	if (!p->added)
		put_recovery(f, plan);
	if (plan->job->by_slurm && !p->added)
		fputs("  the launchers know each other by Slurm's tokens "
		      "(" AUTH_TYPE_SLURM ")\n",
		      f);
	if (plan->service.here && !p->added && p->rank == plan->first_rank)
		fprintf(f, "  service %s is started first\n",
			service_name(plan, name));
	if (p->place)
		fprintf(f, "  %s\n", p->place);
	put_dialect(f, plan->request);
	request_keys_text(plan->request, keys, sizeof(keys));
	if (*keys)
		fprintf(f, "  keys: %s\n", keys);
}

/* The arguments that the framework or the dialect appends to the program's own.
 */
static int put_args(FILE *f, const struct plan *plan, const struct process *p,
		    struct err *err)
{
	const struct dialect_form *form = plan->request->form;
	struct argset args = {0};
	int rc = process_args(plan, p, &args, err);

	if (rc == 0 && args.n) {
		fputs("  arguments after the program's own:", f);
		for (size_t i = 0; i < args.n; i++) {
			fputc(' ', f);
			explain_put_value(f, args.arg[i]);
		}
		fprintf(f, "  %s %s\n", form ? "dialect" : "framework",
			form ? plan->request->dialect->name
			     : plan->request->framework->name);
	}
	argset_clear(&args);
	return rc;
}

char *explain_process(const struct plan *plan, const struct process *process,
		      const struct envset *set, const bool *differs,
		      unsigned flags, struct err *err)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	int rc;

	if (!f)
		return err_memory_null(err);
	if (flags & EXPLAIN_COLOUR)
		fputs("\033[1m", f);
	put_who(f, plan, process);
	if (flags & EXPLAIN_COLOUR)
		fputs("\033[0m", f);
	put_head(f, plan, process);
	rc = put_args(f, plan, process, err);
	explain_put_env(f, plan, set, differs, flags);
	return text_stream_end(&stream, rc, err);
}

/* "8", or "8(x3),4" where nodes differ. */
static void put_slots(FILE *f, const struct hostfile *nodes)
{
	bool same = true;
	char *text;

	for (unsigned i = 1; i < nodes->n; i++)
		same = same && nodes->slots[i] == nodes->slots[0];
	text = same ? NULL : runlength_text(nodes->slots, nodes->n);
	if (text)
		fputs(text, f);
	else
		fprintf(f, "%u", nodes->n ? nodes->slots[0] : 0);
	free(text);
}

/* The program that starts the others: how many, and where. */
static void put_workers(FILE *f, const struct plan *plan)
{
	unsigned n = plan->world_size;
	cleanup_hostfile struct hostfile nodes = {0};
	struct err ignored;

	if (plan->resolved.run_first)
		fprintf(f, "the program runs once, on %s",
			plan->job->node_name);
	else
		fprintf(f, "%u launcher%s", n, n == 1 ? "" : "s");
	if (hostfile_find(plan, &nodes, &ignored) < 0)
		return;
	fputs(plan->resolved.run_first ? ", and may start " : " x ", f);
	put_slots(f, &nodes);
	if (plan->resolved.run_first)
		fputs(" on each node", f);
	else
		fprintf(f, " worker%s = world size %lu",
			nodes.total == nodes.n ? "" : "s", nodes.total);
}

void explain_put_summary(FILE *f, const struct plan *plan)
{
	unsigned n = plan->world_size;

	fprintf(f, "%s: ", plan->request->framework->name);
	if (starts_workers(plan) || plan->resolved.run_first)
		put_workers(f, plan);
	else
		fprintf(f, "%u process%s, %s mode", n, n == 1 ? "" : "es",
			plan->resolved.device_mode ? "device" : "task");
	fprintf(f, ", on %u node%s", plan->nnodes,
		plan->nnodes == 1 ? "" : "s");
}

static void add_row(struct text_table *t, unsigned rank,
		    const struct explain_row *r)
{
	char devices[DEVICES_SIZE];

	text_table_add(t, "%u", rank);
	text_table_add(t, "%s", r->node);
	text_table_add(t, "%u", r->local_rank);
	text_table_add(
		t, "%s",
		devices_text(&r->devices, devices, sizeof(devices), "-"));
	text_table_add(t, "%s%s%s", role_name(r->role), *r->more ? "; " : "",
		       r->more);
}

static int put_rows(FILE *f, unsigned shown, explain_row_fn row, void *arg,
		    struct err *err)
{
	cleanup_table struct text_table t = {0};

	text_table_column(&t, COLUMN_RIGHT, "rank");
	text_table_column(&t, COLUMN_LEFT, "node");
	text_table_column(&t, COLUMN_RIGHT, "local rank");
	text_table_column(&t, COLUMN_LEFT, "devices");
	text_table_column(&t, COLUMN_LEFT, "role");
	for (unsigned rank = 0; rank < shown; rank++) {
		struct explain_row r;

		if (row(arg, rank, &r, err) < 0)
			return -1;
		add_row(&t, rank, &r);
	}
	return text_table_print(f, &t, err);
}

char *explain_layout(unsigned nprocs, explain_row_fn row, void *arg,
		     struct err *err)
{
	unsigned shown = nprocs < EXPLAIN_ROWS_MAX ? nprocs : EXPLAIN_ROWS_MAX;
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	int rc;

	if (!f)
		return err_memory_null(err);
	rc = put_rows(f, shown, row, arg, err);
	if (nprocs > shown)
		fprintf(f, "... %u more\n", nprocs - shown);
	return text_stream_end(&stream, rc, err);
}
