/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the processes of a task write: labels, log files, the timeline.
 *
 * By default they have the task's own stdout and stderr, and nothing of this
 * is used. With label=yes, log-dir= or timeline= each has two pipes, which a
 * thread of the launcher reads and writes on (why a thread: see io_thread.h).
 *
 * output.h	the launcher's side: pipes for each process, and their end
 * io_thread.h	the thread; it alone reads the pipes
 * line_copy.h	whole lines, with a label before each; line_writer.h the rest
 * log_file.c	the names of log files
 * own_lines.c	the launcher's own lines, where no key asks for the rest
 * outfile.c	a file that output goes to, and what is lost of it
 * tail.c		the last lines of a stream, for the report of a failure
 * timeline.h	the records of timeline=, which dist-train timeline reads
 * record_line.c	a line of these, and of the records of the key record
 *
 * helpers/launch calls this. It starts no process and knows no channel.
 */
#pragma once

#include "core/base/err.h"
#include "core/plan/plan.h"
#include "helpers/output/io_thread.h"
#include "helpers/output/timeline.h"
#include "sys/loop.h"

struct output;

/* Make ready for the plan's processes; plan and timeline must outlive it. *ret
 * is NULL when the request asks for nothing. `drained` is called once, when
 * output_finish() has been called and everything has been read and written.
 * Returns 0 or -1. */
int output_open(struct loop *loop, const struct plan *plan,
		const struct timeline *timeline, void (*drained)(void *arg),
		void *arg, struct output **ret, struct err *err);

/* The plan is another one and all of the old one's processes have ended: labels
 * and log files are those of the ranks that are here now. A rank's log goes on
 * in its own file; where it comes to this node a line in it says so. Returns 0
 * or -1. */
int output_again(struct output *output, struct err *err);

/* The file descriptors for process `index`: its standard output and error, to
 * be closed by the caller once it runs. */
int output_attach(struct output *output, unsigned index,
		  const struct process *process, int *ret_out, int *ret_err,
		  struct err *err);

/* All processes have ended: what is still in the pipes is read; a pipe that an
 * orphan holds open is given up after a second. */
void output_finish(struct output *output);

/* The last lines that a process wrote to stderr, each with its newline, or "";
 * borrowed until the next call. */
const char *output_last_lines(struct output *output, unsigned index);

/* When the process has last written something, as loop_now_ms(); 0: never. */
uint64_t output_heard_ms(const struct output *output, unsigned index);

/* Print lines of the launcher's own, each with its newline, to stderr, where
 * they tear no process's line. */
void output_say(struct output *output, const char *lines);

/* When `drained` wasn't called this may take 2 s, and the program has to end.
 */
void output_close(struct output *output);

/*
 * The processes of one world as output.c has them: their labels, log files and
 * last lines. Streams of an older world may be read as long as somebody holds
 * them open, so that it stays to the end.
 */

struct output_ranks {
	unsigned n, first, world_size;
	unsigned nranks; /* number of processes; the last stream may be a
			    service's */
	char service[SERVICE_NAME_SIZE];
	struct log_files logs; /* two per process; none without log-dir */
	bool *tee;	       /* with log-dir: also to the terminal */
	struct last_lines *last;
	_Atomic uint64_t *heard_ms; /* the thread writes it */
	struct output_ranks *before;
};

/*
 * The launcher's own lines on standard error, where nothing else of this room
 * is used (label=no): srun may be stopped, or write to a pager, and then the
 * pipe to it stays full. A thread writes the lines and may block; the launcher
 * goes on to end its processes.
 */

struct io_thread;

/* NULL: nothing has been said yet. */
struct own_lines {
	struct io_thread *thread;
};

/* Write them, now or when there is room. The first call starts the thread; if
 * that fails, this call may block. */
void own_lines_say(struct own_lines *own, const char *lines);

/* Wait until all is written, at most 10 s: what isn't then is lost, and the
 * program has to end. */
void own_lines_close(struct own_lines *own);
