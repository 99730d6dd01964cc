/* SPDX-License-Identifier: Apache-2.0 */
/* Frames, threads and processes, as rows have told them (sample.h). */
#ifndef DT_HELPERS_SAMPLE_STACK_TYPES_H
#define DT_HELPERS_SAMPLE_STACK_TYPES_H

#include <stdbool.h>

struct stack_frame {
	const char *function, *file; /* file "": unknown */
	long line;		     /* 0: unknown */
};

struct stack_thread {
	long tid;
	const char *name, *wchan;
	char state; /* of /proc: R S D T ...; '?': unknown */
	unsigned nframes;
	struct stack_frame *frame; /* the innermost first */
};

/* A rank's program, or a process below it. */
struct stack_proc {
	long rank, pid;
	const char *node, *comm, *tool;
	char state; /* as of a thread; 'X': it has ended, or its node is lost */
	bool child;
	unsigned nthreads;
	struct stack_thread *thread; /* the main thread first */
};

#endif
