/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The standard input of a node's processes, where there are several. Slurm
 * gives the task one; as srun copies its own to all tasks, the launcher copies
 * the task's to all processes, its end included:
 *
 * a pipe	what comes is kept in a ring of INPUT_RING bytes until all have
 *		taken it, so that a process that doesn't read stops the others
 *		when it is so far behind
 * a file	each process reads it from where it is now, on its own
 * a terminal	only the first process has it, the others have /dev/null, and
 *		aren't in its foreground: Ctrl-C is for the first one, too
 *
 * helpers/launch/start.c and start_service.c ask for it. Runs in the
 * launcher's loop and doesn't block.
 */
#pragma once

#include "core/base/err.h"
#include "sys/loop.h"

#include <stdbool.h>

#define INPUT_RING (4U << 20)

struct input;

/* For `n` processes that read it, of the file `fd`, which is borrowed. *ret is
 * NULL where each may have `fd` itself: there is one process, or nothing to
 * read. Nothing is read before the first input_attach(). Returns 0 or -1. */
int input_open(struct loop *loop, int fd, unsigned n, struct input **ret,
	       struct err *err);

/* The standard input of process `index`, to be closed by the caller once it
 * runs; -1: that of the launcher itself. One that is known not to
 * read (`reads` false; it may be none of the `n`) gets /dev/null. `input` may
 * be NULL. Returns 0 or -1. */
int input_attach(struct input *input, unsigned index, bool reads, int *ret,
		 struct err *err);

/* Whether process `index` is one that doesn't have the terminal, while another
 * one has. `input` may be NULL. */
bool input_lacks_terminal(const struct input *input, unsigned index);

/* All processes have ended and will be started again: each gets everything
 * from the beginning. Fails when that isn't in the ring any more. `input` may
 * be NULL. */
int input_again(struct input *input, struct err *err);

/* `input` may be NULL. */
void input_close(struct input *input);
