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

/* What a frame is part of: a collective, a library, the user's program. Pure.
 */

/* The frame of the collective that a thread is in, or in what else it waits for
 * its peers; NULL: in none that is known. */
const struct stack_frame *frames_collective(const struct stack_thread *t);

/* "Tensor.backward" is backward. */
const char *frame_name(const struct stack_frame *f);

/* Which frame tells most of where a thread is: the collective's, else the
 * innermost one outside of the standard library and of native libraries, else
 * the innermost one that has a name. NULL: there is none. */
const struct stack_frame *frames_telling(const struct stack_thread *t);

/* Whether the frame is the user's own: with a file outside of site-packages,
 * the standard library and the system's. */
bool frame_is_own(const struct stack_frame *f);

/* A frame of the kernel: [NAME]. */
static inline bool frame_is_kernel(const struct stack_frame *f)
{
	return *f->function == '[';
}

#endif
