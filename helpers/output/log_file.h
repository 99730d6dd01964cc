/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name of the file for a process's standard output or error.
 */
#ifndef DT_HELPERS_OUTPUT_LOG_FILE_H
#define DT_HELPERS_OUTPUT_LOG_FILE_H

#include "core/base/err.h"
#include "core/plan/plan.h"

/* The file's name by the key log-dir (core/option/file_pattern.h). Without %r,
 * or with a '/' at its end, the pattern is a folder. `stream` is "out" or
 * "err". A `service` (else NULL) has its name in the place of a rank. A string
 * to free; NULL when the name would be too long. */
char *log_file_name(const struct plan *plan, unsigned rank, const char *service,
		    const char *stream, struct err *err);

/* The pattern of another key, which stands for one file of the node: the same
 * without %r, and with this %n. */
char *log_file_expand(const char *key, const char *pattern,
		      const struct plan *plan, unsigned node_rank,
		      struct err *err);

#endif
