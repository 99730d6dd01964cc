/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line for each server, a column for each device id, and in the cell the
 * rank: wrong orders and gaps are seen at once.
 */
#include "core/base/parse.h"
#include "core/base/text_table.h"
#include "helpers/cli/json_print.h"
#include "helpers/cli/ranktable/table_view.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 65

struct line {
	struct ranktable_row **e; /* by device */
	size_t n;
	uint32_t rank; /* the lowest */
};

struct picture {
	struct ranktable_row **e;
	struct line *line;
	size_t nlines;
	unsigned columns;     /* device ids from 0 */
	bool has_pod, has_ip; /* columns of their own */
};

static void picture_clear(struct picture *p)
{
	free(p->e);
	free(p->line);
}

static int compare_lines(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->e < b->e ? -1 : a->e > b->e;
}

/* Version 2.0 has no servers; there a line is a run of rising device ids. */
static bool same_line(const struct view *view, const struct ranktable_row *a,
		      const struct ranktable_row *b)
{
	if (view->form == FORM_RANKS && b->device_id <= a->device_id)
		return false;
	return !strcmp(a->server_id ? a->server_id : "",
		       b->server_id ? b->server_id : "");
}

static void measure(struct picture *p, const struct ranktable_row *e)
{
	if (e->device_id + 1 > p->columns && e->device_id < COLUMNS_MAX)
		p->columns = e->device_id + 1;
	p->has_pod |= e->super_pod_id && *e->super_pod_id;
	p->has_ip |= e->device_ip && *e->device_ip;
}

static int make_picture(const struct view *view, struct picture *p,
			struct err *err)
{
	p->e = view_sorted(view, view->form == FORM_RANKS ? VIEW_BY_RANK
							  : VIEW_BY_DEVICE);
	p->line = calloc(view->n, sizeof(*p->line));
	if (!p->e || !p->line)
		return err_memory(err);
	for (size_t i = 0; i < view->n; i++) {
		struct ranktable_row *e = p->e[i];
		struct line *line = &p->line[p->nlines];

		measure(p, e);
		if (i && same_line(view, p->e[i - 1], e)) {
			line = &p->line[p->nlines - 1];
			line->n++;
			line->rank =
				e->rank < line->rank ? e->rank : line->rank;
			continue;
		}
		*line = (struct line){.e = &p->e[i], .n = 1, .rank = e->rank};
		p->nlines++;
	}
	qsort(p->line, p->nlines, sizeof(*p->line), compare_lines);
	return 0;
}

/* The text without the quotes of show(). */
static const char *plain(const char *text, char shown[SHOW_SIZE])
{
	show(shown, text ? text : "-");
	shown[strlen(shown) - 1] = '\0';
	return shown + 1;
}

/* The rank that has the device: "-" for none, "!" for several. */
static void add_cell(struct text_table *t, const struct line *line, size_t *i,
		     unsigned device)
{
	size_t from = *i;
	const struct ranktable_row *e;

	while (*i < line->n && line->e[*i]->device_id == device)
		(*i)++;
	e = from < line->n ? line->e[from] : NULL;
	if (*i == from)
		text_table_add(t, "-");
	else if (*i > from + 1 || e->rank_unknown || e->device_unknown)
		text_table_add(t, "!");
	else
		text_table_add(t, "%u", e->rank);
}

static void add_line(struct text_table *t, const struct picture *p,
		     const struct line *line)
{
	const struct ranktable_row *first = line->e[0],
				   *last = line->e[line->n - 1];
	char shown[SHOW_SIZE], more[SHOW_SIZE];
	size_t i = 0;

	text_table_add(t, "%s", plain(first->server_id, shown));
	if (p->has_pod)
		text_table_add(t, "%s", plain(first->super_pod_id, shown));
	for (unsigned device = 0; device < p->columns; device++)
		add_cell(t, line, &i, device);
	if (p->has_ip)
		text_table_add(t, "%s%s%s", plain(first->device_ip, shown),
			       line->n > 1 ? " .. " : "",
			       line->n > 1 ? plain(last->device_ip, more) : "");
}

static int print_picture(FILE *f, const struct view *view,
			 const struct picture *p, struct err *err)
{
	cleanup_table struct text_table t = {0};
	char number[16];

	text_table_column(&t, COLUMN_LEFT, "server");
	if (p->has_pod)
		text_table_column(&t, COLUMN_LEFT, "pod");
	for (unsigned device = 0; device < p->columns; device++) {
		snprintf(number, sizeof(number), "%u", device);
		text_table_column(&t, COLUMN_RIGHT, number);
	}
	if (p->has_ip)
		text_table_column(&t, COLUMN_LEFT, "addresses");
	for (size_t i = 0; i < p->nlines; i++)
		add_line(&t, p, &p->line[i]);
	fprintf(f,
		"%s%s for %s: %zu server%s, %zu device%s; ranks by device "
		"id\n\n",
		*view->version ? "version " : "an old table without version",
		view->version, chip_facts(view->chip)->name, p->nlines,
		p->nlines == 1 ? "" : "s", view->n, view->n == 1 ? "" : "s");
	return text_table_print(f, &t, err);
}

/* {"rank_id":0, ...}; what the file doesn't say is left out. */
static void put_device(struct json *j, const struct ranktable_row *e)
{
	json_line(j);
	json_add(j, "{");
	if (!e->rank_unknown)
		json_add(j, "rank_id:%u", e->rank);
	if (e->server_id)
		json_add(j, "server_id:%s", e->server_id);
	if (!e->device_unknown)
		json_add(j, "device_id:%u", e->device_id);
	if (e->device_ip)
		json_add(j, "device_ip:%s", e->device_ip);
	if (e->host_ip)
		json_add(j, "host_ip:%s", e->host_ip);
	if (e->super_pod_id)
		json_add(j, "super_pod_id:%s", e->super_pod_id);
	if (e->has_super_device)
		json_add(j, "super_device_id:%u", e->super_device_id);
	json_add(j, "}");
}

static int print_json(FILE *f, const struct view *view, struct err *err)
{
	cleanup_free struct ranktable_row **e = view_sorted(view, VIEW_BY_RANK);
	struct json j;

	if (!e)
		return err_memory(err);
	j = json_begin(f);
	json_add(&j, "version:%s chip:%s devices:[", view->version,
		 chip_facts(view->chip)->name);
	for (size_t i = 0; i < view->n; i++)
		put_device(&j, e[i]);
	json_add(&j, "]");
	json_end(&j);
	return 0;
}

int ranktable_show(FILE *f, const struct view *view, bool json, struct err *err)
{
	__attribute__((cleanup(picture_clear))) struct picture p = {0};

	if (json)
		return print_json(f, view, err);
	if (make_picture(view, &p, err) < 0)
		return -1;
	return print_picture(f, view, &p, err);
}
