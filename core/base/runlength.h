/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run-length lists of counts as Slurm writes them in
 * SLURM_STEP_TASKS_PER_NODE: "8(x3),2" is 8, 8, 8, 2. They are read in place:
 * the cost is that of the runs, not of the nodes.
 */
#pragma once

#include <stdbool.h>

struct runlength {
	unsigned n;	     /* how many counts */
	unsigned long total; /* their sum */
	unsigned min, max;
	bool uniform; /* all the same */
};

/* Read one run, "8" or "8(x3)", and step over it and its comma. Returns 0, or
 * -1 when there is none. */
int runlength_next(const char **text, unsigned long *ret_count,
		   unsigned long *ret_repeat);

/* Read the whole list. Returns 0, or -1 when the text is no such list (an
 * empty one included). */
int runlength_read(const char *text, struct runlength *ret);

/* The count at `index` and the sum of those before it. Returns 0, or -1 when
 * the list is malformed or shorter. */
int runlength_at(const char *text, unsigned index, unsigned *ret_count,
		 unsigned long *ret_before);

/* Both, in one walk; where the list is shorter than `index` the last two are
 * no use. */
int runlength_read_at(const char *text, unsigned index, struct runlength *ret,
		      unsigned *ret_count, unsigned long *ret_before);

/* All of the list's counts, which are to be `n`, into ret[]. Returns 0, or -1
 * when the text is no list of so many; ret[] may have changed then. */
int runlength_expand(const char *text, unsigned n, unsigned *ret);

/* The list of these counts, for the caller to free; NULL when out of memory
 * or empty. */
char *runlength_text(const unsigned *count, unsigned n);
