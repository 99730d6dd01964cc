/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sample of one process, in the child of sample_rank.c: it blocks.
 */
#ifndef DT_HELPERS_SAMPLE_SAMPLE_PROCESS_H
#define DT_HELPERS_SAMPLE_SAMPLE_PROCESS_H

#include "helpers/sample/sample_limits.h"
#include "helpers/sample/stop_undo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sample_process {
	const char *row; /* "proc" or "child" */
	long rank;
	pid_t pid;
	bool python;
	bool own;	   /* the launcher has started it, with what it is */
	bool native;	   /* native frames of Python, too */
	bool cheap;	   /* no debugger, which stops it for long */
	uint64_t until_ms; /* on the loop's clock: tools are killed then */
	struct stop_undo *undo; /* the launcher's, too */
	/* Room for what a tool says: of `size` bytes. */
	char *text;
	size_t size;
};

/* Write its rows. */
void sample_process(const struct sample_process *p, FILE *f);

#endif
