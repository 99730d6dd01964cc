/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: how far the processes of a launcher are, as they say themselves
 * (key metrics, doc/design/helpers-metrics.md).
 *
 *	a process -> dist-train-metrics -> metrics_endpoint.c -.
 *	a process -> its file <- metrics.c, when asked --------+
 *							       v
 *				  metrics.c: the newest of each rank
 *
 * progress_report.h	a report's words
 *
 * helpers/launch has one for its processes, in each round anew; helpers/look
 * tells it. All runs in the launcher's loop and doesn't block. Steps without
 * the key have none of it.
 */
#pragma once

#include "core/base/envset.h"
#include "core/base/err.h"
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

/* Where its variables come from, for the user. */
#define METRICS_KEY "key metrics"

/* The name of a rank's file. */
#define METRICS_FILE	  "progress-%u"
#define METRICS_FILE_SIZE 24

/*
 * A launcher's endpoint for reports over HTTPS: the program dist-train-metrics.
 * The launcher has the listening socket, so that the address is known before
 * the program runs, and stays when processes start again. It is at the loopback
 * address, at a port that the kernel chooses: nobody else has to know it.
 */

struct endpoint;

struct endpoint_options {
	struct loop *loop;
	const char *dir; /* for the certificate and the token; borrowed */
	/* A report of a rank, which may be changed. */
	void (*line)(void *arg, unsigned rank, char *line);
	/* The program has ended by itself, and the endpoint is closed: from now
	 * on whoever asks is refused at once. */
	void (*lost)(void *arg);
	void *arg;
};

/* Returns 0; or -1 with the reason: there is no such program here (in a
 * container), no port, or a file can't be written. endpoint_close() in the
 * first case. */
int endpoint_open(const struct endpoint_options *options, struct endpoint **ret,
		  struct err *err);
void endpoint_close(struct endpoint *endpoint);

/* Take reports of n ranks from `first` on, until endpoint_stop(). Returns 0 or
 * -1. */
int endpoint_start(struct endpoint *endpoint, unsigned first, unsigned n,
		   struct err *err);

/* Take no more, after what has come. No-op when it isn't started. */
void endpoint_stop(struct endpoint *endpoint);

/* Add the variables of a rank to the set; none where the program has ended.
 * Returns 0, or -1 when out of memory. */
int endpoint_add_env(const struct endpoint *endpoint, unsigned rank,
		     struct envset *set, struct err *err);
