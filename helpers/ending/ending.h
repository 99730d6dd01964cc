/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: let every rank save before the job ends (key end-signal,
 * doc/design/0100-the-end-of-a-job.md).
 *
 *	the time limit comes near, or Slurm's SIGTERM to the whole step
 *	   v
 *	the arbiter's launcher (ending.c): the sight "ending", to all
 *	   v
 *	all launchers, this one too (ending_here.c): the stop file, and a child
 *	   v
 *	the child (ending_child.c): the signal, at the moment that all have
 *
 * The ranks are told once in the life of a job. They are started with SIGTERM
 * ignored, so that Slurm's own doesn't end who is about to save.
 */
#ifndef DT_HELPERS_ENDING_ENDING_H
#define DT_HELPERS_ENDING_ENDING_H

#include <stdint.h>

#define ENDING_SIGHT "ending"

/* The name of the file in the launcher's folder, and where a rank finds it. */
#define STOP_FILE	   "stop"
#define STOP_FILE_VARIABLE "DIST_TRAIN_STOP_FILE"

struct ending;
struct launch;
struct sight;

/* The job ends then, in seconds since the epoch; 0: it has no limit. NULL is
 * allowed here and below. */
void ending_time(struct ending *ending, int64_t seconds);

/* A signal that ends processes was sent to the whole step. */
void ending_told(struct ending *ending);

/* The whole step has got that signal, with the key or without. */
void ending_note(struct launch *l, int sig);

/* The sight: tell this launcher's ranks. Rows (core/facts/rows.h), one for each
 * rank: "told RANK", "deaf RANK" (it doesn't handle the signal). */
void ending_begin(struct sight *sight, const char *words);
void ending_end(struct sight *sight);

#endif
