/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the bytes of one stream into whole lines with the rank before each
 * (label=yes) or unchanged, and collects them in a buffer, so that lines of
 * different ranks don't mix.
 */
#include "helpers/output/line_writer.h"

#include "helpers/output/line_copy.h"

#include <stdio.h>
#include <stdlib.h>

void sink_flush(struct sink *sink)
{
	outfile_write(&sink->target, sink->buf, sink->used);
	sink->used = 0;
}

/* Make room for n bytes, so that they leave in one write if possible. */
static void make_room(struct sink *sink, size_t n)
{
	if (n > SINK_SIZE - sink->used)
		sink_flush(sink);
}

void sink_put(struct sink *sink, const char *data, size_t n)
{
	if (!n)
		return;
	make_room(sink, n);
	if (n >= SINK_SIZE) {
		outfile_write(&sink->target, data, n);
	} else {
		memcpy(sink->buf + sink->used, data, n);
		sink->used += n;
	}
	sink->midline = data[n - 1] != '\n';
}

static void end_line(struct sink *sink)
{
	if (sink->midline)
		sink_put(sink, "\n", 1);
}

void sink_say(struct sink *sink, const char *text)
{
	end_line(sink);
	sink_put(sink, text, strlen(text));
	sink->last = NULL;
}

static unsigned digits(unsigned n)
{
	unsigned count = 1;

	while (n /= 10)
		count++;
	return count;
}

void line_writer_set_prefix(struct line_writer *lines, unsigned rank,
			    unsigned world_size, bool colour)
{
	int width = (int)digits(world_size ? world_size - 1 : 0);
	/* red to cyan, dark and bright */
	unsigned sgr = rank % 12 < 6 ? 31 + rank % 6 : 91 + rank % 6;

	if (colour)
		snprintf(lines->prefix, PREFIX_SIZE, "\033[%um%*u:\033[0m ",
			 sgr, width, rank);
	else
		snprintf(lines->prefix, PREFIX_SIZE, "%*u: ", width, rank);
}

void line_writer_set_name(struct line_writer *lines, const char *name,
			  bool colour)
{
	int room = PREFIX_SIZE - (int)sizeof("\033[1m: \033[0m");

	snprintf(lines->prefix, PREFIX_SIZE,
		 colour ? "\033[1m%.*s:\033[0m " : "%.*s: ", room, name);
}

/* Write the held bytes and n more, after a prefix unless they continue a
 * line. */
static void put_line(struct line_writer *lines, const char *data, size_t n)
{
	struct sink *sink = lines->sink;

	make_room(sink, PREFIX_SIZE + lines->nheld + n);
	if (!sink->midline || sink->last != lines) {
		end_line(sink);
		sink_put(sink, lines->prefix, strlen(lines->prefix));
	}
	sink_put(sink, lines->held, lines->nheld);
	sink_put(sink, data, n);
	sink->last = lines;
	lines->nheld = 0;
}

/* Hold the beginning of a line. If memory is short, write it at once. */
static void hold_part(struct line_writer *lines, const char *data, size_t n)
{
	if (!lines->held && n)
		lines->held = malloc(LINE_MAX_HELD);
	if (!lines->held && n)
		put_line(lines, data, n);
	while (lines->held && n) {
		size_t room = LINE_MAX_HELD - lines->nheld;
		size_t take = n < room ? n : room;

		memcpy(lines->held + lines->nheld, data, take);
		lines->nheld += take;
		data += take;
		n -= take;
		if (lines->nheld == LINE_MAX_HELD)
			put_line(lines, NULL, 0);
	}
}

/* Put the whole lines that the data begins with, as far as the sink has room
 * for them. After put_line() has ended one. Returns how many bytes they are. */
static size_t put_lines(struct line_writer *lines, const char *data, size_t n)
{
	struct sink *sink = lines->sink;
	struct line_copy copy = {
		.to = sink->buf,
		.room = SINK_SIZE,
		.used = sink->used,
		.prefix = lines->prefix,
		.nprefix = strlen(lines->prefix),
	};
	size_t taken = line_copy(&copy, data, n);

	sink->used = copy.used;
	return taken;
}

bool line_writer_add(struct line_writer *lines, const char *data, size_t n)
{
	const char *newline, *end = data + n;
	bool ended = false;

	while ((newline = memchr(data, '\n', (size_t)(end - data))) != NULL) {
		put_line(lines, data, (size_t)(newline + 1 - data));
		data = newline + 1;
		data += put_lines(lines, data, (size_t)(end - data));
		ended = true;
	}
	hold_part(lines, data, (size_t)(end - data));
	return ended;
}

void line_writer_release(struct line_writer *lines)
{
	if (lines->nheld)
		put_line(lines, NULL, 0);
}

void line_writer_end(struct line_writer *lines)
{
	line_writer_release(lines);
	if (lines->sink && lines->sink->last == lines) {
		end_line(lines->sink);
		lines->sink->last = NULL;
	}
	free(lines->held);
	lines->held = NULL;
}
