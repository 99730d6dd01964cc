/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs in the output thread: read the pipes of all processes, split
 * them into lines, write them. Its only shared data is the tail of each
 * stream, which the launcher reads for the report of a failure.
 */
#include "helpers/output/io_thread.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define HOLD_MS	   1000 /* how long an unfinished line is held */
#define GIVE_UP_MS 1000

int stream_unread(const struct stream *s)
{
	int n = 0;

	return ioctl(s->watch.fd, FIONREAD, &n) < 0 ? 0 : n;
}

/* Read and keep the tail under one lock, for io_thread_last_lines(). */
static ssize_t read_stream(struct io_thread *t, struct stream *s)
{
	ssize_t n;

	if (!s->last)
		return read(s->watch.fd, t->buf, sizeof(t->buf));
	pthread_mutex_lock(&t->lock);
	n = read(s->watch.fd, t->buf, sizeof(t->buf));
	if (n > 0)
		tail_add(&s->last->tail, t->buf, (size_t)n);
	pthread_mutex_unlock(&t->lock);
	return n;
}

static void release_line(void *arg)
{
	struct stream *s = arg;

	line_writer_release(&s->lines);
}

static void add_lines(struct stream *s, const char *data, size_t n)
{
	struct loop *loop = &s->io_thread->loop;
	bool waited = s->lines.nheld > 0;
	bool ended = line_writer_add(&s->lines, data, n);

	s->held.expired = release_line;
	s->held.arg = s;
	if (!s->lines.nheld)
		loop_disarm(loop, &s->held);
	else if (ended || !waited)
		loop_arm(loop, &s->held, HOLD_MS);
}

static void write_on(struct stream *s, const char *data, size_t n)
{
	atomic_store_explicit(s->heard_ms, loop_now_ms(), memory_order_relaxed);
	if (s->timeline)
		timeline_event(s->timeline, &s->who, PHASE_RUNNING, "");
	s->timeline = NULL;
	if (s->log)
		outfile_write(s->log, data, n);
	if (s->raw)
		sink_put(s->raw, data, n);
	if (s->lines.sink)
		add_lines(s, data, n);
}

/* The stream is freed after the round, in free_ended(). */
static void end_stream(struct io_thread *t, struct stream *s)
{
	line_writer_end(&s->lines);
	loop_disarm(&t->loop, &s->held);
	pthread_mutex_lock(&t->lock);
	if (s->last && s->last->stream == s)
		s->last->stream = NULL;
	loop_remove(&t->loop, &s->watch);
	close(s->watch.fd);
	s->watch.fd = -1;
	pthread_mutex_unlock(&t->lock);
}

void io_thread_on_stream(void *arg, uint32_t events)
{
	struct stream *s = arg;
	struct io_thread *t = s->io_thread;
	ssize_t n = read_stream(t, s);

	(void)events;
	if (n > 0)
		write_on(s, t->buf, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		end_stream(t, s);
}

void io_thread_on_command(void *arg, uint32_t events)
{
	struct io_thread *t = arg;
	struct io_thread_command c;

	(void)events;
	while (read(t->command[0], &c, sizeof(c)) == sizeof(c)) {
		if (c.attach) {
			t->attached = true;
			c.attach->next = t->streams;
			t->streams = c.attach;
		} else if (c.say) {
			if (t->attached)
				sink_say(t->err_sink, c.say);
			else
				sink_put(t->err_sink, c.say, strlen(c.say));
			free(c.say);
		} else {
			t->finishing = true;
			loop_arm(&t->loop, &t->give_up, GIVE_UP_MS);
		}
	}
}

/* What is in the pipe now was written by processes that have ended; what comes
 * later isn't waited for. */
static void give_up(struct io_thread *t, struct stream *s)
{
	int left = stream_unread(s);

	while (left > 0 && s->watch.fd >= 0) {
		ssize_t n = read_stream(t, s);

		if (n <= 0)
			break;
		write_on(s, t->buf, (size_t)n);
		left -= (int)n;
	}
	if (s->watch.fd >= 0)
		end_stream(t, s);
}

static void give_up_all(void *arg)
{
	struct io_thread *t = arg;

	for (struct stream *s = t->streams; s; s = s->next)
		if (s->watch.fd >= 0)
			give_up(t, s);
}

static void free_ended(struct io_thread *t)
{
	struct stream **link = &t->streams;

	while (*link) {
		struct stream *s = *link;

		if (s->watch.fd >= 0) {
			link = &s->next;
			continue;
		}
		*link = s->next;
		free(s);
	}
}

/* What the streams that were ready had goes out in one write. */
static void after_round(void *arg)
{
	struct io_thread *t = arg;

	free_ended(t);
	sink_flush(&t->out);
	sink_flush(&t->err);
	if (t->finishing && !t->streams)
		loop_stop(&t->loop);
}

static void report_losses(struct io_thread *t)
{
	char line[PATH_MAX + 128];

	for (const struct log_files *logs = t->logs; logs; logs = logs->before)
		for (unsigned i = 0; i < logs->n; i++)
			if (outfile_loss(&logs->file[i], line, sizeof(line)))
				sink_say(t->err_sink, line);
	if (outfile_loss(&t->out.target, line, sizeof(line)))
		sink_say(t->err_sink, line);
	sink_flush(t->err_sink);
}

void *io_thread_run(void *arg)
{
	struct io_thread *t = arg;
	struct err ignored; /* epoll_wait() has no reason to fail */

	t->give_up = (struct loop_timer){.expired = give_up_all, .arg = t};
	t->loop.after_round = after_round;
	t->loop.arg = t;
	loop_run(&t->loop, &ignored);
	report_losses(t);
	eventfd_write(t->done_fd, 1);
	return NULL;
}
