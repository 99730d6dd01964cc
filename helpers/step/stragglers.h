/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which ranks are slower than the others (core/facts/slowness.h): pure. In each
 * interval the newest reports are compared; who is slow in three of them in a
 * row is said once, and once again when he is not.
 */
#pragma once

#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/facts/slowness.h"

#include <stdbool.h>
#include <time.h>

#define STRAGGLER_INTERVALS 3

struct straggler {
	bool told; /* in this interval */
	char node[HOSTLIST_NAME_MAX];
	double slower;	/* than the median, times */
	unsigned count; /* intervals in a row that speak against `slow` */
	time_t since;	/* the first one of them */
	bool slow;
};

struct stragglers {
	unsigned n;
	struct straggler *rank;
	struct pace_report *report; /* of each, in this interval */
	void (*say)(void *arg, const char *node, const char *line);
	void *arg;
};

/* Of so many ranks; nobody is slow. Returns 0 or -1. Free with
 * stragglers_close(). */
int stragglers_open(unsigned nranks, struct stragglers *ret, struct err *err);
void stragglers_close(struct stragglers *s);

/* A rank's newest report. */
void stragglers_note(struct stragglers *s, unsigned rank, const char *node,
		     const struct pace_report *report);

/* The interval is over: say what is new, in lines for the user. */
void stragglers_judge(struct stragglers *s, time_t now);
