/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last words of processes that SIGTERM doesn't end
 * (doc/design/helpers-procs.md). A second before SIGKILL all of them are
 * looked at. Those that have a handler for SIGABRT are stopped, for the end of
 * one would wake its peers; then each is told of, goes on and gets SIGABRT, one
 * after the other. Python with PYTHONFAULTHANDLER=1 has a handler that writes
 * the stacks of all threads to standard error, also where Python code never
 * runs again. No core file is left.
 *
 * Nothing blocks. procs.c calls all of it.
 */
#pragma once

#include "sys/loop.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LAST_WORDS_MS	 1000 /* before SIGKILL */
#define LAST_WORDS_PROCS 8    /* a worker's own one, and others below it */

struct speaker;

struct last_words_calls {
	/* A worker's process when it is to be asked, else 0. */
	pid_t (*pid)(void *arg, unsigned worker);
	/* A worker, or a process below it, hasn't ended by SIGTERM. `what` is
	 * known of it; when it `speaks` its stacks follow. */
	void (*say)(void *arg, unsigned worker, const char *what, bool speaks);
};

struct last_words {
	unsigned max;	   /* workers, at most */
	unsigned after_ms; /* other nodes' come first; below 800 */
	/* its own */
	struct loop *loop;
	const struct last_words_calls *calls;
	void *arg;
	unsigned nworkers;
	struct loop_timer timer;
	struct speaker *speaker; /* a process each; owned */
	unsigned n, at;
	bool said;	   /* speaker[at] was told of */
	pid_t asked;	   /* has got SIGABRT; 0: nobody */
	uint64_t until_ms; /* it has time so long */
	uint64_t end_ms;   /* all have */
};

/* `calls` is borrowed. */
void last_words_open(struct last_words *w, struct loop *loop,
		     const struct last_words_calls *calls, void *arg);

/* SIGTERM is sent to the workers 0 to n - 1; SIGKILL follows in `ms`. */
void last_words_in(struct last_words *w, unsigned n, uint64_t ms);

/* SIGKILL is sent, or nobody is left. */
void last_words_stop(struct last_words *w);
