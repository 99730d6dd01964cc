/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/ranktable/table_report.h"

#include "core/base/cleanup.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
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
	cJSON *o = cJSON_CreateObject();
	cleanup_free char *line = NULL;

	if (o && cJSON_AddStringToObject(o, "path", path) &&
	    cJSON_AddStringToObject(o, "code", code) &&
	    cJSON_AddStringToObject(o, "fault", text) &&
	    cJSON_AddStringToObject(o, "remedy", remedy))
		line = cJSON_PrintUnformatted(o);
	cJSON_Delete(o);
	fprintf(r->f, "%s\n%s", r->n > 1 ? "," : "", line ? line : "null");
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
