/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sample of one rank, taken by a child of the launcher: it reads /proc,
 * runs a tool and waits for it. Called by sample.c alone.
 */
#pragma once

#include "helpers/sample/program_find.h"
#include "sys/orphans.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sample_work {
	struct sample_target target;
	bool native;
	long ms;		/* it ends by then */
	size_t rows_max;	/* bytes that it writes, at most */
	struct stop_undo *undo; /* in memory that both share */
};

/* For struct subprocess_spec: `arg` is a struct sample_work; the rows go to
 * fd[1]. */
int sample_rank(const int fd[2], const void *arg);

/*
 * The sample of one process, in the child of sample_rank.c: it blocks.
 */

struct sample_process {
	const char *row; /* "proc" or "child" */
	long rank;
	pid_t pid;
	bool python;
	bool own;	   /* the launcher has started it, with what it is */
	bool native;	   /* native frames of Python, too */
	bool cheap;	   /* no debugger, which stops it for long */
	uint64_t until_ms; /* on the loop's clock: tools are killed then */
	struct stop_undo *undo; /* the launcher's, too */
	/* Room for what a tool says: of `size` bytes. */
	char *text;
	size_t size;
};

/* Write its rows. */
void sample_process(const struct sample_process *p, FILE *f);

/*
 * A tool stops a process while it reads its stack. One that is killed then, or
 * dies, may leave it stopped: whoever has called the tool lets it go on. The
 * child that calls it may be killed, too (its time is over, memory is short):
 * whom it has asked for is in memory that the launcher shares, which does it
 * then. Nothing here blocks, and no process but that one gets a signal.
 */

/* All zero: no process is asked for. */
struct stop_undo {
	struct proc_id id;
};

/* A tool will be asked for this process, which isn't stopped. */
void stop_undo_begin(struct stop_undo *u, pid_t pid);

/* SIGCONT where it is stopped, or about to be. Returns false while a tool still
 * holds it: call it again. */
bool stop_undo(const struct stop_undo *u);

/* Nothing is to be undone any more. */
void stop_undo_end(struct stop_undo *u);

/* Whether the child was in the middle. */
bool stop_undo_is_open(const struct stop_undo *u);
