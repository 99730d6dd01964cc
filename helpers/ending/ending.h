/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: let every rank save before the job ends (key end-signal,
 * doc/design/helpers-ending.md).
 *
 *	the time limit comes near, or Slurm's SIGTERM to the whole step
 *	   v
 *	the controller (helpers/step/notice.c): the sight "ending", to all
 *	   v
 *	all launchers (ending.c, ending_here.c): the stop file, and a child
 *	   v
 *	the child (ending_child.c): the signal, at the moment that all have
 *
 * The ranks are told once in the life of a job. They are started with SIGTERM
 * ignored, so that Slurm's own doesn't end who is about to save.
 */
#pragma once

#include "core/base/err.h"

struct launch;
struct sight;

/* Slurm has sent SIGTERM to the whole step. */
void ending_told(struct launch *l);

/* For the record: the whole step has got a signal that ends processes, with the
 * key or without. */
void ending_note(struct launch *l, int sig);

/* The sight: tell this launcher's ranks. Rows (core/facts/rows.h), one for each
 * rank: "told RANK", "deaf RANK" (it doesn't handle the signal). */
void ending_begin(struct sight *sight, const char *words);
void ending_end(struct sight *sight);

/*
 * A fault that all launchers of a step see. Where launchers can't meet, each
 * decides for itself and all would say the same line. So task 0 says it
 * and ends the step; another one says it only when the step hasn't ended 3 s
 * later.
 */

/* End the step with that line. */
void common_fault_say(struct launch *l, const struct err *err);
