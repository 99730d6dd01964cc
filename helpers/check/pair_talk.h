/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One measurement between two nodes: both send PAIR_BYTES over one TCP
 * connection at the same time. Each proves that it belongs to the step by a
 * word that only its launchers know. Runs in a child of the launcher, so that
 * nothing else waits for it.
 */
#ifndef DT_HELPERS_CHECK_PAIR_TALK_H
#define DT_HELPERS_CHECK_PAIR_TALK_H

#include "core/base/err.h"
#include "helpers/check/pairs.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

#define PAIR_BYTES (64L << 20)
#define PAIR_MS	   2500 /* what has come by then gives the rate */

struct pair_talk_wish {
	int listen_fd; /* on which the other one connects; or -1: */
	char ip[64];   /* where it listens */
	unsigned port;
	char say[PAIR_WORD_SIZE]; /* what proves us, and the other one */
	char expect[PAIR_WORD_SIZE];
};

struct pair_talk {
	struct loop *loop;
	/* It has ended; called from the loop, may close the talk. */
	void (*done)(void *arg, const struct pair_figure *figure);
	void *arg;
	/* its own */
	struct subprocess sub;
	struct loop_timer late;
	char said[64];
	size_t n;
};

/* Begin with loop, done and arg set, the rest zero. done() comes at most
 * PAIR_MS and a half second later; a rate of 0: nothing came through. Returns
 * 0, or -1 when there is no process to be had. */
int pair_talk_begin(struct pair_talk *talk, const struct pair_talk_wish *wish,
		    struct err *err);

/* No-op on a zero one, and a second time. */
void pair_talk_close(struct pair_talk *talk);

/* The measurement itself, which blocks: for the child, and for tests. */
void pair_talk_run(const struct pair_talk_wish *wish, int limit_ms, long bytes,
		   struct pair_figure *ret);

#endif
