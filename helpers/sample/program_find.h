/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of the processes that a rank has started is its program. Pure.
 */
#ifndef DT_HELPERS_SAMPLE_PROGRAM_FIND_H
#define DT_HELPERS_SAMPLE_PROGRAM_FIND_H

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

#endif
