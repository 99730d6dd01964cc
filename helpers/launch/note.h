/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens to the step, for its record: where the arbiter is, it is written
 * into the record that is always kept (helpers/record/recorder.h), and into
 * timeline=FILE, to which each launcher adds what its processes do
 * (helpers/output/timeline.h). Other launchers send their lines there.
 *
 * What a text holds of the user's processes is cut to NOTE_TEXT_MAX bytes.
 */
#ifndef DT_HELPERS_LAUNCH_NOTE_H
#define DT_HELPERS_LAUNCH_NOTE_H

#include "core/facts/record_words.h"

#define NOTE_TEXT_MAX 4600

struct launch;

/* For the session (struct session_options). */
void note_first_failure(void *launch, const char *node, int code,
			const char *why);

/* Something happens in `round` to `node`, or with NULL to the step; `more` is
 * "" or further members of the object, each after a comma. */
void note_mark(struct launch *l, unsigned round, enum record_mark mark,
	       const char *node, const char *more);

/* The same with a text of any kind, in this round: lines of a report, a
 * folder's name. */
void note_text(struct launch *l, enum record_mark mark, const char *node,
	       const char *text);

/* The node must have no place in the next round; `why` begins after its name.
 * And with recovery, that of this launcher: the arbiter is told. */
void note_condemned(struct launch *l, const char *node, const char *why);
void launch_condemn(struct launch *l, const char *why);

/* A line for the user that the session says here. */
void note_said(struct launch *l, const char *line);

/* --- note_step.c --- */

/* The first line of the step's record: what it is and what was asked for; of
 * the command the program's name alone, because arguments may be secrets. For
 * the caller to free; NULL: out of memory. */
char *note_step_line(const struct launch *l);

/* What was asked for: members for that of timeline=FILE, likewise. */
char *note_step_more(const struct launch *l);

#endif
