/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the recorders of this node's ranks tell, now: a child asks them, waits
 * for their dumps, reads and keeps them, and tells rows (recorders.h). Nothing
 * blocks the launcher, whatever the processes or the user's folder do.
 */
#pragma once

#include "core/base/err.h"
#include "sys/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define COLLECT_ROWS_MAX (192U << 10) /* bytes of the rows */

struct collect_wish {
	int folder;	  /* that of the dumps and pipes */
	pid_t pid;	  /* of a rank, near which a Python may be that reads
			     dumps; 0: none */
	bool ask;	  /* let processes write new ones; else what is there */
	unsigned ras;	  /* the port of NCCL's RAS; 0: don't ask it */
	const char *node; /* this one's name, for the file of RAS's report */
	const char *step; /* the name of the step's folder */
	size_t limit;	  /* bytes that this node may keep */
	long ms;	  /* for all of it */
	const char *stacks; /* keep this text as stacks.txt, and collect
			       nothing; NULL: collect */
};

struct collecting;

/* Begin; the wish is borrowed until this returns. `done` is called once, within
 * ms and a second; collect_drop() before that. NULL when no process is to be
 * had. */
struct collecting *collect_begin(struct loop *loop,
				 const struct collect_wish *wish,
				 void (*done)(void *arg, const char *rows),
				 void *arg, struct err *err);
void collect_drop(struct collecting *collecting);

/* Keep the dumps that are there, which processes have written by themselves;
 * no-op where there are none. Blocks for at most `ms`. */
void collect_left(const struct collect_wish *wish, long ms);

/* The child's part; for subprocess_spec.run. */
int collect_run(const int fd[2], const void *wish);
