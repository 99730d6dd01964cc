/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tools for stacks print, as threads and frames. Pure. The text may be
 * anything: a line that isn't understood is no frame.
 */
#pragma once

#include "core/base/err.h"
#include "helpers/sample/program_find.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

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

/*
 * The programs that read another process's stacks: where they are, how they are
 * called, and whether this node lets them. For the sample of a rank, and for
 * `dist-train doctor`.
 */

#define TOOL_WORDS 8 /* of a command line, with its NULL */

/* In the order in which they are tried. */
enum tool_id { TOOL_PYSPY, TOOL_EUSTACK, TOOL_COUNT };

struct tool {
	const char *name;
	bool python; /* it tells the frames of Python */
	bool stops;  /* what it reads, always: it can't read a stuck process */
	tool_read_fn *read;
};

extern const struct tool tools[TOOL_COUNT];

/* How a tool is called. */
struct tool_call {
	bool quiet;  /* without a stop of the process, which may be stopped or
			stuck already */
	bool native; /* native frames, too */
	char pid[16];
	const char *argv[TOOL_WORDS];
};

/* Fill call->argv for the program `file`, from what else is in *call. */
void tool_call_make(enum tool_id id, const char *file, pid_t pid,
		    struct tool_call *call);

/* The file of a program of that name, for a process: beside its interpreter, in
 * its virtual environment, along its PATH, then along ours. `pid` 0, or of one
 * that has ended: along ours alone. Returns 0, or -1 when there is none. */
int program_path(const char *name, pid_t pid, char *buf, size_t size);

/* kernel.yama.ptrace_scope; 0 where the kernel has no Yama. */
int trace_scope(void);

/* Whether a child of the launcher may read the memory of a process, as `uid`:
 * `own` is one that the launcher itself has started, which has let it
 * (sys/child.h). NULL, or why not and what would help. */
const char *trace_refusal(int scope, uid_t uid, bool own);
