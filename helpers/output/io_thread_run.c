/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs in the output thread: read the pipes of all processes, split
 * them into lines, write them. Its only shared data is the tail of each
 * stream, which the launcher reads for the report of a failure.
 */
#include "helpers/output/io_thread.h"

#include "sys/loop.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define EVENTS	   256
#define HOLD_MS	   1000 /* how long an unfinished line is held */
#define GIVE_UP_MS 1000

int stream_unread(const struct stream *s)
{
	int n = 0;

	return ioctl(s->fd, FIONREAD, &n) < 0 ? 0 : n;
}

/* Read and keep the tail under one lock, for io_thread_last_lines(). */
static ssize_t read_stream(struct io_thread *p, struct stream *s)
{
	ssize_t n;

	if (!s->last)
		return read(s->fd, p->buf, sizeof(p->buf));
	pthread_mutex_lock(&p->lock);
	n = read(s->fd, p->buf, sizeof(p->buf));
	if (n > 0)
		tail_add(&s->last->tail, p->buf, (size_t)n);
	pthread_mutex_unlock(&p->lock);
	return n;
}

static void add_lines(struct stream *s, const char *data, size_t n)
{
	bool waited = s->lines.nheld > 0;
	bool ended = line_writer_add(&s->lines, data, n);

	if (!s->lines.nheld)
		s->held_until_ms = 0;
	else if (ended || !waited)
		s->held_until_ms = loop_now_ms() + HOLD_MS;
}

static void write_on(struct stream *s, const char *data, size_t n)
{
	if (s->timeline)
		timeline_event(s->timeline, &s->who, "output", "");
	s->timeline = NULL;
	if (s->log)
		outfile_write(s->log, data, n);
	if (s->raw)
		sink_put(s->raw, data, n);
	if (s->lines.sink)
		add_lines(s, data, n);
}

/* The stream is freed after the round, in sweep(). */
static void end_stream(struct io_thread *p, struct stream *s)
{
	line_writer_end(&s->lines);
	pthread_mutex_lock(&p->lock);
	if (s->last && s->last->stream == s)
		s->last->stream = NULL;
	epoll_ctl(p->epoll_fd, EPOLL_CTL_DEL, s->fd, NULL);
	close(s->fd);
	s->fd = -1;
	pthread_mutex_unlock(&p->lock);
}

static void io_thread_stream(struct io_thread *p, struct stream *s)
{
	ssize_t n = read_stream(p, s);

	if (n > 0)
		write_on(s, p->buf, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		end_stream(p, s);
}

static void run_commands(struct io_thread *p)
{
	struct io_thread_command c;

	while (read(p->command[0], &c, sizeof(c)) == sizeof(c)) {
		if (c.attach) {
			c.attach->next = p->streams;
			p->streams = c.attach;
		} else if (c.say) {
			sink_say(p->err_sink, c.say);
			free(c.say);
		} else {
			p->finishing = true;
			p->give_up_ms = loop_now_ms() + GIVE_UP_MS;
		}
	}
}

/* What is in the pipe now was written by processes that have ended; what comes
 * later isn't waited for. */
static void give_up(struct io_thread *p, struct stream *s)
{
	int left = stream_unread(s);

	while (left > 0 && s->fd >= 0) {
		ssize_t n = read_stream(p, s);

		if (n <= 0)
			break;
		write_on(s, p->buf, (size_t)n);
		left -= (int)n;
	}
	if (s->fd >= 0)
		end_stream(p, s);
}

static void expire(struct io_thread *p)
{
	uint64_t now = loop_now_ms();

	for (struct stream *s = p->streams; s; s = s->next) {
		if (s->fd >= 0 && p->finishing && now >= p->give_up_ms)
			give_up(p, s);
		if (s->held_until_ms && now >= s->held_until_ms) {
			line_writer_release(&s->lines);
			s->held_until_ms = 0;
		}
	}
}

static void sweep(struct io_thread *p)
{
	struct stream **link = &p->streams;

	while (*link) {
		struct stream *s = *link;

		if (s->fd >= 0) {
			link = &s->next;
			continue;
		}
		*link = s->next;
		free(s);
	}
}

/* How long to wait for events. */
static int wait_ms(const struct io_thread *p)
{
	uint64_t at = p->finishing ? p->give_up_ms : UINT64_MAX, now;

	for (const struct stream *s = p->streams; s; s = s->next)
		if (s->held_until_ms && s->held_until_ms < at)
			at = s->held_until_ms;
	if (at == UINT64_MAX)
		return -1;
	now = loop_now_ms();
	return at > now ? (int)(at - now) : 0;
}

/* Read all streams that are ready, then write once. */
static void round_of_events(struct io_thread *p)
{
	struct epoll_event ev[EVENTS];
	int n = epoll_wait(p->epoll_fd, ev, EVENTS, wait_ms(p));

	for (int i = 0; i < n; i++) {
		if (ev[i].data.ptr)
			io_thread_stream(p, ev[i].data.ptr);
		else
			run_commands(p);
	}
	expire(p);
	sweep(p);
	sink_flush(&p->out);
	sink_flush(&p->err);
}

static void report_losses(struct io_thread *p)
{
	char line[PATH_MAX + 128];

	for (unsigned i = 0; i < p->nlogs; i++)
		if (outfile_loss(&p->log[i], line, sizeof(line)))
			sink_say(p->err_sink, line);
	if (outfile_loss(&p->out.target, line, sizeof(line)))
		sink_say(p->err_sink, line);
	sink_flush(p->err_sink);
}

void *io_thread_run(void *arg)
{
	struct io_thread *p = arg;

	while (!p->finishing || p->streams)
		round_of_events(p);
	report_losses(p);
	eventfd_write(p->done_fd, 1);
	return NULL;
}
