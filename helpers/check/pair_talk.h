/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One measurement between two nodes: both send PAIR_BYTES over one TCP
 * connection at the same time. Each proves that it belongs to the step by a
 * word that only its launchers know. Runs in a child of the launcher, so that
 * nothing else waits for it.
 */
#pragma once

#include "core/base/err.h"
#include "helpers/check/pairs.h"
#include "helpers/conn/newcomers.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

#define PAIR_BYTES	 (64L << 20)
#define PAIR_MS		 2500 /* what has come by then gives the rate */
#define PAIR_CALLERS_MAX 128  /* who are heard while one waits for the other */

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
	struct subprocess_text said;
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

/*
 * Who connects to a port of a node: those who are meant, and whoever else
 * reaches it. All are heard side by side, so that none who says nothing keeps
 * another one waiting; when there are too many, one of the address that has the
 * most goes (newcomers.h). For pair_talk.c and `dist-train doctor`.
 */

#define CALLERS_HEARD 64

struct callers {
	unsigned max;
	uint64_t silent_ms; /* then one that says nothing goes */
	size_t wanted;	    /* bytes of a caller */
	/* These have come, the first of them in `heard`, and no more were read.
	 * Returns whether it keeps the connection. */
	bool (*said)(void *arg, int fd, const char heard[CALLERS_HEARD]);
	void *arg;
	/* its own */
	struct loop *loop;
	struct loop_watch door;
	struct newcomers newcomers;
};

/* With max, silent_ms, wanted, said and arg set, the rest zero: of a listening
 * socket that doesn't block, borrowed. Returns 0 or -1. */
int callers_open(struct callers *callers, struct loop *loop, int listen_fd,
		 struct err *err);
void callers_close(struct callers *callers);
