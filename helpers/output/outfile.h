/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that output goes to. Training must not fail because of it: after an
 * error what would have been written is dropped and counted.
 */
#ifndef DT_HELPERS_OUTPUT_OUTFILE_H
#define DT_HELPERS_OUTPUT_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct outfile {
	int fd;
	const char *name; /* for a person; borrowed */
	int error;	  /* errno of what failed, or 0 */
	uint64_t lost;	  /* bytes, since then */
};

/* Write all, however long it takes and whether or not somebody made the file
 * non-blocking. */
void outfile_write(struct outfile *target, const void *data, size_t n);

/* What was lost, as a line for the user. False when nothing was. */
bool outfile_loss(const struct outfile *target, char *buf, size_t size);

#endif
