/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: how far the processes of a launcher are, as they say themselves
 * (key metrics, doc/design/0096-progress-for-free.md).
 *
 *	a process -> dist-train-metrics -> metrics_endpoint.c -.
 *	a process -> its file <- report_file.c, when asked ----+
 *							       v
 *				  metrics.c: the newest of each rank
 *
 * progress_report.h	a report's words
 * metrics_env.h	where processes find both
 *
 * helpers/launch has one for its processes, in each round anew; helpers/look
 * tells it. All runs in the launcher's loop and doesn't block. Steps without
 * the key have none of it.
 */
#ifndef DT_HELPERS_METRICS_METRICS_H
#define DT_HELPERS_METRICS_METRICS_H

#include "core/base/err.h"
#include "helpers/metrics/metrics_env.h"
#include "helpers/metrics/progress_report.h"
#include "sys/loop.h"

#include <stdint.h>
#include <stdio.h>

struct metrics;

struct metrics_options {
	struct loop *loop;
	const char *dir; /* the launcher's folder for files, borrowed */
	int dir_fd;
	const char *node; /* its name, borrowed */
	/* Files are looked at by themselves, too, for `reached`, `ended`. */
	bool watch;
	/* A line for the user, with its newline. */
	void (*say)(void *arg, const char *line);
	/* A rank has reached the next tenth of its way. */
	void (*reached)(void *arg, unsigned rank, const struct report *report);
	/* With `watch`: all have ended, and this rank's last step is the
	 * smallest of those that are known. NULL: nobody wants to know. */
	void (*ended)(void *arg, unsigned rank, double step);
	void *arg;
};

/* Without an endpoint, where there can't be one: that is said, and files are
 * taken all the same. NULL when out of memory. Free with metrics_close(). */
struct metrics *metrics_open(const struct metrics_options *options);

/* NULL is allowed. */
void metrics_close(struct metrics *metrics);

/* n processes will start, whose ranks begin with `first`: nothing is known of
 * them. Returns 0, or -1 when out of memory. */
int metrics_begin(struct metrics *metrics, unsigned first, unsigned n,
		  struct err *err);

/* Add to the set what a rank has to know. Returns 0, or -1 when out of memory.
 */
int metrics_add_env(const struct metrics *metrics, unsigned rank,
		    struct envset *set, struct err *err);

/* All of them have ended: take no more reports. What is known stays. NULL is
 * allowed. */
void metrics_end(struct metrics *metrics);

/* For each rank that has reported a row (core/facts/rows.h):
 *
 *	progress RANK PERCENT REMAINING_S STEP RATE LOSS AGE_S BUSY
 *		[NAME=NUMBER]...
 *
 * REMAINING_S as it was AGE_S seconds ago; RATE in steps per second; BUSY in
 * percent; "" is unknown. NULL is allowed. */
void metrics_tell(struct metrics *metrics, FILE *f);

/* When a rank has reported for the last time, on the clock of loop_now_ms(); 0:
 * never, or it is none of these. Looks at the rank's file. NULL is allowed. */
uint64_t metrics_last_ms(struct metrics *metrics, unsigned rank);

#endif
