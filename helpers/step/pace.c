/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With metrics=on all are asked for their ranks' reports in each interval, and
 * it is said who is slower than the others (stragglers.h). The sight "pace" has
 * the rows "progress" of the sight "status" alone.
 */
#include "core/base/parse.h"
#include "core/facts/rows.h"
#include "helpers/step/query.h"
#include "helpers/step/stragglers.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INTERVAL_MS 10000
#define ANSWER_MS   3000
#define OLD_S	    60 /* of a report: who says nothing isn't slow, but stuck */

struct pace {
	struct controller *c;
	struct loop_timer interval;
	unsigned round; /* of the stragglers */
	struct stragglers stragglers;
};

static double number(const char *field)
{
	char *end;
	double n = strtod(field, &end);

	return end == field || *end || !isfinite(n) ? NAN : n;
}

static void on_seen(void *arg, unsigned member, const char *node,
		    const char *rows)
{
	struct pace *p = arg;
	cleanup_free char *text = strdup(rows);
	char *field[ROW_FIELDS], *at = text;
	long rank;

	(void)member;
	while (text && row_next(&at, field))
		if (!strcmp(field[0], "progress") &&
		    parse_number(field[1], 0, INT_MAX, &rank) == 0 &&
		    number(field[7]) <= OLD_S)
			stragglers_note(&p->stragglers, (unsigned)rank, node,
					&(struct pace_report){
						number(field[5]),
						number(field[8]),
					});
}

static void on_done(void *arg)
{
	struct pace *p = arg;

	stragglers_judge(&p->stragglers, time(NULL));
}

static void say(void *arg, const char *node, const char *line)
{
	struct controller *c = arg;

	c->say(c->arg, line);
	record_add_text(c, MARK_SLOW, node, line);
}

/* Each round is a new world: nobody is slow in it yet. */
static int begin_round(struct pace *p)
{
	const struct controller *c = p->c;
	struct err err;

	if (p->stragglers.rank && p->round == c->job->round)
		return 0;
	stragglers_close(&p->stragglers);
	if (stragglers_open(c->plan->world_size, &p->stragglers, &err) < 0)
		return -1;
	p->round = c->job->round;
	p->stragglers.say = say;
	p->stragglers.arg = p->c;
	return 0;
}

/* Where the arbiter isn't, nobody can be asked. */
static void on_interval(void *arg)
{
	struct pace *p = arg;
	const struct query_calls calls = {
		.seen = on_seen,
		.done = on_done,
		.arg = p,
	};

	loop_arm(p->c->loop, &p->interval, INTERVAL_MS);
	if (begin_round(p) == 0)
		query_begin(p->c, "pace", ANSWER_MS, &calls);
}

/* --- the part --- */

static bool is_wanted(const struct plan *plan)
{
	return plan->resolved.metrics;
}

static int open(struct controller *c, struct err *err)
{
	struct pace *p = c->pace = calloc(1, sizeof(*p));

	if (!p)
		return err_memory(err);
	p->c = c;
	p->interval = (struct loop_timer){.expired = on_interval, .arg = p};
	loop_arm(c->loop, &p->interval, INTERVAL_MS);
	return 0;
}

/* After the queries have ended. */
static void close_pace(struct controller *c)
{
	struct pace *p = c->pace;

	if (!p)
		return;
	loop_disarm(c->loop, &p->interval);
	stragglers_close(&p->stragglers);
	free(p);
	c->pace = NULL;
}

const struct step_part pace_of_step = {
	.name = "pace",
	.wanted = is_wanted,
	.open = open,
	.close = close_pace,
};
