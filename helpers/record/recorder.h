/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: the step's record (key record), which the controller
 * (helpers/step) writes as things happen, so that it survives a launcher that
 * is killed (doc/design/helpers-record.md). helpers/part/note.h says
 * what is in it.
 *
 * A home folder may hang (an NFS server that is gone, a dead FUSE file system),
 * and a process that touches it then can't even be killed. So each batch of
 * lines is written by a child, and one that doesn't answer is left to itself:
 * the launcher never waits for it but at its own end, for a second.
 */
#pragma once

#include "core/base/err.h"
#include "sys/loop.h"

#include <stdbool.h>

struct recorder;

/* All but `head` is borrowed. */
struct recorder_options {
	struct loop *loop;
	const char *dir;  /* record=DIR; NULL: the user's state folder */
	const char *step; /* "JOB.STEP.REQUEUE" */
	char *head;	  /* the file's first line, from the heap: taken over,
			     also on failure */
	/* The folder can't be used, and there is no record. `why` names it and
	 * ends without a newline. May be called by recorder_close(). NULL:
	 * nobody wants to know. */
	void (*failed)(void *arg, const char *why);
	void *arg;
};

/* The first line is written in a second. NULL: out of memory. */
struct recorder *recorder_open(const struct recorder_options *options);

/* Add a line, which is taken over; NULL is none. It is left out where the file
 * has `room` bytes. `soon`: write it now, not with others in a second. */
void recorder_add(struct recorder *recorder, char *line, unsigned room,
		  bool soon);

/* The same of a line of MARK_SAVED without its figures: what the progress file
 * `path`, which is borrowed, has when the line is written is added. */
void recorder_add_saved(struct recorder *recorder, char *line, unsigned room,
			const char *path);

/* Write what is left, for a second at most. NULL is allowed. */
void recorder_close(struct recorder *recorder);
