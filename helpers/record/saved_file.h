/* SPDX-License-Identifier: Apache-2.0 */
/* The file of the key progress-file, in a process that may hang. */
#ifndef DT_HELPERS_RECORD_SAVED_FILE_H
#define DT_HELPERS_RECORD_SAVED_FILE_H

#include <stdint.h>

/* The integer in the file, and when it was written, in milliseconds since the
 * epoch. Returns 0, or -1: there is none in a regular file, or the file is one
 * that sys/kept/log_open.h refuses. */
int saved_file_read(const char *path, long *ret_value, int64_t *ret_written_ms);

#endif
