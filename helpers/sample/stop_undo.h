/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tool stops a process while it reads its stack. One that is killed then, or
 * dies, may leave it stopped: whoever has called the tool lets it go on. The
 * child that calls it may be killed, too (its time is over, memory is short):
 * whom it has asked for is in memory that the launcher shares, which does it
 * then. Nothing here blocks, and no process but that one gets a signal.
 */
#ifndef DT_HELPERS_SAMPLE_STOP_UNDO_H
#define DT_HELPERS_SAMPLE_STOP_UNDO_H

#include "sys/proc_id.h"

#include <stdbool.h>

/* All zero: no process is asked for. */
struct stop_undo {
	struct proc_id id;
};

/* A tool will be asked for this process, which isn't stopped. */
void stop_undo_begin(struct stop_undo *u, pid_t pid);

/* SIGCONT where it is stopped, or about to be. Returns false while a tool still
 * holds it: call it again. */
bool stop_undo(const struct stop_undo *u);

/* Nothing is to be undone any more. */
void stop_undo_end(struct stop_undo *u);

/* Whether the child was in the middle. */
bool stop_undo_is_open(const struct stop_undo *u);

#endif
