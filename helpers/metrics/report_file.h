/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file in which a process leaves a report (DIST_TRAIN_PROGRESS_FILE). It is
 * the process's own and may be anything: no link is followed, nothing but a
 * regular file is read, never more than a line of it, and nothing blocks.
 */
#ifndef DT_HELPERS_METRICS_REPORT_FILE_H
#define DT_HELPERS_METRICS_REPORT_FILE_H

#include "core/base/err.h"
#include "helpers/metrics/progress_report.h"

#include <stdint.h>
#include <sys/stat.h>

/* What it was at the last look; all zero: nobody has looked. */
struct report_file {
	ino_t inode;
	off_t size;
	struct timespec written;
};

/* The last line of `name` in the folder `dir` that isn't empty, if the file is
 * another one than at the last look. *ret_age_ms: since it was written.
 * Returns 1; 0: there is no new line; -1 with the reason: it is no file, can't
 * be read, or the line is too long. */
int report_file_read(int dir, const char *name, struct report_file *seen,
		     char ret_line[REPORT_LINE_MAX], uint64_t *ret_age_ms,
		     struct err *err);

#endif
