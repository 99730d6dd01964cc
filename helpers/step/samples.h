/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stacks of all ranks, some times one after the other: do they stand still?
 * Pure: it is given the rows of the sights "stack" (helpers/sample/sample.h)
 * and "signs" (helpers/watch/watch.h).
 *
 * A rank that uses no CPU stands still when each of its threads is at the same
 * line; one that uses some, when its functions are the same: it may be in a
 * loop. Of what a tool can't show the frames, the main thread's place in the
 * kernel counts; with CPU nothing can be said then, except of a process below
 * the program: that one works, as a compiler does.
 *
 * A launcher is given 4096 threads at most; the rest isn't looked at.
 */
#pragma once

#include "core/base/err.h"

#include <stdbool.h>

#define SAMPLES_MAX 5 /* that are taken */

enum samples_verdict {
	SAMPLES_MORE,	/* one more has to be taken */
	SAMPLES_MOVES,	/* somebody works */
	SAMPLES_HELD,	/* somebody is in a debugger */
	SAMPLES_STARTS, /* they stand still, while a program starts */
	SAMPLES_BLIND,	/* nobody knows: see samples_blind() */
	SAMPLES_HANG,	/* all stand still */
};

struct samples;

/* For n launchers. NULL when out of memory. */
struct samples *samples_new(unsigned n);
void samples_free(struct samples *samples); /* NULL is allowed */

/* The rows of "signs" of one launcher; before the first sample. */
void samples_signs(struct samples *samples, unsigned member, char *rows);

/* One more sample begins; then the rows of "stack" of each launcher. */
void samples_begin(struct samples *samples);
void samples_add(struct samples *samples, unsigned member, const char *rows);

/* All launchers have answered, or not in time; `wanted` are those whose ranks
 * run. */
enum samples_verdict samples_judge(struct samples *samples, const bool *wanted);

/* How many were taken; and how many ranks use CPU. */
unsigned samples_count(const struct samples *samples);
unsigned samples_nbusy(const struct samples *samples);
bool samples_is_busy(const struct samples *samples, long rank);

/* With SAMPLES_BLIND: a rank whose CPU can't be told from work, or -1: a
 * launcher doesn't answer. */
long samples_blind(const struct samples *samples);
