/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last lines of a stream: at most 20, and 4 KiB.
 */
#ifndef DT_HELPERS_OUTPUT_TAIL_H
#define DT_HELPERS_OUTPUT_TAIL_H

#include <stddef.h>
#include <stdint.h>

#define TAIL_SIZE  4096
#define TAIL_LINES 20

struct tail {
	char ring[TAIL_SIZE];
	uint64_t total; /* bytes so far */
};

void tail_add(struct tail *tail, const char *data, size_t n);

/* The lines, each with its newline; NULs are shown as '?'. A line whose
 * beginning is gone is left out unless it is the only one. Returns buf. */
const char *tail_text(const struct tail *tail, char buf[TAIL_SIZE + 2]);

#endif
