/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/stack/stack_show.h"

#include "core/base/cleanup.h"
#include "core/base/text_stream.h"
#include "core/facts/rows.h"
#include "helpers/cli/json_print.h"
#include "helpers/recorders/fr_verdict.h"
#include "helpers/recorders/recorders.h"

#include <stdlib.h>
#include <string.h>

struct dump {
	const struct visit *way;
	struct fr_table *table;
	cJSON *json; /* all that is told; the text is made of it */
	cJSON *findings, *silent, *notes, *ras, *kept;
	struct err *err;
	bool ok;
};

/* --- what the launchers tell --- */

static cJSON *with_node(cJSON *array, const char *node)
{
	cJSON *to = json_append(array);

	return to && json_add_text(to, "node", node) ? to : NULL;
}

static bool add_recorder(struct dump *d, const char *node, char *field[])
{
	cJSON *to;

	if (!strcmp(field[3], "written"))
		return true;
	to = with_node(d->silent, node);
	return to && json_add_number(to, "rank", atof(field[1])) &&
	       json_add_text(to, "library", field[2]) &&
	       json_add_text(to, "state", field[3]) &&
	       json_add_text(to, "why", field[4]);
}

static bool add_note(struct dump *d, const char *node, char *field[])
{
	cJSON *to = with_node(d->notes, node);

	return to && json_add_text(to, "text", field[1]);
}

static bool add_ras(struct dump *d, const char *node, char *field[])
{
	(void)node;
	return json_append_text(d->ras, field[1]);
}

static bool add_kept(struct dump *d, const char *node, char *field[])
{
	cJSON *to = with_node(d->kept, node);

	return to && json_add_text(to, "folder", field[1]) &&
	       json_add_number(to, "files", atof(field[2])) &&
	       json_add_number(to, "bytes", atof(field[3]));
}

static const struct {
	const char *name;
	bool (*add)(struct dump *d, const char *node, char *field[]);
} kinds[] = {
	{"recorder", add_recorder},
	{"note", add_note},
	{"ras", add_ras},
	{"kept", add_kept},
};

static void on_shown(void *arg, unsigned member, const char *node, char *rows)
{
	struct dump *d = arg;
	char *field[ROW_FIELDS];

	(void)member;
	if (fr_table_add(d->table, rows, d->err) < 0)
		d->ok = false;
	while (row_next(&rows, field))
		for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
			if (!strcmp(field[0], kinds[i].name))
				d->ok = d->ok && kinds[i].add(d, node, field);
}

static void add_finding(void *arg, const struct fr_finding *x)
{
	static const char *const names[] = {
		[FR_LATE] = "late",
		[FR_MISMATCH] = "mismatch",
		[FR_TOGETHER] = "together",
		[FR_P2P] = "p2p",
	};
	struct dump *d = arg;
	cJSON *to = json_append(d->findings);
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	cleanup_free char *text = NULL;

	if (f)
		fr_finding_print(x, f);
	text = text_stream_take(&stream);
	d->ok = d->ok && text && to &&
		json_add_text(to, "kind", names[x->kind]) &&
		json_add_text(to, "group", x->group) &&
		json_add_number(to, "number", (double)x->number) &&
		json_add_text(to, "op", x->op) &&
		json_add_text(to, "ranks", x->ranks) &&
		json_add_text(to, "waiting", x->waiting) &&
		cJSON_AddBoolToObject(to, "derived", x->derived) &&
		json_add_text(to, "text", text);
}

/* --- for a person --- */

static const char *text_of(const cJSON *of, const char *name)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(of, name);

	return cJSON_IsString(v) ? v->valuestring : "";
}

static double number_of(const cJSON *of, const char *name)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(of, name);

	return cJSON_IsNumber(v) ? v->valuedouble : 0;
}

/* NCCL's own tables, from the errors on where there are some. */
static void print_ras(const struct dump *d)
{
	const cJSON *line;

	if (cJSON_GetArraySize(d->ras))
		printf("NCCL RAS says:\n");
	cJSON_ArrayForEach(line, d->ras) if (*line->valuestring)
		printf("  %s\n", line->valuestring);
}

static void print(const struct dump *d)
{
	const cJSON *at;

	cJSON_ArrayForEach(at, d->findings) printf("%s\n", text_of(at, "text"));
	if (!cJSON_GetArraySize(d->findings))
		printf("%u ranks have a dump of the Flight Recorder: no rank "
		       "is known to hold up others\n",
		       fr_table_ndumps(d->table));
	cJSON_ArrayForEach(at, d->silent) printf(
		"rank %.0f on %s: %s dump of %s%s%s\n", number_of(at, "rank"),
		text_of(at, "node"),
		!strcmp(text_of(at, "state"), "silent") ? "no"
							: text_of(at, "state"),
		text_of(at, "library"), *text_of(at, "why") ? ": " : "",
		text_of(at, "why"));
	print_ras(d);
	cJSON_ArrayForEach(at, d->notes)
		printf("%s: %s\n", text_of(at, "node"), text_of(at, "text"));
	cJSON_ArrayForEach(at, d->kept)
		printf("%s: %.0f files, %.0f bytes in %s\n",
		       text_of(at, "node"), number_of(at, "files"),
		       number_of(at, "bytes"), text_of(at, "folder"));
}

/* --- all of it --- */

static bool open_dump(struct dump *d)
{
	d->table = fr_table_new();
	d->json = json_new();
	if (!d->table || !d->json ||
	    !json_add_number(d->json, "job", (double)d->way->step->job_id) ||
	    !json_add_number(d->json, "step", (double)d->way->step->step_id))
		return false;
	d->findings = cJSON_AddArrayToObject(d->json, "findings");
	d->silent = cJSON_AddArrayToObject(d->json, "missing");
	d->notes = cJSON_AddArrayToObject(d->json, "notes");
	d->ras = cJSON_AddArrayToObject(d->json, "ras");
	d->kept = cJSON_AddArrayToObject(d->json, "kept");
	return d->findings && d->silent && d->notes && d->ras && d->kept;
}

static int collect(struct dump *d, struct err *err)
{
	struct visit visit = {
		.step = d->way->step,
		.ports = d->way->ports,
		.what = "recorders",
		.ms = RECORDERS_MS,
		.shown = on_shown,
		.arg = d,
	};

	if (visit_step(&visit, err) < 0)
		return -1;
	if (fr_verdict_find(d->table, add_finding, d, err) < 0)
		return -1;
	return d->ok ? 0 : err_memory(err);
}

int stack_dump(const struct visit *way, bool json, struct err *err)
{
	struct dump d = {.way = way, .err = err, .ok = true};
	int rc = open_dump(&d) ? collect(&d, err) : err_memory(err);

	if (rc == 0 && json)
		rc = json_print(stdout, d.json, err);
	else if (rc == 0)
		print(&d);
	fr_table_free(d.table);
	cJSON_Delete(d.json);
	return rc;
}
