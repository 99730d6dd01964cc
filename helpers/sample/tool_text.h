/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tools for stacks print, as threads and frames. Pure. The text may be
 * anything: a line that isn't understood is no frame.
 */
#ifndef DT_HELPERS_SAMPLE_TOOL_TEXT_H
#define DT_HELPERS_SAMPLE_TOOL_TEXT_H

#include "helpers/sample/sample_limits.h"

struct tool_frame {
	const char *function, *file; /* file "": unknown */
	long line;		     /* 0: unknown */
};

struct tool_thread {
	long tid; /* 0: not told */
	const char *name;
	unsigned n;
	struct tool_frame frame[SAMPLE_FRAMES]; /* the innermost first */
};

/* What a tool has said; its texts are in the text that was read. */
struct tool_stacks {
	unsigned n;
	struct tool_thread thread[SAMPLE_THREADS];
};

/* py-spy dump --full-filenames; eu-stack. `text` is changed. */
typedef void tool_read_fn(char *text, struct tool_stacks *ret);
tool_read_fn pyspy_read, eustack_read;

#endif
