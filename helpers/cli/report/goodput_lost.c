/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/goodput.h"

#include <stdlib.h>

#define SLACK_MS  1000 /* an age is rounded */
#define BEFORE_MS 2000 /* who looks when a round ends, may look before that */

static void collect_step(struct counting *c, size_t life, size_t step)
{
	const struct record *r = &c->g->job->life[life].step[step].record;

	for (size_t i = 0; i < r->nmarks; i++) {
		const struct node_mark *m = &r->mark[i];
		double at_ms = r->begin_ms + m->at_ms;

		if (m->mark != MARK_SAVED)
			continue;
		c->saved[c->nsaved++] = (struct saved){
			.life = life,
			.step = step,
			.round = m->round,
			.at_ms = (int64_t)at_ms,
			.written_ms = m->age_s < 0 ? TIME_UNKNOWN
						   : (int64_t)(at_ms -
							       m->age_s * 1000),
			.value = m->steps,
		};
	}
}

bool lost_open(struct counting *c)
{
	const struct goodput_job *job = c->g->job;
	size_t n = 0;

	for (size_t i = 0; i < job->nlives; i++)
		for (size_t k = 0; k < job->life[i].nsteps; k++)
			n += job->life[i].step[k].record.nmarks;
	c->saved = calloc(n ? n : 1, sizeof(*c->saved));
	for (size_t i = 0; c->saved && i < job->nlives; i++)
		for (size_t k = 0; k < job->life[i].nsteps; k++)
			collect_step(c, i, k);
	return c->saved;
}

static bool is_before(const struct saved *s, size_t life, size_t step,
		      int64_t at_ms)
{
	if (s->life != life)
		return s->life < life;
	return s->step != step ? s->step < step : s->at_ms < at_ms;
}

static bool is_of_one_round(const struct saved *a, const struct saved *b)
{
	return a->life == b->life && a->step == b->step && a->round == b->round;
}

/* The one before `next` was the round's last one, not its first, just before
 * its end. */
static bool was_the_end(const struct counting *c, size_t next, int64_t own_ms)
{
	const struct saved *s = &c->saved[next];

	return next >= 2 && is_of_one_round(&s[-1], &s[-2]) &&
	       (next == c->nsaved || !is_of_one_round(&s[-1], &s[0])) &&
	       s[-1].life == c->life && s[-1].at_ms + BEFORE_MS >= own_ms;
}

/* What the file had when somebody looked first after the round's training: a
 * file that was written later says nothing. Troubles come in order. */
static const struct saved *find_saved(struct counting *c, size_t step,
				      int64_t own_ms, int64_t round_end_ms)
{
	size_t i = c->next_saved;

	while (i < c->nsaved && is_before(&c->saved[i], c->life, step, own_ms))
		i++;
	c->next_saved = i;
	if (was_the_end(c, i, own_ms))
		i--;
	return i < c->nsaved &&
			       c->saved[i].written_ms <= round_end_ms + SLACK_MS
		       ? &c->saved[i]
		       : NULL;
}

/* Cut the last span in two. */
static void split(struct counting *c, int64_t lost_ms)
{
	struct span *s = &c->g->span[c->g->nspans - 1];
	int64_t to_ms = s->to_ms;

	if (lost_ms <= 0)
		return;
	if (lost_ms >= to_ms - s->from_ms) {
		s->part = PART_LOST;
		s->trouble = c->trouble;
		return;
	}
	s->to_ms -= lost_ms;
	c->at_ms = s->to_ms;
	put_span(c, PART_LOST, to_ms, false);
}

void lost_cut(struct counting *c, size_t step, int64_t round_end_ms,
	      double steps)
{
	struct trouble *t = &c->g->trouble[c->trouble];
	const struct span *last = &c->g->span[c->g->nspans - 1];
	const struct saved *s;

	if (last->part != PART_TRAINING)
		return;
	t->unsure_ms = last->to_ms - last->from_ms;
	s = find_saved(c, step, last->to_ms, round_end_ms);
	if (!s)
		return;
	if (s->value >= 0 && steps >= 0)
		t->lost_steps = steps > s->value ? steps - s->value : 0;
	if (s->written_ms == TIME_UNKNOWN)
		return;
	t->unsure_ms = 0;
	split(c, last->to_ms - s->written_ms);
}
