/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/roles/director.h"

#include "core/base/exit_code.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *world_state_name(enum world_state state)
{
	static const char *const names[WORLD_NSTATES] = {
		[WORLD_WAITS] = "waiting", [WORLD_STARTS] = "starting",
		[WORLD_READY] = "ready",   [WORLD_DOWN] = "ending",
		[WORLD_LEAVES] = "ending", [WORLD_OVER] = "ended",
	};

	return names[state];
}

/* --- who is who --- */

static const struct role_line *line_of(const struct director *d, unsigned w)
{
	return &d->plan->file->role[d->plan->world[w].role];
}

static bool needs(const struct role_line *line, unsigned role)
{
	return memchr(line->needs, (int)role, line->nneeds);
}

/* All worlds of a role are in that state. */
static bool all_are(const struct director *d, unsigned role,
		    enum world_state state)
{
	const struct role_plan *p = d->plan;

	for (unsigned i = 0; i < p->count[role]; i++)
		if (d->world[p->first[role] + i].state != state)
			return false;
	return true;
}

/* A world that will never be ready again, of those that `w` needs; -1. */
static long lost_need(const struct director *d, unsigned w)
{
	const struct role_line *line = line_of(d, w);
	const struct role_plan *p = d->plan;

	for (unsigned i = 0; i < line->nneeds; i++) {
		unsigned role = line->needs[i];

		for (unsigned k = 0; k < p->count[role]; k++)
			if (d->world[p->first[role] + k].state == WORLD_OVER)
				return (long)(p->first[role] + k);
	}
	return -1;
}

static bool has_needs(const struct director *d, unsigned w)
{
	const struct role_line *line = line_of(d, w);

	for (unsigned i = 0; i < line->nneeds; i++)
		if (!all_are(d, line->needs[i], WORLD_READY))
			return false;
	return true;
}

/* Whether a role that isn't over needs this one. */
static bool is_needed(const struct director *d, unsigned role)
{
	for (unsigned i = 0; i < d->plan->file->n; i++)
		if (needs(&d->plan->file->role[i], role) &&
		    !all_are(d, i, WORLD_OVER))
			return true;
	return false;
}

int director_waits_for(const struct director *d, unsigned w)
{
	const struct role_plan *p = d->plan;

	for (unsigned i = 0; i < p->n; i++)
		if (d->world[i].state == WORLD_WAITS &&
		    needs(line_of(d, i), p->world[w].role))
			return (int)p->world[i].role;
	return ROLE_NONE;
}

/* Of the two roles that begin anew together one still has processes, or the one
 * that has failed pauses. */
static bool has_to_wait(const struct director *d, unsigned w)
{
	for (unsigned i = 0; i < d->plan->n; i++)
		if (i != w && d->world[i].again && d->world[w].again &&
		    (d->world[i].state == WORLD_LEAVES || d->world[i].paused))
			return true;
	return d->world[w].paused;
}

/* --- words --- */

static void say(struct director *d, unsigned w, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void say(struct director *d, unsigned w, const char *fmt, ...)
{
	char line[512], name[ROLE_WORLD_NAME_SIZE];
	va_list ap;
	int n;

	if (d->told || d->phase == DIRECTOR_ENDS)
		return;
	n = snprintf(line, sizeof(line), "%s ",
		     role_world_name(d->plan, &d->plan->world[w], name));
	va_start(ap, fmt);
	vsnprintf(line + n, sizeof(line) - (size_t)n, fmt, ap);
	va_end(ap);
	d->calls->say(d->arg, w, line);
}

/* How a world has ended, and what follows. */
static void say_end(struct director *d, unsigned w, const char *what)
{
	const struct role_line *line = line_of(d, w);
	const struct role_word *program = line->word;

	if (d->world[w].late)
		say(d, w, "wasn't ready within %u s (ready-timeout): %s",
		    line->ready_timeout_s, what);
	else if (exit_is_no_start(d->world[w].code))
		say(d, w,
		    "can't be started (exit code %d): %s:%u:%u: %.*s, or what "
		    "it runs, %s; %s",
		    d->world[w].code, d->plan->file->name, program->at.line,
		    program->at.column, (int)program->len, program->text,
		    d->world[w].code == EXIT_NOT_FOUND
			    ? "isn't there: name it in full, or add its folder "
			      "by path=DIR"
			    : "can't be executed: see its permissions (chmod "
			      "+x) and its format",
		    what);
	else if (d->world[w].code)
		say(d, w, "has ended with exit code %d: %s", d->world[w].code,
		    what);
	else
		say(d, w,
		    "has ended with exit code 0, and other roles need it: %s",
		    what);
}

/* --- steps of a world --- */

static void set_state(struct director *d, unsigned w, enum world_state state)
{
	if (d->world[w].state == state)
		return;
	d->world[w].state = state;
	d->calls->changed(d->arg, w);
}

static void start(struct director *d, unsigned w)
{
	d->world[w].again = false;
	d->world[w].late = false;
	set_state(d, w, WORLD_STARTS);
	d->calls->start(d->arg, w, d->world[w].round);
}

static void leave(struct director *d, unsigned w)
{
	set_state(d, w, WORLD_LEAVES);
	d->calls->end(d->arg, w);
}

static void be_over(struct director *d, unsigned w, bool failed)
{
	d->world[w].failed = failed;
	d->world[w].again = false;
	set_state(d, w, WORLD_OVER);
}

/* --- the end of the step --- */

static bool all_over(const struct director *d)
{
	for (unsigned w = 0; w < d->plan->n; w++)
		if (d->world[w].state != WORLD_OVER)
			return false;
	return true;
}

/* A world is told to end when all that need it are gone. */
static void end_next(struct director *d)
{
	for (unsigned w = 0; w < d->plan->n; w++) {
		enum world_state state = d->world[w].state;

		if (state == WORLD_WAITS || state == WORLD_DOWN)
			be_over(d, w,
				state == WORLD_WAITS || d->world[w].code != 0);
	}
	for (unsigned w = 0; w < d->plan->n && !d->told; w++) {
		enum world_state state = d->world[w].state;

		if ((state == WORLD_STARTS || state == WORLD_READY) &&
		    !is_needed(d, d->plan->world[w].role))
			leave(d, w);
	}
	if (!all_over(d))
		return;
	d->phase = DIRECTOR_OVER;
	d->calls->leave(d->arg, d->code);
}

void director_end(struct director *d, int code)
{
	if (d->phase >= DIRECTOR_ENDS)
		return;
	d->phase = DIRECTOR_ENDS;
	d->code = code;
	end_next(d);
}

void director_told(struct director *d, int code)
{
	if (d->phase == DIRECTOR_OVER || d->told)
		return;
	d->told = true;
	if (d->phase != DIRECTOR_ENDS)
		d->code = code;
	d->phase = DIRECTOR_ENDS;
	end_next(d);
}

void director_saved(struct director *d)
{
	if (d->phase == DIRECTOR_SAVES)
		director_end(d, d->code);
}

static bool done_are_over(const struct director *d)
{
	for (unsigned i = 0; i < d->plan->file->n; i++)
		if (d->plan->file->role[i].done && !all_are(d, i, WORLD_OVER))
			return false;
	return true;
}

/* --- what a failure comes to --- */

static void fail_end(struct director *d, unsigned w, int code)
{
	say_end(d, w, "the step ends (on-failure=end)");
	be_over(d, w, true);
	director_end(d, code);
}

static void fail_ignore(struct director *d, unsigned w, int code)
{
	(void)code;
	say_end(d, w, "the others go on (on-failure=ignore)");
	be_over(d, w, true);
}

/* Returns whether it may begin once more; else the step is ended. */
static bool may_restart(struct director *d, unsigned w, int code,
			const char *how)
{
	const struct role_line *line = line_of(d, w);
	bool no_start = exit_is_no_start(code);
	char what[96];

	if (no_start || d->world[w].restarts >= line->restart) {
		if (no_start)
			strcpy(what, "no restart, the step ends");
		else
			snprintf(what, sizeof(what),
				 "the step ends, after %u restart%s "
				 "(on-failure=%s)",
				 line->restart, line->restart == 1 ? "" : "s",
				 how);
		say_end(d, w, what);
		be_over(d, w, true);
		director_end(d, code);
		return false;
	}
	d->world[w].restarts++;
	d->world[w].paused = true;
	d->calls->pause(d->arg, w);
	return true;
}

static void begin_anew(struct director *d, unsigned w)
{
	d->world[w].round++;
	d->world[w].again = true;
	d->world[w].failed = false;
	set_state(d, w, WORLD_WAITS);
}

static void fail_restart(struct director *d, unsigned w, int code)
{
	char what[64];

	if (!may_restart(d, w, code, "restart"))
		return;
	snprintf(what, sizeof(what), "it starts again (%u of %u)",
		 d->world[w].restarts, line_of(d, w)->restart);
	say_end(d, w, what);
	begin_anew(d, w);
	d->world[w].again = false; /* alone */
}

/* All worlds of both roles. */
static void fail_together(struct director *d, unsigned w, int code)
{
	const struct role_line *line = line_of(d, w);
	unsigned role = d->plan->world[w].role;
	char what[128];

	if (!may_restart(d, w, code, "together"))
		return;
	snprintf(what, sizeof(what),
		 "it starts again together with %s (%u of %u)",
		 d->plan->file->role[line->together].name, d->world[w].restarts,
		 line->restart);
	say_end(d, w, what);
	for (unsigned i = 0; i < d->plan->n; i++) {
		struct director_world *at = &d->world[i];
		unsigned its = d->plan->world[i].role;

		if (its != role && (int)its != line->together)
			continue;
		if (at->state == WORLD_DOWN || at->state == WORLD_OVER) {
			begin_anew(d, i);
		} else if (at->state != WORLD_WAITS) {
			at->again = true;
			leave(d, i);
		}
	}
}

static void fail_save(struct director *d, unsigned w, int code)
{
	say_end(d, w,
		"the roles that are done save, then the step ends "
		"(on-failure=save)");
	be_over(d, w, true);
	d->phase = DIRECTOR_SAVES;
	d->code = code;
	for (unsigned i = 0; i < d->plan->n; i++)
		if (line_of(d, i)->done && d->world[i].state != WORLD_OVER)
			d->calls->save(d->arg, i);
	d->calls->save_time(d->arg);
}

static void fail(struct director *d, unsigned w, int code)
{
	static void (*const policy[])(struct director * d, unsigned w,
				      int code) = {
		[FAILURE_END] = fail_end,
		[FAILURE_RESTART] = fail_restart,
		[FAILURE_IGNORE] = fail_ignore,
		[FAILURE_TOGETHER] = fail_together,
		[FAILURE_SAVE] = fail_save,
	};

	policy[line_of(d, w)->failure](d, w, code);
}

/* --- who can start, and whether the step is over --- */

/* What it needs is lost: no restart of its own would help. */
static void can_not_start(struct director *d, unsigned w, long lost)
{
	char name[ROLE_WORLD_NAME_SIZE];

	say(d, w, "can't start: %s, which it needs, has ended",
	    role_world_name(d->plan, &d->plan->world[lost], name));
	be_over(d, w, true);
	if (line_of(d, w)->failure != FAILURE_IGNORE)
		director_end(d, EXIT_FAILURE);
}

/* Returns whether anything has changed. */
static bool look_at(struct director *d, unsigned w)
{
	long lost;

	if (d->world[w].state != WORLD_WAITS)
		return false;
	lost = lost_need(d, w);
	if (lost >= 0)
		can_not_start(d, w, lost);
	else if (has_needs(d, w) && !has_to_wait(d, w))
		start(d, w);
	else
		return false;
	return true;
}

static void go_on(struct director *d)
{
	bool changed = true;

	while (changed && d->phase == DIRECTOR_RUNS) {
		changed = false;
		for (unsigned w = 0;
		     w < d->plan->n && d->phase == DIRECTOR_RUNS; w++)
			changed |= look_at(d, w);
	}
	if (d->phase == DIRECTOR_RUNS && done_are_over(d))
		director_end(d, EXIT_SUCCESS);
	else if (d->phase == DIRECTOR_SAVES && done_are_over(d))
		director_end(d, d->code);
	else if (d->phase == DIRECTOR_ENDS)
		end_next(d);
}

/* --- what happens to a world --- */

static void become_ready(struct director *d, unsigned w, int code)
{
	(void)code;
	set_state(d, w, WORLD_READY);
}

/* Its processes may hang: they are ended, and then it has failed. */
static void be_late(struct director *d, unsigned w, int code)
{
	(void)code;
	d->world[w].late = true;
	leave(d, w);
}

/* It has ended, by itself or since it was late. */
static void judge(struct director *d, unsigned w, int code)
{
	if (d->phase != DIRECTOR_RUNS) {
		be_over(d, w, code != 0);
		return;
	}
	d->world[w].code = code;
	if (!code && line_of(d, w)->done) {
		be_over(d, w, false);
		return;
	}
	set_state(d, w, WORLD_DOWN);
	d->calls->compare_time(d->arg);
}

/* It has ended since we told it to. */
static void be_gone(struct director *d, unsigned w, int code)
{
	(void)code;
	if (d->phase != DIRECTOR_RUNS)
		be_over(d, w, true);
	else if (d->world[w].again)
		begin_anew(d, w);
	else if (d->world[w].late)
		judge(d, w, EXIT_FAILURE);
	else
		be_over(d, w, true);
}

static void decide(struct director *d, unsigned w)
{
	int code = d->world[w].code;

	if (code || is_needed(d, d->plan->world[w].role))
		fail(d, w, code ? code : EXIT_FAILURE);
	else
		be_over(d, w, false);
}

/* Those that others need come first: who needs them may have failed by that. */
void director_compare(struct director *d)
{
	const struct role_plan *p = d->plan;
	unsigned char order[ROLES_MAX];

	role_order(p->file, order);
	for (unsigned i = 0; i < p->file->n; i++)
		for (unsigned k = 0; k < p->count[order[i]]; k++) {
			unsigned w = p->first[order[i]] + k;

			if (d->world[w].state != WORLD_DOWN)
				continue;
			if (d->phase == DIRECTOR_RUNS)
				decide(d, w);
			else
				be_over(d, w, d->world[w].code != 0);
		}
	go_on(d);
}

void director_paused(struct director *d, unsigned w)
{
	d->world[w].paused = false;
	go_on(d);
}

void director_event(struct director *d, unsigned w, enum world_event event,
		    int code)
{
	static void (*const act[WORLD_NSTATES][WORLD_NEVENTS])(
		struct director * d, unsigned w, int code) = {
#define ROW(state, event, function) [state][event] = function,
#include "helpers/roles/director_table.def"
#undef ROW
	};

	if (d->phase == DIRECTOR_OVER || !act[d->world[w].state][event])
		return;
	act[d->world[w].state][event](d, w, code);
	go_on(d);
}

int director_open(struct director *d, struct err *err)
{
	d->world = calloc(d->plan->n, sizeof(*d->world));
	return d->world ? 0 : err_memory(err);
}

void director_begin(struct director *d)
{
	go_on(d);
}

void director_close(struct director *d)
{
	free(d->world);
	d->world = NULL;
}
