/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several writers on one terminal, line by line. What goes to the same place
 * is collected and written in large pieces that end with a line.
 */
#ifndef DT_HELPERS_OUTPUT_LINE_WRITER_H
#define DT_HELPERS_OUTPUT_LINE_WRITER_H

#include "helpers/output/outfile.h"

#include <stdbool.h>
#include <stddef.h>

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

#endif
