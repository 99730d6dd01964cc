/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: what the plugin and the helpers ask of the kernel. Libc only.
 *
 * The event loop is its main part. The launcher has one for all that it waits
 * for, its output thread has another, and so has `dist-train doctor`. A loop
 * belongs to the thread that runs it; nothing here is kept between two loops.
 * The loop calls back when a file is ready (struct loop_watch) or a moment has
 * come (struct loop_timer); a callback must not block. The rest of the room:
 *
 *	subprocess child orphans	processes
 *	socket route			TCP by address, and which way it takes
 *	text_file write_file io_full	whole files
 *	folder				folders: whose, and their removal
 *	profile_dir json_text		what stands in them
 *	inherited_fd left_signals	what Slurm and the plugin left for us
 *
 * It knows nothing of Slurm, plans and ranks, never logs and never exits: the
 * caller gets an error. The plugin links only what it uses, and no loop.
 */
#pragma once

#include "core/base/err.h"
#include "core/base/heap.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

/* A file descriptor that is waited for. Owned by the caller, who keeps it in
 * its place until loop_remove(). `ready` gets the EPOLL* events that came; it
 * may remove this or any other watch. */
struct loop_watch {
	int fd;
	void (*ready)(void *arg, uint32_t events);
	void *arg;
	bool added;	 /* the loop's own */
	uint32_t events; /* the loop's own: what the kernel was told */
};

/* A moment that is waited for. Owned by the caller; disarmed before `expired`
 * is called. */
struct loop_timer {
	void (*expired)(void *arg);
	void *arg;
	bool armed;	/* the loop's own */
	uint64_t at_ms; /* on CLOCK_MONOTONIC */
	struct heap_item item;
};

#define LOOP_ROUND 64 /* events between two questions to the kernel */

struct loop {
	/* After each round of events and timers; NULL: nothing */
	void (*after_round)(void *arg);
	void *arg;
	/* the loop's own */
	int epoll_fd;
	struct heap timers; /* by at_ms */
	bool stopped;
	struct epoll_event event[LOOP_ROUND];
	int nevents;
};

/* Returns 0 or -1. Close with loop_close(). */
int loop_open(struct loop *ret, struct err *err);
void loop_close(struct loop *loop);

/* Wait for `events` (EPOLLIN, EPOLLOUT; 0: for errors only) on the watch; a
 * second call changes them. Returns 0 or -1; -1 for a regular file, which is
 * always ready. A new watch may also be handed to another thread's loop. */
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
