/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/goodput.h"

#include <stdlib.h>

/* --- a life --- */

/* When it began, as far as that is known. */
static int64_t life_begin(const struct goodput_life *l)
{
	if (l->start_ms >= 0)
		return l->start_ms;
	return l->nsteps ? step_begin_ms(&l->step[0]) : TIME_UNKNOWN;
}

/* Until the life starts. What came before it is over at its submission. */
static void count_queue(struct counting *c)
{
	const struct goodput_job *job = c->g->job;
	const struct goodput_life *l = &job->life[c->life];
	const struct goodput_life *before = c->life ? l - 1 : NULL;
	bool known = before && before->nsteps &&
		     before->requeue + 1 == l->requeue &&
		     step_has_end(&before->step[before->nsteps - 1]);
	enum part rest = known ? PART_OUTSIDE : PART_UNKNOWN;

	if (before) {
		c->life--;
		put_span(c, rest,
			 before->end_ms >= 0 ? before->end_ms : l->submit_ms,
			 !known);
		c->life++;
	}
	if (l->start_ms >= 0 &&
	    (l->submit_ms >= 0 || (before && before->end_ms >= 0)))
		put_span(c, PART_QUEUE, l->start_ms, false);
	else
		put_span(c, PART_UNKNOWN, life_begin(l), before && !known);
}

static void count_steps(struct counting *c, const struct goodput_life *l,
			bool last)
{
	for (size_t i = 0; i < l->nsteps; i++) {
		int64_t begin = step_begin_ms(&l->step[i]);

		if (i && begin < step_end_ms(&l->step[i - 1]) &&
		    begin < c->at_ms)
			c->g->overlap_ms += c->at_ms - begin;
		put_span(c, PART_OUTSIDE, begin, false);
		count_step(c, i, last && i + 1 == l->nsteps);
	}
}

/* Nothing of a life is later than the begin of the next one. */
static int64_t bound_of(const struct goodput *g, size_t life)
{
	int64_t next = TIME_UNKNOWN;

	if (life + 1 < g->job->nlives)
		next = life_begin(&g->job->life[life + 1]);
	return next >= 0 ? next : INT64_MAX;
}

/* Of the last life: what comes after its last step. */
static void count_end(struct counting *c, const struct goodput_life *l)
{
	bool known = !l->nsteps || step_has_end(&l->step[l->nsteps - 1]);
	bool waits = l->start_ms < 0 && !l->nsteps;

	if (l->end_ms >= 0)
		put_span(c, known ? PART_OUTSIDE : PART_UNKNOWN, l->end_ms,
			 !known);
	else if (waits)
		put_span(c, l->submit_ms >= 0 ? PART_QUEUE : PART_UNKNOWN,
			 c->g->job->now_ms, false);
	else
		put_span(c, known ? PART_OUTSIDE : PART_UNKNOWN,
			 c->g->job->now_ms, !known);
}

static void count_life(struct counting *c)
{
	const struct goodput_job *job = c->g->job;
	const struct goodput_life *l = &job->life[c->life];
	bool last = c->life + 1 == job->nlives;

	if (l->nsteps && step_begin_ms(&l->step[0]) < c->at_ms)
		c->g->backwards = true;
	c->until_ms = bound_of(c->g, c->life);
	if (c->until_ms < c->at_ms)
		c->g->backwards = true;
	count_queue(c);
	count_steps(c, l, last);
	if (last)
		count_end(c, l);
}

static void charge(struct goodput *g)
{
	for (size_t i = 0; i < g->nspans; i++) {
		const struct span *s = &g->span[i];

		if (s->trouble >= 0)
			g->trouble[s->trouble].ms[s->part] +=
				s->to_ms - s->from_ms;
	}
}

int goodput_count(const struct goodput_job *job, struct goodput *ret,
		  struct err *err)
{
	struct goodput g = {.job = job};
	const struct goodput_life *first = &job->life[0];
	struct counting c = {
		.g = &g,
		.at_ms = first->submit_ms >= 0 ? first->submit_ms
					       : life_begin(first),
		.trouble = -1,
	};

	if (!lost_open(&c))
		return err_memory(err);
	for (c.life = 0; c.life < job->nlives && !c.failed; c.life++)
		count_life(&c);
	free(c.saved);
	if (c.failed || !goodput_count_roles(&g)) {
		goodput_clear(&g);
		return err_memory(err);
	}
	charge(&g);
	*ret = g;
	return 0;
}

void goodput_clear(struct goodput *g)
{
	free(g->span);
	free(g->trouble);
	free(g->role);
	*g = (struct goodput){.job = NULL};
}
