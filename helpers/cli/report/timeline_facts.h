/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a record comes to: who was late, what failed first, how long each phase
 * took, and the rounds of a step that started again. The picture, the summary
 * and its JSON all tell these.
 */
#pragma once

#include "helpers/cli/report/record_reader.h"

#include <stdio.h>

/* The slowest of many, against the median. */
struct slowest {
	const struct life *life; /* NULL: nobody was there */
	unsigned n;		 /* of how many */
	double median_ms, max_ms;
};

struct round {
	unsigned number;
	double from_ms, to_ms; /* first and last event */
	unsigned nprocs, nfailed;
	const struct life *failed; /* the first one, or NULL */
};

struct facts {
	unsigned nnodes;
	struct slowest arrival; /* when each node's first process waited */
	struct slowest output;	/* when a process wrote first, from when it was
				   started; of the first round */
	struct slowest phase[PHASE_COUNT]; /* how long it lasted; all rounds */
	struct round *round;
	unsigned nrounds;
	const struct life *failed;	 /* the first one, or NULL */
	const struct node_mark *stopped; /* the step; or NULL */
};

/* `record` is borrowed. Fails when out of memory. Free with facts_clear(). */
int facts_find(const struct record *record, struct facts *ret, struct err *err);
void facts_clear(struct facts *facts);

/* "start", "restart 1". Returns buf. */
const char *round_name(unsigned number, char buf[32]);

/* One line each, "" where there is nothing to say: "last to arrive: node4, 2.4
 * s after the median", "slowest first output: ...", "first failure: ...". */
#define FACT_SIZE 256
void facts_arrival(const struct facts *facts, char buf[FACT_SIZE]);
void facts_output(const struct facts *facts, char buf[FACT_SIZE]);
void facts_failure(const struct facts *facts, char buf[FACT_SIZE]);

/* The first node that was lost or condemned, and how many more; or "". */
void facts_loss(const struct record *record, char buf[FACT_SIZE]);

/* "1 min 12 s; 8 processes on 4 nodes, 2 rounds". Returns buf. */
const char *facts_size(const struct record *record, const struct facts *facts,
		       char buf[FACT_SIZE]);

/* What a person wants to know of it, on a screen. Fails when out of memory. */
int timeline_text(FILE *f, const struct record *record,
		  const struct facts *facts, struct err *err);

/* The same, and all lives, as members of JSON. */
struct json;
void timeline_json(struct json *j, const struct record *record,
		   const struct facts *facts);

/* Trace events as chrome://tracing and Perfetto read them: a process for each
 * node, a thread for each rank. Times are those of torch.profiler's traces, so
 * that the two can be joined. For picture_write(); `arg` is a struct record. */
void timeline_trace(FILE *f, const void *arg);
