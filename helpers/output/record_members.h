/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of a step's record (core/facts/record_words.h) that are made of what
 * this process was given. All are for the caller to free; NULL: out of memory.
 */
#ifndef DT_HELPERS_OUTPUT_RECORD_MEMBERS_H
#define DT_HELPERS_OUTPUT_RECORD_MEMBERS_H

#include "core/facts/job.h"
#include "core/plan/plan.h"

/* What a text of the user's processes is cut to. */
#define RECORD_TEXT_MAX 4600

/* ',"NAME":TEXT', of at most RECORD_TEXT_MAX bytes of the text. */
char *record_member(const char *name, const char *text);

/* The first line: what Slurm's step `step` is and what was asked for; of the
 * command `program`, its name alone, because arguments may be secrets. */
char *record_head(const struct plan *plan, const struct job *step,
		  const char *program);

/* What was asked for: members for the first line of timeline=FILE. */
char *record_asked(const struct plan *plan, const struct job *step);

#endif
