/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/status_source.h"

#include "core/base/cleanup.h"
#include "core/base/text.h"
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
	struct status_place place;
	char step[sizeof(((struct found_step *)0)->name)];
	/* the step; or */
	struct found_step found;
	struct visit visit;
	struct visitor *visitor;
	/* the file */
	struct loop_timer read;
};

/* --- the step --- */

static void on_shown(void *arg, unsigned member, const char *node, char *rows)
{
	struct status_source *s = arg;

	(void)member;
	s->calls.shown(s->calls.arg, node, rows);
}

static void on_missing(void *arg, const char *line)
{
	struct status_source *s = arg;

	if (s->calls.missing)
		s->calls.missing(s->calls.arg, line);
}

static void on_without(void *arg, const char *node, bool away)
{
	struct status_source *s = arg;

	s->calls.without(s->calls.arg, node, away);
}

static int find(struct status_source *s, const char *name, struct err *err)
{
	s->visit = (struct visit){
		.step = &s->found,
		.ports = s->place.ports,
		.what = "status",
		.ms = STATUS_MS,
		.shown = on_shown,
		.missing = on_missing,
		.without = on_without,
		.arg = s,
	};
	if (step_find(name, &s->found, err) < 0 ||
	    found_step_become_user(&s->found, err) < 0)
		return -1;
	snprintf(s->step, sizeof(s->step), "%s", s->found.name);
	return 0;
}

static int visit(struct status_source *s, struct err *err)
{
	const struct visitor_calls calls = {
		.done = s->calls.done,
		.arg = s->calls.arg,
	};

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
	cleanup_free char *text = text_file_read(s->place.file, FILE_MAX, &err);

	if (text) {
		plain_text(text, "\t\n");
		show_parts(s, text);
	} else {
		err_printf(&err, "step %s has ended", s->step);
	}
	s->calls.done(s->calls.arg, text ? NULL : &err);
}

/* --- both --- */

struct status_source *
status_source_open(const struct status_place *place, struct loop *loop,
		   const struct status_source_calls *calls, struct err *err)
{
	struct status_source *s = calloc(1, sizeof(*s));

	if (!s) {
		err_memory(err);
		return NULL;
	}
	s->calls = *calls;
	s->loop = loop;
	s->place = *place;
	s->read = (struct loop_timer){.expired = on_read, .arg = s};
	if (place->file) {
		snprintf(s->step, sizeof(s->step), "%s", place->step);
		status_source_ask(s);
		return s;
	}
	if (find(s, place->step, err) == 0 && visit(s, err) == 0)
		return s;
	status_source_close(s);
	return NULL;
}

void status_source_ask(struct status_source *s)
{
	if (s->place.file)
		loop_arm(s->loop, &s->read, 0);
	else
		visitor_ask_again(s->visitor);
}

int status_source_again(struct status_source *s, struct err *err)
{
	visitor_close(s->visitor);
	s->visitor = NULL;
	found_step_clear(&s->found);
	if (s->place.file)
		return err_printf(err, "step %s has ended", s->step);
	if (find(s, s->step, err) < 0)
		return -1;
	return s->found.running
		       ? visit(s, err)
		       : err_printf(err, "step %s has ended (its job is %s)",
				    s->step, s->found.job_state);
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
