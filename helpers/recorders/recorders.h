/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: what the communication libraries' own recorders tell of a step
 * that hangs, and where that is kept (doc/design/helpers-recorders.md).
 *
 * fr_read.h	a dump of PyTorch's Flight Recorder as rows: a Python reads it
 * fr_verdict.h	which rank holds up the others; pure
 * ras.c	NCCL's RAS, asked by its text protocol
 * keep.c	the user's folder for a step's dumps
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
#pragma once

#include "core/base/err.h"
#include "core/facts/handover.h"

#include <limits.h>
#include <stddef.h>

#define RECORDERS_MS   20000	    /* for a dump on request */
#define RECORDERS_KEEP (64UL << 20) /* bytes, of all nodes of a step */

/*
 * Where a step's dumps are kept: dumps/JOB.STEP.REQUEUE of the user's state
 * folder (sys/kept/state_folder.h): call in a child that may be killed.
 */

#define KEEP_STEPS 20 /* folders that stay, the newest */

struct keep {
	int fd; /* of the step's folder */
	char path[PATH_MAX];
	size_t left; /* bytes that may still be written */
	size_t nbytes;
	unsigned nfiles;
};

/* Make it. Older steps' folders are removed. Returns 0, or -1 when the folder
 * can't be made, or somebody else could change it. Close with keep_close(). */
int keep_open(struct keep *keep, const char *step, size_t limit,
	      struct err *err);
void keep_close(struct keep *keep);

/* Write a file, in place of one of that name. Returns 0, or -1 when it can't be
 * written or would be more than the limit: nothing is changed then. */
int keep_file(struct keep *keep, const char *name, const void *data, size_t n,
	      struct err *err);

/*
 * NCCL's RAS (since 2.24): each process of a job may answer at NCCL_RAS_ADDR,
 * and one answers for all. Text, a line a command (src/ras/client_support.cc).
 */

#define RAS_TEXT_MAX (1U << 20)

/* Ask at that port of this host for VERBOSE STATUS; blocks for at most `ms`.
 * *ret is the report, of up to RAS_TEXT_MAX bytes of plain text, freed by the
 * caller. Returns 0, or -1 when nobody listens there, or who does isn't NCCL,
 * says an error, or sends no whole report in time. */
int ras_ask(unsigned port, long ms, char **ret, struct err *err);
