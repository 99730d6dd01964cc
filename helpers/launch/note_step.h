/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_LAUNCH_NOTE_STEP_H
#define DT_HELPERS_LAUNCH_NOTE_STEP_H

struct launch;

/* The first line of the step's record: what it is and what was asked for; of
 * the command the program's name alone, because arguments may be secrets. For
 * the caller to free; NULL: out of memory. */
char *note_step_line(const struct launch *l);

#endif
