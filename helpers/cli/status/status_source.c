/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/status_source.h"

#include "core/base/cleanup.h"
#include "core/option/config.h"
#include "helpers/visit/visitor.h"
#include "sys/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATUS_MS 5000
#define FILE_MAX  (64U << 20)
#define PART	  "launcher\t"

struct status_source {
	struct status_source_calls calls;
	struct loop *loop;
	char step[64];
	/* the step; or */
	struct found_step found;
	struct visit visit;
	struct visitor *visitor;
	/* the file */
	const char *file;
	struct loop_timer read;
};

/* --- the step --- */

static void on_shown(void *arg, unsigned member, const char *node, char *rows)
{
	struct status_source *s = arg;

	(void)member;
	s->calls.shown(s->calls.arg, node, rows);
}

static int find(struct status_source *s, const char *name, struct err *err)
{
	struct config config;

	if (config_parse(0, NULL, &config, err) < 0)
		return -1;
	s->visit = (struct visit){
		.step = &s->found,
		.port_min = config.port_min,
		.port_max = config.port_max,
		.what = "status",
		.ms = STATUS_MS,
		.shown = on_shown,
		.arg = s,
	};
	config_clear(&config);
	if (step_find(name, &s->found, err) < 0 ||
	    found_step_become_user(&s->found, err) < 0)
		return -1;
	if (!s->found.running && *s->step)
		return err_printf(err, "step %s has ended", s->step);
	if (!s->found.running)
		return err_printf(err, "no step of job %lu runs",
				  s->found.job_id);
	snprintf(s->step, sizeof(s->step), "%lu.%lu", s->found.job_id,
		 s->found.step_id);
	return 0;
}

static int visit(struct status_source *s, const char *name, struct err *err)
{
	const struct visitor_calls calls = {
		.done = s->calls.done,
		.arg = s->calls.arg,
	};

	if (find(s, name, err) < 0)
		return -1;
	s->visitor = visitor_open(&s->visit, s->loop, &calls, err);
	return s->visitor ? 0 : -1;
}

/* --- a file --- */

static void show_parts(struct status_source *s, char *text)
{
	char *at = text, *next;

	for (; at && !strncmp(at, PART, strlen(PART)); at = next) {
		char *node = at + strlen(PART);
		char *rows = node + strcspn(node, "\n");

		next = strstr(rows, "\n" PART);
		if (next)
			*++next = '\0';
		if (*rows)
			*rows++ = '\0';
		s->calls.shown(s->calls.arg, node, rows);
		if (next)
			*next = *PART;
	}
}

static void on_read(void *arg)
{
	struct status_source *s = arg;
	struct err err;
	cleanup_free char *text = text_file_read(s->file, FILE_MAX, &err);

	if (text)
		show_parts(s, text);
	else
		err_printf(&err, "step %s has ended", s->step);
	s->calls.done(s->calls.arg, text ? NULL : &err);
}

/* --- both --- */

struct status_source *
status_source_open(const char *name, const char *file, struct loop *loop,
		   const struct status_source_calls *calls, struct err *err)
{
	struct status_source *s = calloc(1, sizeof(*s));

	if (!s) {
		err_memory(err);
		return NULL;
	}
	s->calls = *calls;
	s->loop = loop;
	s->file = file;
	s->read = (struct loop_timer){.expired = on_read, .arg = s};
	if (file) {
		snprintf(s->step, sizeof(s->step), "%s", name);
		status_source_ask(s);
		return s;
	}
	if (visit(s, name, err) == 0)
		return s;
	status_source_close(s);
	return NULL;
}

void status_source_ask(struct status_source *s)
{
	if (s->file)
		loop_arm(s->loop, &s->read, 0);
	else
		visitor_ask_again(s->visitor);
}

int status_source_again(struct status_source *s, struct err *err)
{
	visitor_close(s->visitor);
	s->visitor = NULL;
	found_step_clear(&s->found);
	return s->file ? err_printf(err, "step %s has ended", s->step)
		       : visit(s, s->step, err);
}

const char *status_source_step(const struct status_source *s)
{
	return s->step;
}

void status_source_close(struct status_source *s)
{
	if (!s)
		return;
	visitor_close(s->visitor);
	loop_disarm(s->loop, &s->read);
	found_step_clear(&s->found);
	free(s);
}
