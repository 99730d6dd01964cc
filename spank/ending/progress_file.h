/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key progress-file: an integer that the program writes, and what it was
 * when the job's lives began. That is kept beside it, in
 * FILE.dist-train-JOB with lines "LIFE VALUE": there the next life finds it
 * wherever it runs, if it finds FILE. In a folder that others may write to
 * neither is a link (sys/kept/log_open.h). Runs in srun, as the user.
 */
#ifndef DT_SPANK_ENDING_PROGRESS_FILE_H
#define DT_SPANK_ENDING_PROGRESS_FILE_H

#include "core/base/err.h"

#include <stddef.h>

struct progress_file {
	const char *path; /* borrowed */
	unsigned job_id;
	unsigned life; /* 0: the first */
};

/* A life begins: note what the file has. Only the first step of a life does.
 * Returns 0, or -1: it can't be noted, and lives aren't counted. */
int progress_file_begin(const struct progress_file *f, struct err *err);

/* How many lives in a row, this one too, have ended without progress: the
 * integer hasn't grown, or there is none. `say` gets what the file has, for the
 * user. */
unsigned progress_file_idle(const struct progress_file *f, char *say,
			    size_t size);

/* The chain is over: remove what was noted. */
void progress_file_end(const struct progress_file *f);

#endif
