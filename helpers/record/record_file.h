/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a step's record, in a process that may hang: the file system of a
 * home folder may be dead (helpers/record/recorder.h).
 */
#pragma once

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_line {
	char *text;    /* with its newline */
	unsigned room; /* it is left out where the file has that many bytes */
	/* Of MARK_SAVED the progress file, whose "value" and "age_s" are added
	 * when the line is written; NULL: another line. The age is that at
	 * at_ms, in milliseconds since the epoch. */
	const char *saved;
	int64_t at_ms;
};

/* Open the record of a step ("JOB.STEP.REQUEUE") to append to it, in a folder
 * that is made if it is missing. Folder and file are the user's alone (0700,
 * 0600). A file that is a link, has a second name or is another user's is
 * refused; `own`: the folder is state_folder_path(), and has to be as
 * state_folder_open() says. *ret_folder is the folder; both are for the caller
 * to close. Returns -1 with the folder's name in the error. Sets the umask. */
int record_file_open(const char *folder, bool own, const char *step,
		     int *ret_folder, struct err *err);

/* Write a line with one write(), as far as there is room. Returns 0, or -1: the
 * disk is full or gone. */
int record_file_write(int fd, const struct record_line *line);

/* The file of the key progress-file, in a process that may hang. */

/* The integer in the file, and when it was written, in milliseconds since the
 * epoch. Returns 0, or -1: there is none in a regular file, or the file is one
 * that sys/kept/log_open.h refuses. */
int saved_file_read(const char *path, long *ret_value, int64_t *ret_written_ms);
