/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of files in log-dir and timeline: expand %j %s %n %N %r. Called by
 * output.c for each process before any process starts.
 */
#include "helpers/output/line_writer.h"

#include "core/option/file_pattern.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct name {
	const char *key; /* for errors */
	const char *service;
	unsigned node_rank;
	char text[PATH_MAX];
	size_t n;
	bool too_long;
	bool has_rank;
};

static void add_to_name(struct name *name, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add_to_name(struct name *name, const char *fmt, ...)
{
	size_t room = sizeof(name->text) - name->n;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(name->text + name->n, room, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= room)
		name->too_long = true;
	else
		name->n += (size_t)n;
}

/* A letter that isn't known was refused when the option was read. */
static void add_field(struct name *name, const struct plan *plan, unsigned rank,
		      const struct file_pattern_field *field)
{
	int width = field->width;

	switch (field->letter) {
	case 'j':
		add_to_name(name, "%0*lu", width, plan->job->job_id);
		break;
	case 's':
		add_to_name(name, "%0*lu", width, plan->job->step_id);
		break;
	case 'n':
		add_to_name(name, "%0*u", width, name->node_rank);
		break;
	case 'r':
	case 't':
		if (name->service)
			add_to_name(name, "%s", name->service);
		else if (plan->job->world)
			add_to_name(name, "%s.%0*u", plan->job->world, width,
				    rank);
		else
			add_to_name(name, "%0*u", width, rank);
		name->has_rank = true;
		break;
	case 'N':
		add_to_name(name, "%s", plan->job->node_name);
		break;
	case '%':
		add_to_name(name, "%%");
		break;
	}
}

static void expand_pattern(struct name *name, const struct plan *plan,
			   unsigned rank, const char *pattern)
{
	struct file_pattern_field field;
	const char *p = pattern;

	while (*p && !name->too_long) {
		if (*p != '%') {
			add_to_name(name, "%c", *p++);
			continue;
		}
		p = file_pattern_field(p, &field);
		add_field(name, plan, rank, &field);
	}
}

static char *finish_name(const struct name *name, struct err *err)
{
	char *copy;

	if (name->too_long) {
		err_printf(err,
			   "%s: the file name would have more than %d bytes",
			   name->key, PATH_MAX - 1);
		return NULL;
	}
	copy = strdup(name->text);
	if (!copy)
		err_memory(err);
	return copy;
}

/* The default file name, for a pattern that names a folder. */
static void add_default(struct name *name, const struct plan *plan,
			unsigned rank, const char *stream)
{
	const char *world = plan->job->world;

	if (name->n && name->text[name->n - 1] != '/')
		add_to_name(name, "/");
	if (world)
		add_to_name(name, "%s.", world);
	if (name->service)
		add_to_name(name, "%s.%s", name->service, stream);
	else
		add_to_name(name, "rank-%u.%s", rank, stream);
}

char *log_file_name(const struct plan *plan, unsigned rank, const char *service,
		    const char *stream, struct err *err)
{
	const char *pattern = request_text(plan->request, KEY_LOG_DIR);
	struct name name = {.service = service,
			    .node_rank = plan->node_rank,
			    .key = "log-dir"};

	expand_pattern(&name, plan, rank, pattern);
	if (name.has_rank && name.text[name.n - 1] != '/')
		add_to_name(&name, ".%s", stream);
	else
		add_default(&name, plan, rank, stream);
	return finish_name(&name, err);
}

char *log_file_expand(const char *key, const char *pattern,
		      const struct plan *plan, unsigned node_rank,
		      struct err *err)
{
	struct name name = {.node_rank = node_rank, .key = key};

	expand_pattern(&name, plan, 0, pattern);
	return finish_name(&name, err);
}
