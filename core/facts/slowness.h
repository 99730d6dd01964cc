/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of a step's ranks hold it up, by what they report. Pure; for the
 * launcher, which says it, and for commands, which show it.
 */
#pragma once

#include <stdbool.h>

/* NAN: not told. */
struct pace_report {
	double rate; /* steps in a second */
	double busy; /* percent of its time that it works and doesn't wait */
};

/* How many times slower than the median each of the n is, into ret[]; NAN where
 * nobody can tell: it doesn't report, or fewer than three do.
 *
 * In synchronous training all have the same rate, that of the slowest, and the
 * slowest is the one that waits least. So where all who report tell `busy` it
 * is that: how many times shorter a step would be if this rank worked as long
 * as the median does. Else the median's rate over its own.
 *
 * Out of memory is NAN too. */
void slowness(const struct pace_report *report, unsigned n, double *ret);

/* Whether that is worth a word: from 1.2 on. NAN isn't. */
bool is_slow(double slower);
