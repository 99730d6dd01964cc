/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With metrics=on, the arbiter's launcher asks all for their ranks' reports in
 * each interval, and says who is slower than the others (stragglers.h). The
 * sight "pace" has the rows "progress" of the sight "status" alone.
 */
#include "helpers/look/look_state.h"

#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "core/facts/rows.h"
#include "helpers/launch/note.h"
#include "helpers/launch/step.h"
#include "helpers/look/stragglers.h"
#include "helpers/metrics/metrics.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INTERVAL_MS 10000
#define ANSWER_MS   3000
#define OLD_S	    60 /* of a report: who says nothing isn't slow, but stuck */

struct pace {
	struct launch_view *v;
	struct loop_timer interval;
	unsigned round; /* of the stragglers */
	struct stragglers stragglers;
};

void pace_begin(struct sight *sight, const char *words)
{
	cleanup_free char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)words;
	if (f)
		metrics_tell(sight_view(sight)->metrics, f);
	sight_tell(sight, f && fclose(f) == 0 ? text : "");
}

/* --- where the arbiter is --- */

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
	launch_say(arg, line);
	note_text(arg, MARK_SLOW, node, line);
}

/* Each round is a new world: nobody is slow in it yet. */
static int begin_round(struct pace *p)
{
	const struct launch_view *v = p->v;
	struct err err;

	if (p->stragglers.rank && p->round == v->job->round)
		return 0;
	stragglers_close(&p->stragglers);
	if (stragglers_open(v->plan->world_size, &p->stragglers, &err) < 0)
		return -1;
	p->round = v->job->round;
	p->stragglers.say = say;
	p->stragglers.arg = p->v->launch;
	return 0;
}

/* Where the arbiter isn't, nobody can be asked. */
static void on_interval(void *arg)
{
	struct pace *p = arg;
	const struct looking_calls calls = {
		.seen = on_seen,
		.done = on_done,
		.arg = p,
	};

	loop_arm(p->v->loop, &p->interval, INTERVAL_MS);
	if (begin_round(p) == 0)
		looking_begin(p->v, "pace", ANSWER_MS, &calls);
}

int pace_open(struct launch_view *v, struct pace **ret, struct err *err)
{
	struct pace *p;

	if (!v->plan->resolved.metrics)
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return err_memory(err);
	p->v = v;
	p->interval = (struct loop_timer){.expired = on_interval, .arg = p};
	loop_arm(v->loop, &p->interval, INTERVAL_MS);
	*ret = p;
	return 0;
}

void pace_close(struct pace *p)
{
	if (!p)
		return;
	loop_disarm(p->v->loop, &p->interval);
	stragglers_close(&p->stragglers);
	free(p);
}
