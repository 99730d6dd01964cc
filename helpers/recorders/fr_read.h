/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a rank's dump of the Flight Recorder, which is a pickle, to what says
 * where it stands, as rows (core/facts/rows.h):
 *
 *	dump RANK ENTRIES LOST
 *	group RANK NAME DESC RANKS DONE ENTERED
 *	op RANK NAME KIND NUMBER OP SIZES STATE FUNCTION FILE LINE
 *
 * LOST: how many entries the ring buffer has no more. RANKS: the group's, as
 * PyTorch writes them ("[0, 1]"), or "" where the dump doesn't say. DONE and
 * ENTERED: the numbers of the last collective that has ended, and of the last
 * that this rank has entered; 0: none. There is an `op` for the last collective
 * and for the oldest that haven't ended. KIND is "collective" or "p2p" (NUMBER
 * is one of those then), STATE "done", "started" or "scheduled"; FUNCTION, FILE
 * and LINE are the innermost outside of torch's own packages.
 *
 * Python reads it (fr_dump.py), with an Unpickler that has no opcode to make or
 * call anything, and finds no class: in a child with a limit of time, memory
 * and processor. The dump comes from the job, and so does what this Python
 * prints: both may be anything.
 */
#pragma once

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Let `python` read the dump that the file `fd` holds, for at most `ms`.
 * Returns 0, or -1 where it is none, or couldn't be read; nothing is written
 * then. */
int fr_read(const char *python, int fd, unsigned rank, long ms, FILE *rows,
	    struct err *err);

/* Whether the bytes begin and end as a pickle does: one that is still being
 * written ends anywhere. */
bool fr_is_whole(const char *data, size_t n);

/* What the script has printed: its rows, if all of them are of these kinds and
 * of this rank. The text is changed. Pure. */
int fr_rows(char *text, unsigned rank, FILE *rows, struct err *err);
