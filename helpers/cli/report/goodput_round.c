/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/goodput.h"

#include <stdlib.h>
#include <string.h>

#define SILENT	"no sign of life from "
#define QUIET	"no rank has worked for "
#define GOES_ON "the step goes on"
#define MAX_MS	1e12 /* of a duration in a text */

#define LATE_MARKS 32

/* What the record says of a round. */
struct round {
	unsigned number;
	int64_t runs_ms;	      /* or TIME_UNKNOWN */
	int64_t stages_ms, staged_ms; /* likewise */
	bool troubled;		      /* and by what */
	enum cause cause;
	const char *node, *text;
	int64_t own_ms;			 /* when it happened */
	int64_t decided_ms;		 /* when it was found */
	const struct node_mark *hang;	 /* with which the step went on */
	int64_t hang_ms, hang_found_ms;	 /* since when, and when it was found */
	const char *signalled;		 /* why the ranks were; NULL: no */
	const struct node_mark *stopped; /* NULL: it wasn't */
	double steps;			 /* of the slowest rank, at the end; or
					    RECORD_NEVER */
};

struct walk {
	struct counting *c;
	const struct goodput_step *step;
	size_t index;	    /* of the step in its life */
	struct round round; /* that is being read */
	bool first;	    /* it is */
};

static int64_t time_of(const struct goodput_step *step,
		       const struct node_mark *m)
{
	return (int64_t)(step->record.begin_ms + m->at_ms);
}

/* "8.86 s", "3 min 20 s", "48 h 2 min": core/base/text.c */
static int64_t duration_ms(const char *text)
{
	static const struct {
		const char *unit;
		double ms;
	} units[] = {{" min", 60e3}, {" s", 1e3}, {" ms", 1}, {" h", 3600e3}};
	double sum = 0;
	char *end;

	for (;;) {
		double n = strtod(text, &end);
		size_t i = 0;

		while (i < 4 &&
		       strncmp(end, units[i].unit, strlen(units[i].unit)) != 0)
			i++;
		if (end == text || i == 4 || !(n >= 0 && n < MAX_MS))
			break;
		sum += n * units[i].ms;
		text = end + strlen(units[i].unit);
	}
	return sum < MAX_MS ? (int64_t)sum : 0;
}

/* --- what a mark says --- */

static void note(struct round *r, enum cause cause, const struct node_mark *m,
		 int64_t own_ms, int64_t decided_ms)
{
	if (!r->troubled || own_ms < r->own_ms)
		r->own_ms = own_ms;
	if (!r->troubled || decided_ms > r->decided_ms)
		r->decided_ms = decided_ms;
	if (*m->node && (!r->node || cause > r->cause))
		r->node = m->node;
	if (!r->troubled || cause > r->cause) {
		r->cause = cause;
		r->text = text_unnamed(m->text);
	}
	r->troubled = true;
}

/* The step may go on with a hang; whether it ended then nobody knows unless
 * somebody reports progress. */
static void see_hang(struct round *r, const struct node_mark *m, int64_t at)
{
	const char *quiet = strstr(m->text, QUIET);
	int64_t own = at - (quiet ? duration_ms(quiet + strlen(QUIET)) : 0);

	if (!strstr(m->text, GOES_ON)) {
		note(r, CAUSE_HANG, m, own, at);
		return;
	}
	r->hang = m;
	r->hang_ms = own;
	r->hang_found_ms = at;
}

static void see_said(struct round *r, const struct node_mark *m, int64_t at)
{
	const char *silent = strstr(m->text, SILENT), *behind;

	if (!silent || !strncmp(silent + strlen(SILENT), "srun ", 5))
		return;
	behind = strstr(silent, " for ");
	note(r, CAUSE_NODE_LOSS, m,
	     at - (behind ? duration_ms(behind + strlen(" for ")) : 0), at);
}

static void see_last(struct round *r, const struct node_mark *m)
{
	if (m->round == r->number && (r->steps < 0 || m->steps < r->steps))
		r->steps = m->steps;
}

static void see(struct round *r, const struct node_mark *m, int64_t at)
{
	switch (m->mark) {
	case MARK_RUNS:
		if (r->runs_ms < 0)
			r->runs_ms = at;
		break;
	case MARK_STAGES:
		r->stages_ms = at;
		break;
	case MARK_STAGED:
		r->staged_ms = at;
		break;
	case MARK_FAILURE:
		if (!mark_is_excused(m, r->stopped))
			note(r, CAUSE_FAILURE, m, at, at);
		break;
	case MARK_STOPPED:
		r->stopped = m;
		if (!r->troubled)
			note(r,
			     m->limit_s < 0 ? CAUSE_CANCELLED
					    : CAUSE_TIME_LIMIT,
			     m, at, at);
		break;
	case MARK_LOST:
		note(r, CAUSE_NODE_LOSS, m, r->troubled ? r->own_ms : at,
		     r->troubled ? r->decided_ms : at);
		break;
	case MARK_CONDEMNED:
		note(r, CAUSE_CONDEMNED, m, at, at);
		break;
	case MARK_HANG:
		see_hang(r, m, at);
		break;
	case MARK_SAID:
		see_said(r, m, at);
		break;
	case MARK_SIGNALLED:
		if (!r->troubled && !r->signalled)
			r->signalled = text_unnamed(m->text);
		break;
	case MARK_PROGRESS:
		if (m->last)
			see_last(r, m);
		else
			r->hang = NULL;
		break;
	default:
		break;
	}
}

/* --- what a round comes to --- */

static void name_trouble(struct trouble *t, const struct walk *w)
{
	const struct round *r = &w->round;
	size_t n = r->text ? strcspn(r->text, "\n") : 0;

	t->step = w->step->number;
	t->round = r->number;
	snprintf(t->node, sizeof(t->node), "%s", r->node ? r->node : "");
	snprintf(t->text, sizeof(t->text), "%.*s", (int)n,
		 r->text ? r->text : "");
}

/* Without its end it has lasted until something else came. */
static void put_staging(struct walk *w, enum part before, int64_t until_ms)
{
	const struct round *r = &w->round;
	int64_t end_ms = r->staged_ms < 0 ? r->runs_ms : r->staged_ms;

	if (r->stages_ms < 0 || r->stages_ms > until_ms)
		return;
	put_span(w->c, before, r->stages_ms, false);
	put_span(w->c, PART_STAGING,
		 end_ms < 0 || end_ms > until_ms ? until_ms : end_ms, false);
}

/* The round's training until then. */
static void put_training(struct walk *w, int64_t until_ms)
{
	const struct round *r = &w->round;
	enum part before = w->first ? PART_STARTUP : PART_RESTART;

	put_staging(w, before, until_ms);

	if (r->runs_ms < 0 || r->runs_ms > until_ms) {
		put_span(w->c, before, until_ms, false);
		return;
	}
	put_span(w->c, before, r->runs_ms, false);
	w->c->trouble = -1;
	put_span(w->c, PART_TRAINING, until_ms, false);
}

/* Nobody has said that a hang was over before the round was. */
static bool became_stuck(struct round *r)
{
	if (!r->hang || r->cause == CAUSE_HANG || r->hang_ms >= r->own_ms)
		return false;
	r->cause = CAUSE_HANG;
	r->node = r->hang->node;
	r->text = text_unnamed(r->hang->text);
	return true;
}

/* It was troubled, and ends then. */
static void put_round(struct walk *w, int64_t end_ms)
{
	struct round *r = &w->round;
	struct counting *c = w->c;
	bool stuck = became_stuck(r);
	int64_t own_ms = stuck ? r->hang_ms : r->own_ms;
	size_t nspans = c->g->nspans;
	struct trouble *t;

	put_training(w, own_ms);
	t = put_trouble(c, r->cause, own_ms);
	if (!t)
		return;
	name_trouble(t, w);
	if (c->g->nspans > nspans)
		lost_cut(c, w->index, end_ms, r->steps);
	put_span(c, PART_DETECTION, stuck ? r->hang_found_ms : r->decided_ms,
		 false);
	if (stuck)
		put_span(c, PART_UNKNOWN, r->own_ms, true);
	put_span(c, PART_RESTART, end_ms, false);
}

static struct round new_round(unsigned number)
{
	return (struct round){
		.number = number,
		.runs_ms = TIME_UNKNOWN,
		.stages_ms = TIME_UNKNOWN,
		.staged_ms = TIME_UNKNOWN,
		.steps = RECORD_NEVER,
	};
}

/* Another one follows, in mark i: something has ended it. What other launchers
 * tell of its end may come later. */
static void end_round(struct walk *w, size_t i, int64_t at_ms)
{
	const struct record *record = &w->step->record;
	unsigned next = record->mark[i].round;
	struct round *r = &w->round;

	for (size_t k = i; k < record->nmarks && k - i < LATE_MARKS; k++)
		if (record->mark[k].last)
			see_last(r, &record->mark[k]);
	if (!r->troubled) {
		r->cause = CAUSE_OTHER;
		r->own_ms = r->decided_ms = at_ms;
	}
	put_round(w, at_ms);
	w->first = false;
	w->round = new_round(next);
}

/* --- the end --- */

static void blame_end(struct round *r, enum cause cause, const char *text,
		      int64_t at_ms)
{
	if (!r->troubled)
		r->own_ms = r->decided_ms = at_ms;
	if (cause > r->cause || !r->troubled) {
		r->cause = cause;
		r->text = text;
		r->node = NULL;
	}
}

/* A group that failed while others went on to a good end is no interruption. */
static void end_step(struct walk *w, bool runs)
{
	const struct node_mark *end = record_last(&w->step->record, MARK_END);
	struct counting *c = w->c;
	int64_t end_ms = runs ? c->g->job->now_ms : step_end_ms(w->step);
	struct round *r = &w->round;

	if (r->signalled)
		blame_end(r, CAUSE_SIGNALLED, r->signalled, end_ms);
	else if (end && end->code > 0)
		blame_end(r, CAUSE_OTHER, text_unnamed(end->text), end_ms);
	else if (!end && !runs)
		blame_end(r, CAUSE_KILLED, NULL, end_ms);
	else if (!end && r->hang)
		blame_end(r, CAUSE_OTHER, NULL, end_ms);
	else {
		put_training(w, end_ms);
		c->trouble = -1;
		return;
	}
	put_round(w, end_ms);
}

void count_step(struct counting *c, size_t index, bool last)
{
	const struct goodput_step *step = &c->g->job->life[c->life].step[index];
	const struct record *r = &step->record;
	struct walk w = {
		.c = c,
		.step = step,
		.index = index,
		.round = new_round(r->nmarks ? r->mark[0].round : 0),
		.first = true,
	};

	for (size_t i = 0; i < r->nmarks; i++) {
		const struct node_mark *m = &r->mark[i];
		int64_t at_ms = time_of(step, m);

		if (*m->world)
			continue; /* the step's time goes on */
		if (m->round > w.round.number && m->mark != MARK_LOST)
			end_round(&w, i, at_ms);
		if (m->mark != MARK_END)
			see(&w.round, m, at_ms);
	}
	end_step(&w, last && c->g->job->step_runs);
}
