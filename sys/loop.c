/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/loop.h"

#include "sys/epoch.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

int loop_open(struct loop *ret, struct err *err)
{
	*ret = (struct loop){.epoll_fd = epoll_create1(EPOLL_CLOEXEC)};
	if (ret->epoll_fd < 0)
		return err_printf(err, "epoll: %s", strerror(errno));
	return 0;
}

void loop_close(struct loop *loop)
{
	close_fd(&loop->epoll_fd);
}

/* Of what this round has still to tell the watch, leave these events. */
static void filter_round(struct loop *loop, const struct loop_watch *watch,
			 uint32_t events)
{
	for (int i = 0; i < loop->nevents; i++)
		if (loop->event[i].data.ptr == watch)
			loop->event[i].events &= events;
}

int loop_watch(struct loop *loop, struct loop_watch *watch, uint32_t events,
	       struct err *err)
{
	struct epoll_event ev = {.events = events, .data.ptr = watch};
	bool added = watch->added;

	if (added && watch->events == events)
		return 0;
	if (added)
		filter_round(loop, watch, events | EPOLLERR | EPOLLHUP);
	watch->added = true; /* before another thread may remove it */
	watch->events = events;
	if (epoll_ctl(loop->epoll_fd, added ? EPOLL_CTL_MOD : EPOLL_CTL_ADD,
		      watch->fd, &ev) == 0)
		return 0;
	watch->added = added;
	watch->events = 0;
	return err_printf(err, "epoll: %s", strerror(errno));
}

void loop_remove(struct loop *loop, struct loop_watch *watch)
{
	if (!watch->added)
		return;
	epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
	filter_round(loop, watch, 0);
	watch->added = false;
}

uint64_t loop_now_ms(void)
{
	return monotonic_ms();
}

/* The timer that is the next; NULL: none is armed. */
static struct loop_timer *first_timer(const struct loop *loop)
{
	char *item = (char *)loop->timers.first;

	return item ? (void *)(item - offsetof(struct loop_timer, item)) : NULL;
}

void loop_disarm(struct loop *loop, struct loop_timer *timer)
{
	if (timer->armed)
		heap_remove(&loop->timers, &timer->item);
	timer->armed = false;
}

void loop_arm(struct loop *loop, struct loop_timer *timer, uint64_t ms)
{
	loop_disarm(loop, timer);
	timer->at_ms = loop_now_ms() + ms;
	heap_add(&loop->timers, &timer->item, timer->at_ms);
	timer->armed = true;
}

/* How long epoll may sleep: until the first timer. */
static int sleep_ms(const struct loop *loop)
{
	uint64_t now, at;

	if (!loop->timers.first)
		return -1;
	now = loop_now_ms();
	at = loop->timers.first->number;
	if (at <= now)
		return 0;
	return at - now < INT_MAX ? (int)(at - now) : INT_MAX;
}

static void run_timers(struct loop *loop)
{
	uint64_t now = loop->timers.first ? loop_now_ms() : 0;
	struct loop_timer *t;

	while ((t = first_timer(loop)) && t->at_ms <= now) {
		loop_disarm(loop, t);
		t->expired(t->arg);
	}
}

/* A callback may remove any watch: what the round had for it is gone then. */
static void run_events(struct loop *loop)
{
	for (int i = 0; i < loop->nevents && !loop->stopped; i++) {
		uint32_t events = loop->event[i].events;
		const struct loop_watch *w = loop->event[i].data.ptr;

		if (events)
			w->ready(w->arg, events);
	}
	loop->nevents = 0;
}

int loop_run(struct loop *loop, struct err *err)
{
	loop->stopped = false;
	while (!loop->stopped) {
		int n = epoll_wait(loop->epoll_fd, loop->event, LOOP_ROUND,
				   sleep_ms(loop));

		if (n < 0 && errno != EINTR)
			return err_printf(err, "epoll: %s", strerror(errno));
		loop->nevents = n;
		run_events(loop);
		run_timers(loop);
		if (loop->after_round)
			loop->after_round(loop->arg);
	}
	return 0;
}

void loop_stop(struct loop *loop)
{
	loop->stopped = true;
}
