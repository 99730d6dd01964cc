/* SPDX-License-Identifier: Apache-2.0 */
/* The stacks of all ranks, inside. */
#pragma once

#include "helpers/sample/group.h"

/* What one launcher has told; all texts are in `rows`. */
struct stack_rows {
	struct stack_rows *next;
	char *rows, *node;
	const char *world;
	struct stack_proc *proc;
	struct stack_thread *thread;
	struct stack_frame *frame;
	unsigned nprocs, nthreads, nframes;
};

struct stacks {
	struct stack_rows *told;
	const struct stack_proc **proc; /* all */
	unsigned nprocs;
	char **note;
	unsigned nnotes;
	/* of the last stacks_group() */
	struct stack_group *group;
	const struct stack_proc **rank; /* programs alone, by group */
	unsigned ngroups;
};

/* The main thread; NULL: it wasn't told. */
static inline const struct stack_thread *
stack_main(const struct stack_proc *proc)
{
	return proc->nthreads ? &proc->thread[0] : NULL;
}

void groups_clear(struct stacks *s);
