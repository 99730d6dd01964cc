/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/services/metrics_http.h"

#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/facts/metrics_words.h"
#include "sys/json_text.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WORD_SIZE 65 /* of a name or a value, as in Kubeflow */

struct reading {
	struct json_text t;
	char *line;
	size_t size;
	struct err *err;
};

/* A member of an object: its value is next. Returns 0 or -1. */
typedef int (*member_fn)(struct reading *r, const char *name, void *arg);

static int refuse(struct reading *r)
{
	return err_printf(r->err, "the body is no valid JSON");
}

static int read_object(struct reading *r, const char *what, member_fn member,
		       void *arg)
{
	char name[WORD_SIZE];

	if (!json_text_take(&r->t, '{'))
		return err_printf(r->err, "%s must be an object", what);
	if (json_text_take(&r->t, '}'))
		return 0;
	do {
		if (!json_text_string(&r->t, name, sizeof(name)) ||
		    !json_text_take(&r->t, ':'))
			return refuse(r);
		if (member(r, name, arg) < 0)
			return -1;
	} while (json_text_take(&r->t, ','));
	return json_text_take(&r->t, '}') ? 0 : refuse(r);
}

static bool take_null(struct reading *r)
{
	if (json_text_next(&r->t) != 'n')
		return false;
	return json_text_skip(&r->t);
}

static int skip(struct reading *r)
{
	return json_text_skip(&r->t) ? 0 : refuse(r);
}

/* What doesn't fit is left out as a whole word. */
static void put(struct reading *r, const char *name, double value)
{
	size_t n = strlen(r->line);

	if (text_add(r->line, r->size, " ", "%s=%.10g", name, value) < 0)
		r->line[n] = '\0';
}

/* --- metrics --- */

struct metric {
	char name[WORD_SIZE], value[WORD_SIZE];
};

/* A value is a string; a client may write the number itself. */
static int read_value(struct reading *r, char value[WORD_SIZE])
{
	const char *begin;
	size_t n;

	if (json_text_next(&r->t) == '"')
		return json_text_string(&r->t, value, WORD_SIZE) ? 0
								 : refuse(r);
	begin = r->t.at;
	if (skip(r) < 0)
		return -1;
	n = (size_t)(r->t.at - begin);
	if (n >= WORD_SIZE)
		n = 0;
	memcpy(value, begin, n);
	value[n] = '\0';
	return 0;
}

static int metric_member(struct reading *r, const char *name, void *arg)
{
	struct metric *m = arg;

	if (!strcmp(name, "value"))
		return read_value(r, m->value);
	if (strcmp(name, "name") != 0)
		return skip(r);
	return json_text_string(&r->t, m->name, sizeof(m->name))
		       ? 0
		       : err_printf(r->err, "a metric's name must be a string");
}

/* As a word of the line: letters, digits and some more. */
static void make_word(char *name)
{
	name[strnlen(name, METRICS_NAME_MAX - 1)] = '\0';
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) &&
		    !strchr(METRICS_NAME_MORE, *name))
			*name = '_';
}

/* The line's own names are those of the status. */
static void put_metric(struct reading *r, struct metric *m)
{
	static const char own[] = METRICS_PERCENT " " METRICS_REMAINING;
	static const char step[] = "step current_step global_step";
	const char *name = m->name;
	char *end;
	double value = strtod(m->value, &end);

	make_word(m->name);
	if (!*m->name || end == m->value || *end ||
	    word_find(own, name, strlen(name), NULL))
		return;
	if (word_find(step, name, strlen(name), NULL))
		name = "step";
	if (!isfinite(value) && strcmp(name, "loss") != 0)
		return;
	put(r, name, value);
}

static int read_metrics(struct reading *r)
{
	if (take_null(r))
		return 0;
	if (!json_text_take(&r->t, '['))
		return err_printf(r->err, "metrics must be a list");
	if (json_text_take(&r->t, ']'))
		return 0;
	do {
		struct metric m = {.name = ""};

		if (read_object(r, "a metric", metric_member, &m) < 0)
			return -1;
		put_metric(r, &m);
	} while (json_text_take(&r->t, ','));
	return json_text_take(&r->t, ']') ? 0 : refuse(r);
}

/* --- the status --- */

static int read_number(struct reading *r, const char *member, const char *name,
		       double max)
{
	char *end;
	double value;

	if (take_null(r))
		return 0;
	value = strtod(r->t.at, &end);
	if (!strchr("-0123456789", json_text_next(&r->t)) || end == r->t.at ||
	    !(value >= 0 && value <= max))
		return err_printf(r->err, "%s must be a number from 0 to %.0f",
				  member, max);
	put(r, name, value);
	return skip(r);
}

static int status_member(struct reading *r, const char *name, void *arg)
{
	(void)arg;
	if (!strcmp(name, "progressPercentage"))
		return read_number(r, name, METRICS_PERCENT, 100);
	if (!strcmp(name, "estimatedRemainingSeconds"))
		return read_number(r, name, METRICS_REMAINING, 1e9);
	if (!strcmp(name, "metrics"))
		return read_metrics(r);
	return skip(r);
}

static int request_member(struct reading *r, const char *name, void *arg)
{
	if (strcmp(name, "trainerStatus") != 0)
		return skip(r);
	if (take_null(r))
		return 0;
	return read_object(r, name, status_member, arg);
}

int trainer_status_line(const char *json, char *line, size_t size,
			struct err *err)
{
	struct reading r = {
		.t = {.at = json},
		.line = line,
		.size = size,
		.err = err,
	};

	*line = '\0';
	if (read_object(&r, "the body", request_member, NULL) < 0)
		return -1;
	return json_text_next(&r.t) ? refuse(&r) : 0;
}
