/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this launcher adds to the step's record: it tells the controller
 * (helpers/step/record.c). To timeline=FILE each launcher adds what its
 * processes do (helpers/output/timeline.h).
 */
#pragma once

#include "core/facts/record_words.h"

#include <stdbool.h>

struct launch;
struct plan;

/* Of the text of MSG_NOTE. */
#define NOTE_MAX 32000

/* Whether the step has a record. */
bool note_is_kept(const struct plan *plan);

/* Something happens in `round` to `node`, or with NULL to the step; `more` is
 * "" or further members of the object, each after a comma. */
void note_mark(struct launch *l, unsigned round, enum record_mark mark,
	       const char *node, const char *more);

/* The same with a text of any kind, in this round: lines of a report. */
void note_text(struct launch *l, enum record_mark mark, const char *node,
	       const char *text);

/* With recovery: this node must have no place in the next round; `why` begins
 * after its name. */
void launch_condemn(struct launch *l, const char *why);
