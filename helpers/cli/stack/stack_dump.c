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
	const char *world; /* its company's */
	char *field[ROW_FIELDS];
};

/* Ranks that are in collectives with each other: of the step, or of a world of
 * one with several roles. */
struct company {
	struct fr_table *table;
	char *world; /* "" */
};

struct dump {
	struct company *company;
	size_t ncompanies;
	struct told *told;
	size_t n;
	struct err *err;
	bool failed; /* *err says why */
};

/* --- what the launchers tell --- */

static void add_row(struct dump *d, const char *node, const char *world,
		    const char *row)
{
	struct told *t = array_append(&d->told, d->n, sizeof(*t));
	char *at;

	if (!t || asprintf(&t->line, "%s\n%s", node, row) < 0) {
		d->failed = true;
		err_memory(d->err);
		return;
	}
	d->n++;
	t->world = world;
	at = t->line;
	row_next(&at, t->field);
	t->node = t->field[0];
	row_next(&at, t->field);
}

static const struct company *company_of(struct dump *d, const char *world)
{
	struct company *c;

	for (size_t i = 0; i < d->ncompanies; i++)
		if (!strcmp(d->company[i].world, world))
			return &d->company[i];
	c = array_append(&d->company, d->ncompanies, sizeof(*c));
	if (!c)
		return NULL;
	d->ncompanies++;
	c->world = strdup(world);
	c->table = c->world ? fr_table_new() : NULL;
	if (!c->table) {
		free(c->world);
		d->ncompanies--;
		return NULL;
	}
	return c;
}

/* "world\tNAME\n", which is cut off; "": there is none. */
static const char *world_of(char **rows)
{
	const char *key = "world\t";
	char *name = *rows + strlen(key);
	size_t n;

	if (strncmp(*rows, key, strlen(key)) != 0)
		return "";
	n = strcspn(name, "\n");
	*rows = name + n + (name[n] == '\n');
	name[n] = '\0';
	return name;
}

static void on_shown(void *arg, unsigned member, const char *node, char *rows)
{
	struct dump *d = arg;
	const struct company *c = company_of(d, world_of(&rows));
	const char *world = c ? c->world : "";
	char *line, *at = rows;

	(void)member;
	if (!c)
		err_memory(d->err);
	if (!c || fr_table_add(c->table, rows, d->err) < 0)
		d->failed = true;
	while (!d->failed && (line = strsep(&at, "\n")))
		if (*line)
			add_row(d, node, world, line);
}

/* --- how each kind of row is shown --- */

static void put_missing(FILE *f, struct json *j, const struct told *t)
{
	char *const *field = t->field;

	if (j)
		json_add(j,
			 "world?:%s node:%s rank:%g library:%s state:%s why:%s",
			 t->world, t->node, atof(field[1]), field[2], field[3],
			 field[4]);
	else
		fprintf(f, "%s%s%s on %s: %s dump of %s%s%s\n", t->world,
			*t->world ? ":" : "rank ", field[1], t->node,
			!strcmp(field[3], "silent") ? "no" : field[3], field[2],
			*field[4] ? ": " : "", field[4]);
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
		json_add(j, "world?:%s node:%s text:%s", t->world, t->node,
			 t->field[1]);
	else
		fprintf(f, "%s%s%s: %s\n", t->world, *t->world ? " on " : "",
			t->node, t->field[1]);
}

static void put_kept(FILE *f, struct json *j, const struct told *t)
{
	char *const *field = t->field;

	if (j)
		json_add(j, "world?:%s node:%s folder:%s files:%g bytes:%g",
			 t->world, t->node, field[1], atof(field[2]),
			 atof(field[3]));
	else
		fprintf(f, "%s%s%s: %s files, %s bytes in %s\n", t->world,
			*t->world ? " on " : "", t->node, field[2], field[3],
			field[1]);
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

/* Where the findings of a company go. */
struct place {
	const struct company *company;
	FILE *f;
	struct json *j;
};

static void put_finding(void *arg, const struct fr_finding *x)
{
	const struct place *to = arg;
	const char *world = to->company->world;

	fprintf(to->f, "%s%s", world, *world ? ": " : "");
	fr_finding_print(x, to->f);
	fputc('\n', to->f);
}

static void json_finding(void *arg, const struct fr_finding *x)
{
	static const char *const names[] = {
		[FR_LATE] = "late",
		[FR_MISMATCH] = "mismatch",
		[FR_TOGETHER] = "together",
		[FR_P2P] = "p2p",
	};
	const struct place *to = arg;
	struct json *j = to->j;
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	cleanup_free char *text = NULL;

	if (f)
		fr_finding_print(x, f);
	text = text_stream_take(&stream);
	json_add(j,
		 "{world?:%s kind:%s group:%s number:%g op:%s ranks:%s "
		 "waiting:%s derived:%i text:%s}",
		 to->company->world, names[x->kind], x->group,
		 (double)x->number, x->op, x->ranks, x->waiting, x->derived,
		 text);
}

/* --- all of it --- */

/* Returns how many findings there are, or -1. */
static int find(const struct dump *d, FILE *f, struct json *j, struct err *err)
{
	int n = 0, rc = 0;

	for (size_t i = 0; i < d->ncompanies && rc >= 0; i++) {
		struct place to = {&d->company[i], f, j};

		rc = fr_verdict_find(to.company->table,
				     j ? json_finding : put_finding, &to, err);
		n += rc;
	}
	return rc < 0 ? -1 : n;
}

static unsigned count_dumps(const struct dump *d)
{
	unsigned n = 0;

	for (size_t i = 0; i < d->ncompanies; i++)
		n += fr_table_ndumps(d->company[i].table);
	return n;
}

static int print_text(const struct dump *d, FILE *f, struct err *err)
{
	int n = find(d, f, NULL, err);

	if (!n)
		fprintf(f,
			"%u ranks have a dump of the Flight Recorder: no rank "
			"is known to hold up others\n",
			count_dumps(d));
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
	n = find(d, NULL, &j, err);
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
	struct dump d = {.err = err};
	struct visit visit = {
		.step = way->step,
		.ports = way->ports,
		.what = "recorders",
		.ms = RECORDERS_MS,
		.shown = on_shown,
		.arg = &d,
	};
	int rc = visit_step(&visit, err);

	rc = rc < 0 || d.failed ? -1 : print(&d, way->step, json, err);
	for (size_t i = 0; i < d.n; i++)
		free(d.told[i].line);
	free(d.told);
	for (size_t i = 0; i < d.ncompanies; i++) {
		fr_table_free(d.company[i].table);
		free(d.company[i].world);
	}
	free(d.company);
	return rc;
}
