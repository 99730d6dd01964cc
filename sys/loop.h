/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launcher's event loop: file descriptors and timers, one thread, no
 * polling. Everything that the launcher waits for goes through it.
 */
#ifndef DT_SYS_LOOP_H
#define DT_SYS_LOOP_H

#include "core/base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* A file descriptor that is waited for. Owned by the caller, who keeps it in
 * its place until loop_remove(). `ready` gets the EPOLL* events that came; it
 * may remove this or any other watch. */
struct loop_watch {
	int fd;
	void (*ready)(void *arg, uint32_t events);
	void *arg;
	bool added; /* the loop's own */
};

/* A moment that is waited for. Owned by the caller; disarmed before `expired`
 * is called. */
struct loop_timer {
	void (*expired)(void *arg);
	void *arg;
	bool armed;	/* the loop's own */
	uint64_t at_ms; /* on CLOCK_MONOTONIC */
	struct loop_timer *next;
};

struct loop {
	int epoll_fd;
	struct loop_timer *timers;
	bool stopped;
};

/* Returns 0 or -1. Close with loop_close(). */
int loop_open(struct loop *ret, struct err *err);
void loop_close(struct loop *loop);

/* Wait for `events` (EPOLLIN, EPOLLOUT; 0: for errors only) on the watch; a
 * second call changes them. Returns 0 or -1; -1 for a regular file, which is
 * always ready. */
int loop_watch(struct loop *loop, struct loop_watch *watch, uint32_t events,
	       struct err *err);

/* Stop waiting for it; closing the file is the caller's. No-op when it isn't
 * watched. */
void loop_remove(struct loop *loop, struct loop_watch *watch);

/* Let the timer expire in `ms` milliseconds from now, whether or not it was
 * armed. */
void loop_arm(struct loop *loop, struct loop_timer *timer, uint64_t ms);
void loop_disarm(struct loop *loop, struct loop_timer *timer);

/* Dispatch until loop_stop(). Returns 0, or -1 when the kernel refuses. */
int loop_run(struct loop *loop, struct err *err);
void loop_stop(struct loop *loop);

/* Milliseconds on the clock of the timers. */
uint64_t loop_now_ms(void);

#endif
