/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/step/query.h"

#include "core/base/text.h"
#include "core/facts/rows.h"
#include "helpers/recorders/collect.h"
#include "helpers/recorders/fr_verdict.h"
#include "helpers/recorders/recorders.h"
#include "helpers/sample/group.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FINDINGS 4 /* that are said */
#define KEEP_MS	 1000
#define TEXT_MAX (1 << 20) /* of whole stacks */

struct dumps {
	struct controller *c;
	struct stacks *stacks;
	struct query *query;	    /* first */
	struct collecting *keeping; /* then: the stacks */
	struct fr_table *table;
	unsigned nsaid;
	unsigned nfiles;
	char folder[PATH_MAX]; /* the first node's; mostly it is the same */
	void (*done)(void *arg);
	void *arg;
};

/* --- what is said --- */

static void say(struct dumps *d, const char *line)
{
	d->c->say(d->c->arg, line);
	record_add_text(d->c, MARK_SAID, NULL, line);
}

static void say_finding(void *arg, const struct fr_finding *finding)
{
	struct dumps *d = arg;
	cleanup_free char *line = NULL;
	size_t size;
	FILE *f;

	if (d->nsaid == FINDINGS || !(f = open_memstream(&line, &size)))
		return;
	fputs("dist-train: recorders: ", f);
	fr_finding_print(finding, f);
	fputs("\n", f);
	if (fclose(f) != 0)
		return;
	d->nsaid++;
	say(d, line);
}

static void say_all(struct dumps *d)
{
	unsigned ndumps = fr_table_ndumps(d->table);
	char line[PATH_MAX + 128];
	struct err ignored;

	fr_verdict_find(d->table, say_finding, d, &ignored);
	if (ndumps && !d->nsaid) {
		snprintf(line, sizeof(line),
			 "dist-train: recorders: %u rank%s told the "
			 "collectives: no rank is known to hold up others\n",
			 ndumps, ndumps == 1 ? " has" : "s have");
		say(d, line);
	}
	if (!d->nfiles)
		return;
	snprintf(line, sizeof(line), "dist-train: %u file%s of it in %s\n",
		 d->nfiles, d->nfiles == 1 ? "" : "s", d->folder);
	d->c->say(d->c->arg, line);
	record_add_text(d->c, MARK_STACKS, NULL, d->folder);
}

static void end(struct dumps *d)
{
	fr_table_free(d->table);
	free(d);
}

static void finish(struct dumps *d)
{
	void (*done)(void *arg) = d->done;
	void *arg = d->arg;

	say_all(d);
	end(d);
	done(arg);
}

/* --- what is kept --- */

static void add_kept(struct dumps *d, const char *rows)
{
	cleanup_free char *text = strdup(rows);
	char *field[ROW_FIELDS], *at = text;

	while (text && row_next(&at, field)) {
		if (strcmp(field[0], "kept") != 0)
			continue;
		d->nfiles += (unsigned)strtoul(field[2], NULL, 10);
		if (!*d->folder)
			snprintf(d->folder, sizeof(d->folder), "%s", field[1]);
	}
}

static void on_kept(void *arg, const char *rows)
{
	struct dumps *d = arg;

	d->keeping = NULL; /* it goes by itself */
	add_kept(d, rows);
	finish(d);
}

/* Whole stacks of the first rank of each group; the caller's to free. */
static char *print_stacks(struct stacks *stacks)
{
	const struct stack_group *group;
	unsigned n = stacks_group(stacks, &group);
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	if (!f)
		return NULL;
	for (unsigned i = 0; i < n; i++)
		stacks_print_group(f, stacks, &group[i], ftell(f) < TEXT_MAX);
	stacks_print_notes(f, stacks);
	return text_stream_take(&stream);
}

static void keep_stacks(struct dumps *d)
{
	cleanup_free char *text = print_stacks(d->stacks);
	char name[JOB_STEP_SIZE];
	const struct collect_wish wish = {
		.folder = -1,
		.node = "",
		.step = job_step(d->c->step, name),
		.limit = RECORDERS_KEEP / (d->c->step->nnodes + 1),
		.ms = KEEP_MS,
		.stacks = text,
	};
	struct err ignored;

	if (text)
		d->keeping =
			collect_begin(d->c->loop, &wish, on_kept, d, &ignored);
	if (!d->keeping)
		finish(d);
}

/* --- what launchers tell --- */

static void on_seen(void *arg, unsigned member, const char *node,
		    const char *rows)
{
	struct dumps *d = arg;
	struct err ignored;

	(void)member;
	(void)node;
	fr_table_add(d->table, rows, &ignored);
	add_kept(d, rows);
}

static void on_done(void *arg)
{
	struct dumps *d = arg;

	d->query = NULL;
	keep_stacks(d);
}

struct dumps *dumps_ask(struct controller *c, struct stacks *stacks,
			void (*done)(void *arg), void *arg)
{
	struct dumps *d;

	if (!c->plan->resolved.recorders)
		return NULL;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	*d = (struct dumps){
		.c = c,
		.stacks = stacks,
		.table = fr_table_new(),
		.done = done,
		.arg = arg,
	};
	if (d->table)
		d->query = query_begin(c, "recorders", DUMPS_MS,
				       &(struct query_calls){.seen = on_seen,
							     .done = on_done,
							     .arg = d});
	if (d->query)
		return d;
	end(d);
	return NULL;
}

void dumps_drop(struct dumps *d)
{
	if (d->query)
		query_drop(d->query);
	if (d->keeping)
		collect_drop(d->keeping);
	end(d);
}
