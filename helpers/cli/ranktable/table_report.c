/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/ranktable/table_report.h"

#include "core/base/array.h"
#include "core/base/err.h"
#include "core/base/parse.h"
#include "helpers/cli/json_print.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* "server_list[0].device[3].device_ip" */
static void where_text(const struct where *where, char buf[WHERE_TEXT_MAX])
{
	size_t used;

	buf[0] = '\0';
	if (!where)
		return;
	where_text(where->up, buf);
	used = strlen(buf);
	if (where->key)
		snprintf(buf + used, WHERE_TEXT_MAX - used, "%s%s",
			 used ? "." : "", where->key);
	else
		snprintf(buf + used, WHERE_TEXT_MAX - used, "[%u]",
			 where->index);
}

static void print_json(const struct report *r, const char *path,
		       const char *code, const char *remedy, const char *text)
{
	json_line(r->json);
	json_add(r->json, "{path:%s code:%s fault:%s remedy:%s}", path, code,
		 text, remedy);
}

static void __attribute__((format(printf, 5, 0)))
vreport(struct report *r, const char *path, const char *code,
	const char *remedy, const char *fmt, va_list ap)
{
	char text[FAULT_TEXT_MAX];

	r->n++;
	if (!r->f || r->n > REPORT_LINES_MAX)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	if (r->json) {
		print_json(r, path, code, remedy, text);
		return;
	}
	fprintf(r->f, "%s: %s%s%s%s%s%s%s%s\n", r->file, path,
		*path ? ": " : "", text, *code ? " (" : "", code,
		*code ? ")" : "", *remedy ? "; " : "", remedy);
}

void report_path(struct report *r, const char *path, const char *code,
		 const char *remedy, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vreport(r, path, code, remedy, fmt, ap);
	va_end(ap);
}

void report_where(struct report *r, const struct where *where, const char *code,
		  const char *remedy, const char *fmt, ...)
{
	char path[WHERE_TEXT_MAX] = "";
	va_list ap;

	if (r->n < REPORT_LINES_MAX)
		where_text(where, path);
	va_start(ap, fmt);
	vreport(r, path, code, remedy, fmt, ap);
	va_end(ap);
}

void report_end(struct report *r)
{
	if (r->f && !r->json && r->n > REPORT_LINES_MAX)
		fprintf(r->f, "%s: %zu more faults\n", r->file,
			r->n - REPORT_LINES_MAX);
}

int names_add(struct names *names, const char *text, unsigned a, unsigned b)
{
	struct name *name;

	if (!text)
		return 0;
	name = array_append(&names->name, names->n, sizeof(*name));
	if (!name)
		return -1;
	*name = (struct name){text, {a, b}};
	names->n++;
	return 0;
}

static int compare_names(const void *pa, const void *pb)
{
	const struct name *a = pa, *b = pb;
	int order = strcmp(a->text, b->text);

	if (order)
		return order;
	if (a->at[0] != b->at[0])
		return a->at[0] < b->at[0] ? -1 : 1;
	return a->at[1] < b->at[1] ? -1 : 1;
}

static void report_twice(const struct names *names, const struct name *name,
			 struct report *r)
{
	const struct where list = {.key = names->list};
	const struct where at = {.up = &list, .index = name->at[0]};
	const struct where inner = {.up = &at, .key = names->inner};
	const struct where at_inner = {.up = &inner, .index = name->at[1]};
	const struct where where = {.up = names->inner ? &at_inner : &at,
				    .key = names->key};
	char shown[SHOW_SIZE];

	if (names->says_former)
		report_where(r, &where, CODE_VALUE, names->remedy,
			     "%s is also used by %s[%u]",
			     show(shown, name->text), names->list,
			     name[-1].at[0]);
	else
		report_where(r, &where, CODE_VALUE, names->remedy,
			     "%s is listed twice", show(shown, name->text));
}

void names_report(struct names *names, struct report *r)
{
	sort_items(names->name, names->n, sizeof(*names->name), compare_names);
	for (size_t i = 1; i < names->n; i++)
		if (!strcmp(names->name[i - 1].text, names->name[i].text))
			report_twice(names, &names->name[i], r);
	free(names->name);
	names->name = NULL;
	names->n = 0;
}
