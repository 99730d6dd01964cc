/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a rank's dump of the Flight Recorder to what says where it stands, as
 * rows (core/facts/rows.h):
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
 */
#ifndef DT_HELPERS_RECORDERS_FR_READ_H
#define DT_HELPERS_RECORDERS_FR_READ_H

#include "core/base/err.h"

#include <stddef.h>
#include <stdio.h>

#define FR_GROUPS_MAX  64    /* of a dump; more aren't told */
#define FR_ENTRIES_MAX 20000 /* of a dump; the newest */

/* Returns 0, or -1 where it is no dump; nothing is written then. */
int fr_read(const void *data, size_t size, unsigned rank, FILE *rows,
	    struct err *err);

#endif
