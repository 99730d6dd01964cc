/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/looks.h"

#include "core/base/text.h"
#include "sys/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATUS_MS 5000
#define FILE_MAX  (64U << 20)
#define PART	  "launcher\t"

struct looks {
	struct looks_calls calls;
	struct loop *loop;
	struct looks_place place;
	char step[sizeof(((struct found_step *)0)->name)];
	struct step_view before, view, coming;
	/* the step; or */
	struct found_step found;
	struct visit visit;
	struct visitor *visitor;
	/* the file */
	struct loop_timer read;
};

static void on_done(void *arg, const struct err *err)
{
	struct looks *s = arg;

	if (err) {
		step_view_clear(&s->coming);
	} else {
		step_view_clear(&s->before);
		s->before = s->view;
		s->view = s->coming;
		s->coming = (struct step_view){0};
		step_view_finish(&s->view, &s->before);
	}
	s->calls.done(s->calls.arg, err);
}

/* --- the step --- */

static void on_shown(void *arg, unsigned member, const char *node, char *rows)
{
	struct looks *s = arg;

	(void)member;
	step_view_add(&s->coming, node, rows);
}

static void on_missing(void *arg, const char *line)
{
	struct looks *s = arg;

	if (s->calls.missing)
		s->calls.missing(s->calls.arg, line);
}

static void on_without(void *arg, const char *node, bool away)
{
	struct looks *s = arg;

	step_view_without(&s->coming, node, away);
}

static int find(struct looks *s, const char *name, struct err *err)
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

static int visit(struct looks *s, struct err *err)
{
	const struct visitor_calls calls = {.done = on_done, .arg = s};

	s->visitor = visitor_open(&s->visit, s->loop, &calls, err);
	return s->visitor ? 0 : -1;
}

/* --- a file --- */

static void show_parts(struct looks *s, char *text)
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
		step_view_add(&s->coming, node, rows);
		if (next)
			*next = *PART;
	}
}

static void on_read(void *arg)
{
	struct looks *s = arg;
	struct err err;
	cleanup_free char *text = text_file_read(s->place.file, FILE_MAX, &err);

	if (text) {
		plain_text(text, "\t\n");
		show_parts(s, text);
	} else {
		err_printf(&err, "step %s has ended", s->step);
	}
	on_done(s, text ? NULL : &err);
}

/* --- both --- */

struct looks *looks_open(const struct looks_place *place, struct loop *loop,
			 const struct looks_calls *calls, struct err *err)
{
	struct looks *s = calloc(1, sizeof(*s));

	if (!s)
		return err_memory_null(err);
	s->calls = *calls;
	s->loop = loop;
	s->place = *place;
	s->read = (struct loop_timer){.expired = on_read, .arg = s};
	if (place->file) {
		snprintf(s->step, sizeof(s->step), "%s", place->step);
		looks_ask(s);
		return s;
	}
	if (find(s, place->step, err) == 0 && visit(s, err) == 0)
		return s;
	looks_close(s);
	return NULL;
}

void looks_ask(struct looks *s)
{
	if (s->place.file)
		loop_arm(s->loop, &s->read, 0);
	else
		visitor_ask_again(s->visitor);
}

int looks_again(struct looks *s, struct err *err)
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

const struct step_view *looks_view(const struct looks *s)
{
	return &s->view;
}

const char *looks_step(const struct looks *s)
{
	return s->step;
}

void looks_close(struct looks *s)
{
	if (!s)
		return;
	visitor_close(s->visitor);
	loop_disarm(s->loop, &s->read);
	found_step_clear(&s->found);
	step_view_clear(&s->before);
	step_view_clear(&s->view);
	step_view_clear(&s->coming);
	free(s);
}
