/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of the processes that a rank has started is its program. Pure.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define PROGRAM_NODES 512 /* processes of a rank that are looked at */
#define PROGRAMS      64  /* of them programs: torchrun's workers */

/* One process; index 0 is the rank's own, a parent comes before its children.
 */
struct process_node {
	pid_t pid;
	int parent; /* its index; -1: none */
	bool python;
	bool waits;	 /* for its children to end */
	long rank;	 /* RANK of its environment; -1: none */
	char comm[32];	 /* as /proc has it */
	char words[256]; /* its command line, a blank between two words; what
			    is longer is cut */
};

/* A program, and whose rank it is. */
struct program {
	int index;
	long rank;
};

/* The programs of the rank `rank`: several under torchrun and its like, whose
 * workers have ranks of their own; else the Python program that is nearest to
 * the rank's process; else what shells and their like wait for. Returns how
 * many, at least 1 where n is. */
unsigned programs_find(const struct process_node *node, unsigned n, long rank,
		       struct program ret[PROGRAMS]);

/* What a sample holds at most, and whom it is of. */

#define SAMPLE_AT_ONCE	4  /* ranks that are looked at */
#define SAMPLE_CHILDREN 8  /* processes below a rank's program, at most */
#define SAMPLE_THREADS	64 /* of a process, at most */
#define SAMPLE_FRAMES	64 /* of a thread, at most */

/* A rank's process, as the launcher has started it: it may be a shell, torchrun
 * or a container's, and the program is one below it. */
struct sample_target {
	unsigned rank;
	pid_t pid, parent; /* the launcher, or the rank's keeper */
};

/* The row of one that has ended: its rank and pid, for printf(). */
#define SAMPLE_GONE_ROW "gone\t%u\t%d\n"
