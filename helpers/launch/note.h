/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens to the step, for its records: that of the key timeline, which
 * each launcher writes for itself, and that of the key record, which the
 * arbiter's launcher keeps for all (helpers/record/recorder.h). A launcher that
 * isn't the arbiter's sends its lines there.
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

/* The same for the key record alone, in this round. */
void note_record(struct launch *l, enum record_mark mark, const char *node,
		 const char *more);

/* The same for the key record alone, with a text of any kind, in this round:
 * lines of a report, a folder's name. */
void note_text(struct launch *l, enum record_mark mark, const char *node,
	       const char *text);

/* The node must have no place in the next round; `why` begins after its name.
 * And with recovery, that of this launcher: the arbiter is told. */
void note_condemned(struct launch *l, const char *node, const char *why);
void launch_condemn(struct launch *l, const char *why);

/* A line for the user that the session says here. */
void note_said(struct launch *l, const char *line);

#endif
