/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which ranks are slower than the others, by what they report: pure. In each
 * interval the newest reports are compared; who is slower than 1.2 x the median
 * in three of them in a row is said once, and once again when he is not.
 *
 * In synchronous training all ranks have the same rate: who is slow is the one
 * that waits least. Where all ranks report the share of time in which they work
 * (`busy`), that is compared in place of the rate.
 */
#ifndef DT_HELPERS_LOOK_STRAGGLERS_H
#define DT_HELPERS_LOOK_STRAGGLERS_H

#include "core/base/err.h"
#include "core/base/hostlist.h"

#include <stdbool.h>
#include <time.h>

#define STRAGGLER_FACTOR    1.2
#define STRAGGLER_INTERVALS 3

struct straggler {
	bool told; /* in this interval */
	char node[HOSTLIST_NAME_MAX];
	double rate, busy; /* NAN: not reported */
	double slower;	   /* than the median, times */
	unsigned count;	   /* intervals in a row that speak against `slow` */
	time_t since;	   /* the first one of them */
	bool slow;
};

struct stragglers {
	unsigned n;
	struct straggler *rank;
	void (*say)(void *arg, const char *line);
	void *arg;
};

/* Of so many ranks; nobody is slow. Returns 0 or -1. Free with
 * stragglers_close(). */
int stragglers_open(unsigned nranks, struct stragglers *ret, struct err *err);
void stragglers_close(struct stragglers *s);

/* A rank's newest report: steps per second and the share of time in which it
 * works; NAN: it doesn't tell. */
void stragglers_note(struct stragglers *s, unsigned rank, const char *node,
		     double rate, double busy);

/* The interval is over: say what is new, in lines for the user. */
void stragglers_judge(struct stragglers *s, time_t now);

#endif
