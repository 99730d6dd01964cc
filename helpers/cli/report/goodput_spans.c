/* SPDX-License-Identifier: Apache-2.0 */
/* What counting adds to the result, and when a step was. */
#include "core/base/array.h"
#include "helpers/cli/report/goodput.h"

/* The last span goes on; the training of a round stays by itself. */
static bool is_more(const struct counting *c, enum part part, bool maybe)
{
	size_t n = c->g->nspans;
	const struct span *s = n ? &c->g->span[n - 1] : NULL;

	return s && part != PART_TRAINING && s->part == part &&
	       s->life == c->life && s->trouble == c->trouble &&
	       s->maybe == maybe;
}

void put_span(struct counting *c, enum part part, int64_t to_ms, bool maybe)
{
	struct goodput *g = c->g;
	int64_t from_ms = c->at_ms;
	struct span *s;

	if (to_ms > c->until_ms)
		to_ms = c->until_ms;
	if (to_ms <= from_ms || c->failed)
		return;
	if (is_more(c, part, maybe)) {
		g->span[g->nspans - 1].to_ms = c->at_ms = to_ms;
		return;
	}
	s = array_append(&g->span, g->nspans, sizeof(*s));
	if (!s) {
		c->failed = true;
		return;
	}
	g->nspans++;
	*s = (struct span){
		.part = part,
		.from_ms = from_ms,
		.to_ms = to_ms,
		.life = c->life,
		.trouble = part == PART_TRAINING ? -1 : c->trouble,
		.maybe = maybe,
	};
	c->at_ms = to_ms;
}

struct trouble *put_trouble(struct counting *c, enum cause cause, int64_t at_ms)
{
	struct goodput *g = c->g;
	struct trouble *t =
		c->failed ? NULL
			  : array_append(&g->trouble, g->ntroubles, sizeof(*t));

	if (!t) {
		c->failed = true;
		return NULL;
	}
	*t = (struct trouble){
		.cause = cause,
		.life = c->life,
		.at_ms = at_ms,
		.lost_steps = RECORD_NEVER,
	};
	c->trouble = (long)g->ntroubles++;
	return t;
}

int64_t step_begin_ms(const struct goodput_step *s)
{
	return (int64_t)s->record.begin_ms;
}

int64_t step_end_ms(const struct goodput_step *s)
{
	return (int64_t)(s->record.begin_ms + s->record.end_ms);
}

bool step_has_end(const struct goodput_step *s)
{
	return record_last(&s->record, MARK_END);
}
