/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/step/hang_clock.h"

#include <stdlib.h>

int hang_clock_open(struct hang_clock *c, unsigned n, uint64_t limit_ms,
		    struct err *err)
{
	*c = (struct hang_clock){.limit_ms = limit_ms, .n = n};
	c->member = calloc(n, sizeof(*c->member));
	return c->member ? 0 : err_memory(err);
}

void hang_clock_close(struct hang_clock *c)
{
	free(c->member);
	*c = (struct hang_clock){0};
}

uint64_t hang_clock_since(const struct hang_clock *c)
{
	uint64_t since = HANG_NEVER;

	for (unsigned i = 0; i < c->n; i++) {
		if (c->member[i].state == RANKS_WORK)
			return HANG_NEVER;
		if (c->member[i].state == RANKS_QUIET &&
		    (since == HANG_NEVER || c->member[i].since_ms > since))
			since = c->member[i].since_ms;
	}
	return since;
}

/* The step works again: how long it didn't is normal from now on. */
static void learn(struct hang_clock *c, uint64_t since_ms, uint64_t now_ms)
{
	if (now_ms - since_ms > c->gap_ms)
		c->gap_ms = now_ms - since_ms;
}

void hang_clock_note(struct hang_clock *c, unsigned member,
		     enum quiet_state state, uint64_t ms, uint64_t now_ms)
{
	uint64_t since = hang_clock_since(c);

	if (member >= c->n)
		return;
	if (state == RANKS_WORK && since != HANG_NEVER &&
	    c->member[member].state == RANKS_QUIET)
		learn(c, since, now_ms);
	if (state == RANKS_WORK) {
		c->known = c->starting = false;
		c->from_ms = 0;
	}
	c->member[member].state = state;
	c->member[member].since_ms = now_ms > ms ? now_ms - ms : 0;
}

uint64_t hang_clock_due(const struct hang_clock *c)
{
	uint64_t since = hang_clock_since(c), limit = c->limit_ms;

	if (since == HANG_NEVER || c->known)
		return HANG_NEVER;
	if (c->gap_ms + c->gap_ms / 2 > limit)
		limit = c->gap_ms + c->gap_ms / 2;
	if (c->starting)
		limit *= 2;
	return (since > c->from_ms ? since : c->from_ms) + limit;
}

void hang_clock_works(struct hang_clock *c, uint64_t now_ms)
{
	c->from_ms = now_ms;
}

void hang_clock_starts(struct hang_clock *c)
{
	c->starting = true;
}
