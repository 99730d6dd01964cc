/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step's record (timeline.h), read back: the lives of its processes.
 */
#ifndef DT_HELPERS_CLI_TIMELINE_TIMELINE_READER_H
#define DT_HELPERS_CLI_TIMELINE_TIMELINE_READER_H

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum record_event {
	RECORD_PLANNED,
	RECORD_EXCHANGED,
	RECORD_STARTED,
	RECORD_OUTPUT,
	RECORD_ENDED,
	RECORD_EVENTS,
};

#define RECORD_NEVER (-1.0)

/* One process from its plan to its end; a restart in place is another life. */
struct life {
	unsigned rank, round;
	char node[64], role[16];
	double at_ms[RECORD_EVENTS]; /* since the record's begin, or
					RECORD_NEVER */
	int code, signal;	     /* of its end */
	bool by_us;		     /* the launcher has ended it */
};

struct record {
	char step[64];
	struct life *life; /* by rank, then round */
	size_t n;
	unsigned nranks; /* the largest and one */
	double end_ms;	 /* of the last event */
	unsigned steps;	 /* that the file has; the last one is here */
	size_t bad;	 /* lines that were none */
};

/* The last step of a file's text. Fails when it has no line of a record. Free
 * with record_clear(). */
int record_read(const char *text, struct record *ret, struct err *err);
void record_clear(struct record *record);

/* The life that failed first, and the one to which an event came last; NULL
 * when there is none. */
const struct life *record_first_failure(const struct record *record);
const struct life *record_last(const struct record *record,
			       enum record_event event);

/* By itself, not because the launcher has ended it. */
bool life_failed(const struct life *life);

#endif
