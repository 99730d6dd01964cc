/* SPDX-License-Identifier: Apache-2.0 */
/* sys/loop.h without a kernel: timers on a clock that the test moves. For
 * one source file of a test. */
#ifndef DT_TESTS_VIRTUAL_LOOP_H
#define DT_TESTS_VIRTUAL_LOOP_H

#include "sys/loop.h"

static uint64_t virtual_now;

uint64_t loop_now_ms(void)
{
	return virtual_now;
}

void loop_disarm(struct loop *loop, struct loop_timer *timer)
{
	struct loop_timer **p = &loop->timers;

	if (!timer->armed)
		return;
	while (*p != timer)
		p = &(*p)->next;
	*p = timer->next;
	timer->armed = false;
}

void loop_arm(struct loop *loop, struct loop_timer *timer, uint64_t ms)
{
	loop_disarm(loop, timer);
	timer->at_ms = virtual_now + ms;
	timer->next = loop->timers;
	timer->armed = true;
	loop->timers = timer;
}

/* The timer that expires first, by `until`. */
static inline struct loop_timer *virtual_first(struct loop *loop,
					       uint64_t until)
{
	struct loop_timer *first = NULL;

	for (struct loop_timer *t = loop->timers; t; t = t->next)
		if (t->at_ms <= until && (!first || t->at_ms < first->at_ms))
			first = t;
	return first;
}

/* Let the time pass. */
static inline void virtual_pass(struct loop *loop, uint64_t ms)
{
	uint64_t until = virtual_now + ms;
	struct loop_timer *t;

	while ((t = virtual_first(loop, until))) {
		if (t->at_ms > virtual_now)
			virtual_now = t->at_ms;
		loop_disarm(loop, t);
		t->expired(t->arg);
	}
	virtual_now = until;
}

#endif
