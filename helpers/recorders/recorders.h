/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: what the communication libraries' own recorders tell of a step
 * that hangs, and where that is kept (doc/design/0097-recorders.md).
 *
 * fr_read.h	a dump of PyTorch's Flight Recorder as rows: a Python reads it
 * fr_table.h, fr_verdict.h	which rank holds up the others; pure
 * ras.h	NCCL's RAS, asked by its text protocol
 * keep.h	the user's folder for a step's dumps
 * collect.h	all of these on one node, in a child of the launcher
 *
 * Its rows (core/facts/rows.h) are those of fr_read.h, and
 *
 *	recorder RANK LIBRARY STATE TEXT	each rank that has one
 *	ras LINE			of NCCL's report
 *	kept FOLDER FILES BYTES		what was saved there
 *	note TEXT			what couldn't be had, and why
 *
 * STATE is "written" (the dump was made now), "old" (it was there, and the
 * process made no other), "silent" (none) or "unreadable".
 */
#ifndef DT_HELPERS_RECORDERS_RECORDERS_H
#define DT_HELPERS_RECORDERS_RECORDERS_H

#include "core/facts/recorder_env.h"

#define RECORDERS_MS   20000	    /* for a dump on request */
#define RECORDERS_KEEP (64UL << 20) /* bytes, of all nodes of a step */

#endif
