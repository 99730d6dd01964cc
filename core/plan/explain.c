/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of `explain`, for one process: where it runs, its coordinator,
 * and a table of its variables with value, source, and what becomes of the
 * user's value. The plugin and the launcher print it for explain=yes and
 * only, `dist-train explain` without a step.
 */
#include "core/plan/explain.h"

#include "core/base/env_secret.h"
#include "core/base/parse.h"
#include "core/plan/dialect.h"
#include "core/plan/process_env.h"
#include "core/plan/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_MAX     200 /* bytes of a value that are shown */
#define VALUE_PAD_MAX 16  /* a longer value moves its source to the right */
#define DEVICES_SIZE  (IDLIST_MAX * 6)

/* Close the stream. The text of it, or NULL where `rc`, what its writers
 * returned, is below 0 (they have said why), or when out of memory. */
static char *stream_text(FILE *f, char **text, int rc, struct err *err)
{
	bool cut = ferror(f);

	cut |= fclose(f) != 0;
	if (cut && rc == 0)
		rc = err_memory(err);
	if (rc == 0)
		return *text;
	free(*text);
	return NULL;
}

/* The value that the process will have; NULL: not set. */
static const char *effective(const struct env_entry *e)
{
	return e->state == ENV_KEPT ? e->former : e->value;
}

/* The same as it may be shown. `buf` is for a secret's. */
static const char *shown_value(const struct env_entry *e, char buf[SHOW_SIZE])
{
	const char *value = effective(e);

	return env_is_secret(e, value) ? env_secret(value, buf) : value;
}

/* Print a value; bytes that aren't printable are escaped. Returns the number of
 * columns. */
static int put_value(FILE *f, const char *value)
{
	int columns = 0;
	size_t n = 0;

	if (!value)
		return fprintf(f, "(unset)");
	if (!*value)
		return fprintf(f, "''");
	for (; value[n] && n < VALUE_MAX; n++) {
		unsigned char c = (unsigned char)value[n];

		if (c >= 0x20 && c < 0x7f)
			columns += fprintf(f, "%c", c);
		else
			columns += fprintf(f, "\\x%02x", c);
	}
	if (value[n])
		columns += fprintf(f, "... (%zu bytes)", strlen(value));
	return columns;
}

/* What happens to the value that was set before. */
static void put_fate(FILE *f, const struct env_entry *e)
{
	char shown[SHOW_SIZE];

	if (e->state == ENV_SAME)
		fputs(" (set already)", f);
	else if (e->state == ENV_KEPT && !e->former)
		fprintf(f, " (not set: you have set %s)", e->leader);
	else if (e->state == ENV_KEPT && e->value)
		fprintf(f, " (your value is kept; the step has %s)",
			env_show(e, e->value, shown));
	else if (e->state == ENV_KEPT)
		fputs(" (your value is kept; the step has none)", f);
	else if (e->state == ENV_REPLACED &&
		 strcmp(e->former, ENV_PLUGIN_MISSING) != 0)
		fprintf(f, " (replaces %s)", env_show(e, e->former, shown));
}

static void put_entry(FILE *f, const struct env_entry *e, char mark,
		      int name_width, int value_width)
{
	char secret[SHOW_SIZE];
	int columns;

	fprintf(f, "%c %-*s = ", mark, name_width, e->name);
	columns = put_value(f, shown_value(e, secret));
	fprintf(f, "%*s ", columns < value_width ? value_width - columns : 0,
		"");
	if (e->state != ENV_KEPT)
		fprintf(f, " %s", e->source);
	put_fate(f, e);
	fputc('\n', f);
}

static void put_table(FILE *f, const struct envset *set, const bool *differs)
{
	int name_width = 0, value_width = 7;

	for (size_t i = 0; i < set->n; i++) {
		const char *value = effective(&set->entry[i]);
		int name = (int)strlen(set->entry[i].name);
		size_t len = value ? strlen(value) : 0;

		if (name > name_width)
			name_width = name;
		if (len <= VALUE_PAD_MAX && (int)len > value_width)
			value_width = (int)len;
	}
	for (size_t i = 0; i < set->n; i++)
		put_entry(f, &set->entry[i], differs && differs[i] ? '*' : ' ',
			  name_width, value_width);
}

static const char *devices_text(const struct idlist *devices, char *buf,
				size_t size, const char *none)
{
	if (devices->n && idlist_format(devices, buf, size) == 0)
		return buf;
	return none;
}

static void put_rank(FILE *f, const struct plan *plan, const struct process *p)
{
	unsigned n = p->devices.own.n;
	char buf[DEVICES_SIZE];

	fprintf(f,
		"dist-train: rank %u of %u (%s) on %s: %s mode, local rank %u "
		"of %u, %s%s\n",
		p->rank, plan->world_size, role_name(p->role),
		plan->job->node_name,
		plan->resolved.device_mode ? "device" : "task", p->local_rank,
		plan->nodes_procs,
		n == 0	 ? "no device"
		: n == 1 ? "device "
			 : "devices ",
		devices_text(&p->devices.own, buf, sizeof(buf), ""));
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

static void put_head(FILE *f, const struct plan *plan, const struct process *p)
{
	const struct coordinator *c = &plan->coordinator;
	char name[SERVICE_NAME_SIZE];

	if (p->added)
		fprintf(f, "dist-train: service %s on %s\n",
			service_name(plan, name), plan->job->node_name);
	else
		put_rank(f, plan, p);
	if (c->addr)
		fprintf(f, "  coordinator %s (%s), port %u (%s)\n", c->addr,
			c->addr_source, c->port, coordinator_port_source(c));
	if (plan->service.here && !p->added && p->rank == plan->first_rank)
		fprintf(f, "  service %s is started first\n",
			service_name(plan, name));
	if (p->place)
		fprintf(f, "  %s\n", p->place);
	put_dialect(f, plan->request);
}

/* The arguments that the dialect appends to the program's own. */
static int put_args(FILE *f, const struct plan *plan, const struct process *p,
		    struct err *err)
{
	struct argset args = {0};
	int rc = process_args(plan, p, &args, err);

	if (rc == 0 && args.n) {
		fputs("  arguments after the program's own:", f);
		for (size_t i = 0; i < args.n; i++) {
			fputc(' ', f);
			put_value(f, args.arg[i]);
		}
		fprintf(f, "  dialect %s\n", plan->request->dialect->name);
	}
	argset_clear(&args);
	return rc;
}

char *explain_process(const struct plan *plan, const struct process *process,
		      const struct envset *set, const bool *differs,
		      struct err *err)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int rc;

	if (!f) {
		err_memory(err);
		return NULL;
	}
	put_head(f, plan, process);
	rc = put_args(f, plan, process, err);
	put_table(f, set, differs);
	return stream_text(f, &text, rc, err);
}

struct widths {
	int rank, node, local_rank, devices;
};

static void widen(int *width, const char *text)
{
	int n = (int)strlen(text);

	if (n > *width)
		*width = n;
}

static int measure(unsigned shown, explain_row_fn row, void *arg,
		   struct widths *w, struct err *err)
{
	for (unsigned rank = 0; rank < shown; rank++) {
		char buf[DEVICES_SIZE];
		struct explain_row r;

		if (row(arg, rank, &r, err) < 0)
			return -1;
		widen(&w->node, r.node);
		widen(&w->devices,
		      devices_text(&r.devices, buf, sizeof(buf), "-"));
	}
	return 0;
}

static int put_rows(FILE *f, unsigned shown, explain_row_fn row, void *arg,
		    struct err *err)
{
	struct widths w = {strlen("rank"), strlen("node"), strlen("local rank"),
			   strlen("devices")};

	if (measure(shown, row, arg, &w, err) < 0)
		return -1;
	fprintf(f, "%*s  %-*s  %*s  %-*s  role\n", w.rank, "rank", w.node,
		"node", w.local_rank, "local rank", w.devices, "devices");
	for (unsigned rank = 0; rank < shown; rank++) {
		char buf[DEVICES_SIZE];
		struct explain_row r;

		if (row(arg, rank, &r, err) < 0)
			return -1;
		fprintf(f, "%*u  %-*s  %*u  %-*s  %s\n", w.rank, rank, w.node,
			r.node, w.local_rank, r.local_rank, w.devices,
			devices_text(&r.devices, buf, sizeof(buf), "-"),
			role_name(r.role));
	}
	return 0;
}

char *explain_layout(unsigned nprocs, explain_row_fn row, void *arg,
		     struct err *err)
{
	unsigned shown = nprocs < EXPLAIN_ROWS_MAX ? nprocs : EXPLAIN_ROWS_MAX;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int rc;

	if (!f) {
		err_memory(err);
		return NULL;
	}
	rc = put_rows(f, shown, row, arg, err);
	if (nprocs > shown)
		fprintf(f, "... %u more\n", nprocs - shown);
	return stream_text(f, &text, rc, err);
}
