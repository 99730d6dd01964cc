/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a step's record, of the keys timeline and record alike: one JSON
 * object each (core/facts/record_words.h).
 */
#ifndef DT_HELPERS_OUTPUT_RECORD_LINE_H
#define DT_HELPERS_OUTPUT_RECORD_LINE_H

#include "core/facts/record_words.h"
#include "core/plan/plan.h"

#define RECORD_NODE_SIZE 64
#define RECORD_TIME_SIZE 40

/* Node names need no escapes in JSON; a byte that would is replaced. */
void record_node(const char *name, char ret[RECORD_NODE_SIZE]);

/* Milliseconds since the epoch: "1790857026000.123". Returns buf. */
const char *record_now(char buf[RECORD_TIME_SIZE]);

/* What the step is. `command` is shown, so that it has no secrets; `more` is ""
 * or further members, each after a comma. The line with its newline is the
 * caller's to free; NULL: out of memory. */
char *record_step_line(const struct plan *plan, const char *command,
		       const char *more);

/* Something happens to `node`, or with NULL to the step. As above. */
char *record_mark_line(const char *step, unsigned round, enum record_mark mark,
		       const char *node, const char *more);

#endif
