/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that reads what processes write and writes it on.
 *
 * It is a thread because a write can't be kept from blocking: the terminal's
 * file description is shared with others, who don't expect O_NONBLOCK on it,
 * and a file on a stalled file system knows no such thing. So it just blocks
 * here, and doesn't read from them meanwhile, which is all the flow control
 * that is needed; the launcher goes on to reap, and its timers run.
 */
#pragma once

#include "core/base/err.h"
#include "helpers/output/line_writer.h"
#include "helpers/output/timeline.h"
#include "sys/loop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The last lines of a proc, and the stream that they come from, if any. */
struct last_lines {
	struct tail tail;
	const struct stream *stream;
};

/* What one process writes to standard output or error, and where it goes. */
struct stream {
	struct loop_watch watch;    /* its fd is read; non-blocking; owned */
	struct outfile *log;	    /* or NULL; borrowed, as the next two */
	struct sink *raw;	    /* or NULL: to the terminal as it is */
	struct last_lines *last;    /* or NULL */
	_Atomic uint64_t *heard_ms; /* when bytes last came; borrowed */
	const struct timeline *timeline; /* until the first bytes come */
	struct timeline_who who;
	struct line_writer lines; /* to the terminal, labelled */
	/* the io_thread's own */
	struct io_thread *io_thread;
	struct loop_timer held; /* until an unfinished line is put */
	struct stream *next;
};

/* The log files of a world's processes, and of those of the worlds before. */
struct log_files {
	struct outfile *file;
	unsigned n;
	const struct log_files *before;
};

/* What the thread is told; nothing: finish. */
struct io_thread_command {
	struct stream *attach;
	char *say;
};

struct io_thread {
	struct sink out, err;
	struct sink *err_sink;	      /* &out when both are the same file */
	const struct log_files *logs; /* for the report of losses; or NULL */
	int done_fd;		      /* readable when it has ended */
	/* the io_thread's own */
	struct loop loop; /* run by the thread */
	struct loop_watch commands;
	int command[2];
	bool opened, started;
	pthread_t thread;
	pthread_mutex_t lock; /* of the last lines and their streams' ends */
	struct stream *streams;
	bool attached; /* there was a stream */
	bool finishing;
	struct loop_timer give_up;
	char buf[65536];
};

/* Start the thread. `logs` may be changed until io_thread_finish(). Returns 0
 * or -1. */
int io_thread_start(struct io_thread *io_thread, struct err *err);

/* Take over a stream: it is closed and freed at its end. Returns 0, or -1 with
 * the stream still the caller's. */
int io_thread_attach(struct io_thread *io_thread, struct stream *stream,
		     struct err *err);

/* Print lines of the launcher's own, each with its newline, to standard error.
 * Where there never was a stream, any text, as it is. */
void io_thread_say(struct io_thread *io_thread, const char *text);

/* Read to the end of all streams; after a second give up those that are still
 * held open. Then report what was lost, and end. */
void io_thread_finish(struct io_thread *io_thread);

/* The last lines of a stream, when they have been read: waits for that for at
 * most 100 ms. Returns buf. */
const char *io_thread_last_lines(struct io_thread *io_thread,
				 const struct last_lines *last,
				 char buf[TAIL_SIZE + 2]);

/* Free what it has, after io_thread_finish() if that wasn't called. False when
 * the thread doesn't end within `wait_ms`: all that it uses has to stay, and
 * this program to end. */
bool io_thread_close(struct io_thread *io_thread, int wait_ms);
