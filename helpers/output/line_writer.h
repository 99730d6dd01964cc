/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several writers on one terminal, line by line. What goes to the same place
 * is collected and written in large pieces that end with a line.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/record_words.h"
#include "core/plan/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A file that output goes to. Training must not fail because of it: after an
 * error what would have been written is dropped and counted.
 */

struct outfile {
	int fd;
	const char *name; /* for a person; borrowed */
	int error;	  /* errno of what failed, or 0 */
	uint64_t lost;	  /* bytes, since then */
};

/* Write all, however long it takes and whether or not somebody made the file
 * non-blocking. */
void outfile_write(struct outfile *target, const void *data, size_t n);

/* What was lost, as a line for the user. False when nothing was. */
bool outfile_loss(const struct outfile *target, char *buf, size_t size);

#define SINK_SIZE   65536
#define PREFIX_SIZE 32

/* Standard output or error. */
struct sink {
	struct outfile target;
	const struct line_writer *last; /* whose line was put last */
	bool midline;			/* and is unfinished */
	size_t used;
	char buf[SINK_SIZE];
};

/* Bytes as they are. */
void sink_put(struct sink *sink, const char *data, size_t n);

/* Lines of the launcher's own, each with its newline. */
void sink_say(struct sink *sink, const char *text);

void sink_flush(struct sink *sink);

/* One writer, whose lines get a prefix. A line is held back until its end has
 * come, at most LINE_MAX_HELD bytes: longer ones are passed on in pieces,
 * which are one line unless another writer's comes between. */
#define LINE_MAX_HELD (SINK_SIZE - PREFIX_SIZE - 1)

struct line_writer {
	struct sink *sink; /* NULL: none of this */
	char prefix[PREFIX_SIZE];
	char *held; /* LINE_MAX_HELD bytes, or NULL */
	size_t nheld;
};

/* The prefix of `rank` with as many digits as the largest rank has. */
void line_writer_set_prefix(struct line_writer *lines, unsigned rank,
			    unsigned world_size, bool colour);

/* The prefix of a process that has a name in the place of a rank. */
void line_writer_set_name(struct line_writer *lines, const char *name,
			  bool colour);

/* Add what was written. True when it ended the line that was held. */
bool line_writer_add(struct line_writer *lines, const char *data, size_t n);

/* Don't wait any longer for the line's end. */
void line_writer_release(struct line_writer *lines);

/* Nothing more comes: let go, end the line and free. */
void line_writer_end(struct line_writer *lines);

/*
 * The name of the file for a process's standard output or error.
 */

/* The file's name by the key log-dir (core/option/file_pattern.h). Without %r,
 * or with a '/' at its end, the pattern is a folder. `stream` is "out" or
 * "err". A `service` (else NULL) has its name in the place of a rank. A string
 * to free; NULL when the name would be too long. */
char *log_file_name(const struct plan *plan, unsigned rank, const char *service,
		    const char *stream, struct err *err);

/* The pattern of another key, which stands for one file of the node: the same
 * without %r, and with this %n. */
char *log_file_expand(const char *key, const char *pattern,
		      const struct plan *plan, unsigned node_rank,
		      struct err *err);

/*
 * Lines of a step's record, of the keys timeline and record alike: one JSON
 * object each (core/facts/record_words.h).
 */

#define RECORD_NODE_SIZE 64
#define RECORD_TIME_SIZE 40

/* Node names need no escapes in JSON; a byte that would is replaced. */
void record_node(const char *name, char ret[RECORD_NODE_SIZE]);

/* Milliseconds since the epoch: "1790857026000.123". Returns buf. */
const char *record_now(char buf[RECORD_TIME_SIZE]);

/* What the step is. `command` is shown, so that it has no secrets; `more` is ""
 * or further members, each after a comma. The line with its newline is the
 * caller's to free; NULL: out of memory. */
char *record_step_line(const struct plan *plan, const char *command,
		       const char *more);

/* Something happens to `node`, or with NULL to the step. As above. */
char *record_mark_line(const char *step, unsigned round, enum record_mark mark,
		       const char *node, const char *more);

/*
 * The last lines of a stream: at most 20, and 4 KiB.
 */

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
