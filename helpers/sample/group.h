/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stacks of all ranks of a step, grouped by likeness, and which group is to
 * blame when the step hangs. Pure: `dist-train stack` and the launchers' watch
 * for hangs give it the rows of the sight "stack" (helpers/sample/sample.h).
 *
 * Two ranks are alike when their main threads are: function, file and line of
 * the first 64 frames. A thread without frames is its place in the kernel.
 */
#pragma once

#include "core/base/err.h"

#include <stdbool.h>
#include <stdio.h>

#define STACK_NOTES	256  /* that are kept */
#define STACK_LINE_SIZE 1024 /* room for stack_group_line() */

/* Frames, threads and processes, as rows have told them (sample.h). */

struct stack_frame {
	const char *function, *file; /* file "": unknown */
	long line;		     /* 0: unknown */
};

struct stack_thread {
	long tid;
	const char *name, *wchan;
	char state; /* of /proc: R S D T ...; '?': unknown */
	unsigned nframes;
	struct stack_frame *frame; /* the innermost first */
};

/* A rank's program, or a process below it. */
struct stack_proc {
	long rank, pid;
	const char *node, *comm, *tool;
	const char *world; /* of a step with several roles; else "" */
	char state; /* as of a thread; 'X': it has ended, or its node is lost */
	bool child;
	unsigned nthreads;
	struct stack_thread *thread; /* the main thread first */
};

/* What a frame is part of: a collective, a library, the user's program. Pure.
 */

/* The frame of the collective that a thread is in, or in what else it waits for
 * its peers; NULL: in none that is known. */
const struct stack_frame *frames_collective(const struct stack_thread *t);

/* "Tensor.backward" is backward. */
const char *frame_name(const struct stack_frame *f);

/* Which frame tells most of where a thread is: the collective's, else the
 * innermost one outside of the standard library and of native libraries, else
 * the innermost one that has a name. NULL: there is none. */
const struct stack_frame *frames_telling(const struct stack_thread *t);

/* Whether the frame is the user's own: with a file outside of site-packages,
 * the standard library and the system's. */
bool frame_is_own(const struct stack_frame *f);

/* Their groups. */

/* What the main threads of a group do. */
enum stack_does {
	STACK_GONE,	  /* the process isn't there any more */
	STACK_STOPPED,	  /* by a signal or a debugger */
	STACK_DISK,	  /* in the kernel, which doesn't let it go (D) */
	STACK_ELSEWHERE,  /* not in a collective */
	STACK_COLLECTIVE, /* or a barrier, or waits for its peers otherwise */
	STACK_UNKNOWN,	  /* no frames */
};

struct stack_group {
	enum stack_does does;
	const char *collective; /* its function; NULL: none */
	unsigned n;
	const struct stack_proc *const *proc; /* by rank */
	/* Of the main thread: the frame that tells most (the collective's,
	 * else the innermost one outside of the standard library), and the
	 * innermost one that is the user's own (outside of site-packages,
	 * too). NULL: there is none. */
	const struct stack_frame *innermost, *own;
	bool suspect;
	const char *why; /* of a suspect: "isn't in a collective, as most" */
};

struct stacks;

/* Returns NULL when out of memory. */
struct stacks *stacks_new(void);
void stacks_free(struct stacks *s); /* NULL is allowed */

/* The rows of one launcher, which may be anything; they are copied. Returns 0,
 * or -1 when out of memory. */
int stacks_add(struct stacks *s, const char *node, const char *rows,
	       struct err *err);

/* Group what was added: world by world, the largest first. None is to be where
 * another world is. Returns how many groups there are;
 * 0 where no rank is, or out of memory. The groups are good until the next
 * stacks_add() or stacks_free(). */
unsigned stacks_group(struct stacks *s, const struct stack_group **ret);

/* All processes, children too, as they came; and the notes, with their node
 * before them ("node2: ..."), at most STACK_NOTES of them. */
unsigned stacks_procs(const struct stacks *s,
		      const struct stack_proc *const **ret);
unsigned stacks_notes(const struct stacks *s, const char *const **ret);

/* One line for a person: "7 ranks (0-4,6-7): all_reduce distributed_c10d.py:
 * 1234 < train train.py:31", or "1 rank (5, node2): ...", of a world "1 rank
 * (rollout.1:5, node2): ...". Ranks that don't fit are counted. */
void stack_group_line(const struct stack_group *group,
		      char buf[STACK_LINE_SIZE]);

/* Groups of stacks (group.h), for a person. */

/* A line; `all`: the whole stacks of its first rank and of that one's children,
 * too. */
void stacks_print_group(FILE *f, const struct stacks *stacks,
			const struct stack_group *group, bool all);

/* A line for each note; ranks that have the same to say are counted. */
void stacks_print_notes(FILE *f, const struct stacks *stacks);
