/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/stack/stack_show.h"

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/facts/rows.h"
#include "helpers/cli/json_print.h"
#include "helpers/recorders/fr_verdict.h"
#include "helpers/recorders/recorders.h"

#include <stdlib.h>
#include <string.h>

/* One row of a launcher: its texts are in `line`. */
struct told {
	char *line, *node;
	char *field[ROW_FIELDS];
};

struct dump {
	struct fr_table *table;
	struct told *told;
	size_t n;
	struct err *err;
	bool failed; /* *err says why */
};

/* --- what the launchers tell --- */

static void add_row(struct dump *d, const char *node, const char *row)
{
	struct told *t = array_append(&d->told, d->n, sizeof(*t));
	char *at;

	if (!t || asprintf(&t->line, "%s\n%s", node, row) < 0) {
		d->failed = true;
		err_memory(d->err);
		return;
	}
	d->n++;
	at = t->line;
	row_next(&at, t->field);
	t->node = t->field[0];
	row_next(&at, t->field);
}

static void on_shown(void *arg, unsigned member, const char *node, char *rows)
{
	struct dump *d = arg;
	char *line, *at = rows;

	(void)member;
	if (fr_table_add(d->table, rows, d->err) < 0)
		d->failed = true;
	while (!d->failed && (line = strsep(&at, "\n")))
		if (*line)
			add_row(d, node, line);
}

/* --- how each kind of row is shown --- */

static void put_missing(FILE *f, struct json *j, const struct told *t)
{
	char *const *field = t->field;

	if (j)
		json_add(j, "node:%s rank:%g library:%s state:%s why:%s",
			 t->node, atof(field[1]), field[2], field[3], field[4]);
	else
		fprintf(f, "rank %s on %s: %s dump of %s%s%s\n", field[1],
			t->node, !strcmp(field[3], "silent") ? "no" : field[3],
			field[2], *field[4] ? ": " : "", field[4]);
}

/* NCCL's own tables, from the errors on where there are some. */
static void put_ras(FILE *f, struct json *j, const struct told *t)
{
	if (j)
		json_add(j, "%s", t->field[1]);
	else if (*t->field[1])
		fprintf(f, "  %s\n", t->field[1]);
}

static void put_note(FILE *f, struct json *j, const struct told *t)
{
	if (j)
		json_add(j, "node:%s text:%s", t->node, t->field[1]);
	else
		fprintf(f, "%s: %s\n", t->node, t->field[1]);
}

static void put_kept(FILE *f, struct json *j, const struct told *t)
{
	char *const *field = t->field;

	if (j)
		json_add(j, "node:%s folder:%s files:%g bytes:%g", t->node,
			 field[1], atof(field[2]), atof(field[3]));
	else
		fprintf(f, "%s: %s files, %s bytes in %s\n", t->node, field[2],
			field[3], field[1]);
}

static const struct {
	const char *row, *member, *head;
	void (*put)(FILE *f, struct json *j, const struct told *told);
	bool plain; /* a row is a text, no object */
} kinds[] = {
	{"recorder", "missing", "", put_missing, false},
	{"ras", "ras", "NCCL RAS says:\n", put_ras, true},
	{"note", "notes", "", put_note, false},
	{"kept", "kept", "", put_kept, false},
};

/* The rows of a kind; those of ranks whose dump is there are none. */
static void put_kind(const struct dump *d, size_t kind, FILE *f, struct json *j)
{
	const char *head = kinds[kind].head;

	if (j)
		json_open(j, kinds[kind].member, '[');
	for (size_t i = 0; i < d->n; i++) {
		const struct told *t = &d->told[i];

		if (strcmp(t->field[0], kinds[kind].row) != 0 ||
		    (!kind && !strcmp(t->field[3], "written")))
			continue;
		if (j && !kinds[kind].plain)
			json_add(j, "{");
		else if (!j)
			fputs(head, f);
		head = "";
		kinds[kind].put(f, j, t);
		if (j && !kinds[kind].plain)
			json_add(j, "}");
	}
	if (j)
		json_add(j, "]");
}

/* --- the verdict --- */

static void put_finding(void *arg, const struct fr_finding *x)
{
	fr_finding_print(x, arg);
	fputc('\n', arg);
}

static void json_finding(void *arg, const struct fr_finding *x)
{
	static const char *const names[] = {
		[FR_LATE] = "late",
		[FR_MISMATCH] = "mismatch",
		[FR_TOGETHER] = "together",
		[FR_P2P] = "p2p",
	};
	struct json *j = arg;
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	cleanup_free char *text = NULL;

	if (f)
		fr_finding_print(x, f);
	text = text_stream_take(&stream);
	json_add(j,
		 "{kind:%s group:%s number:%g op:%s ranks:%s "
		 "waiting:%s derived:%i text:%s}",
		 names[x->kind], x->group, (double)x->number, x->op, x->ranks,
		 x->waiting, x->derived, text);
}

/* --- all of it --- */

static int print_text(const struct dump *d, FILE *f, struct err *err)
{
	int n = fr_verdict_find(d->table, put_finding, f, err);

	if (!n)
		fprintf(f,
			"%u ranks have a dump of the Flight Recorder: no rank "
			"is known to hold up others\n",
			fr_table_ndumps(d->table));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		put_kind(d, i, f, NULL);
	return n < 0 ? -1 : 0;
}

static int print_json(const struct dump *d, const struct found_step *step,
		      FILE *f, struct err *err)
{
	struct json j = json_begin(f);
	int n;

	json_add(&j, "job:%lu step:%lu findings:[", step->job_id,
		 step->step_id);
	n = fr_verdict_find(d->table, json_finding, &j, err);
	json_add(&j, "]");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		put_kind(d, i, NULL, &j);
	json_end(&j);
	return n < 0 ? -1 : 0;
}

static int print(const struct dump *d, const struct found_step *step, bool json,
		 struct err *err)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	cleanup_free char *text = NULL;
	int rc = f ? 0 : err_memory(err);

	if (f)
		rc = json ? print_json(d, step, f, err) : print_text(d, f, err);
	text = text_stream_end(&stream, rc, err);
	if (text)
		fputs(text, stdout);
	return text ? 0 : -1;
}

int stack_dump(const struct visit *way, bool json, struct err *err)
{
	struct dump d = {.table = fr_table_new(), .err = err};
	struct visit visit = {
		.step = way->step,
		.ports = way->ports,
		.what = "recorders",
		.ms = RECORDERS_MS,
		.shown = on_shown,
		.arg = &d,
	};
	int rc = d.table ? visit_step(&visit, err) : err_memory(err);

	rc = rc < 0 || d.failed ? -1 : print(&d, way->step, json, err);
	for (size_t i = 0; i < d.n; i++)
		free(d.told[i].line);
	free(d.told);
	fr_table_free(d.table);
	return rc;
}
