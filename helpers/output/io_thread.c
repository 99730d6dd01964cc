/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that copies the output of a task's processes to files and
 * terminal, so that a slow disk never delays the launcher's own work. The
 * launcher starts it when a key such as label or log-dir needs it.
 */
#include "helpers/output/io_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * What runs in the output thread: read the pipes of all processes, split
 * them into lines, write them. Its only shared data is the tail of each
 * stream, which the launcher reads for the report of a failure.
 */

#define HOLD_MS	   1000 /* how long an unfinished line is held */
#define GIVE_UP_MS 1000

/* Bytes that can be read. */
static int stream_unread(const struct stream *s)
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

static void io_thread_on_stream(void *arg, uint32_t events)
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

static void io_thread_on_command(void *arg, uint32_t events)
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

/* The thread itself, and what its loop calls. */
static void *io_thread_run(void *arg)
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

#define STACK_SIZE   (256 * 1024)
#define TAIL_WAIT_MS 100

/* Whether standard output and error are the same file, such as a terminal: then
 * both use one buffer, so that their lines don't mix. */
static bool same_file(int a, int b)
{
	struct stat sa, sb;

	return fstat(a, &sa) == 0 && fstat(b, &sb) == 0 &&
	       sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

static void set_sinks(struct io_thread *io_thread)
{
	io_thread->out.target = (struct outfile){
		.fd = STDOUT_FILENO,
		.name = "standard output",
	};
	io_thread->err.target = (struct outfile){
		.fd = STDERR_FILENO,
		.name = "standard error",
	};
	io_thread->err_sink = same_file(STDOUT_FILENO, STDERR_FILENO)
				      ? &io_thread->out
				      : &io_thread->err;
}

/* Start the thread with a small stack and all signals blocked: the launcher
 * handles them. */
static int start_thread(struct io_thread *t)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&t->thread, &attr, io_thread_run, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return rc;
}

int io_thread_start(struct io_thread *io_thread, struct err *err)
{
	int rc;

	set_sinks(io_thread);
	io_thread->opened = true;
	io_thread->loop.epoll_fd = -1;
	io_thread->command[0] = io_thread->command[1] = -1;
	pthread_mutex_init(&io_thread->lock, NULL);
	io_thread->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (io_thread->done_fd < 0 ||
	    pipe2(io_thread->command, O_CLOEXEC) < 0 ||
	    fcntl(io_thread->command[0], F_SETFL, O_NONBLOCK) < 0)
		return err_printf(err, "can't capture output: %s",
				  strerror(errno));
	io_thread->commands = (struct loop_watch){
		.fd = io_thread->command[0],
		.ready = io_thread_on_command,
		.arg = io_thread,
	};
	if (loop_open(&io_thread->loop, err) < 0 ||
	    loop_watch(&io_thread->loop, &io_thread->commands, EPOLLIN, err) <
		    0)
		return -1;
	rc = start_thread(io_thread);
	if (rc)
		return err_printf(err, "can't start a thread: %s",
				  strerror(rc));
	io_thread->started = true;
	return 0;
}

static void send_command(struct io_thread *io_thread,
			 const struct io_thread_command *command)
{
	ssize_t n;

	do
		n = write(io_thread->command[1], command, sizeof(*command));
	while (n < 0 && errno == EINTR);
}

int io_thread_attach(struct io_thread *io_thread, struct stream *stream,
		     struct err *err)
{
	struct io_thread_command command = {.attach = stream};

	stream->io_thread = io_thread;
	stream->watch.ready = io_thread_on_stream;
	stream->watch.arg = stream;
	pthread_mutex_lock(&io_thread->lock);
	if (stream->last)
		stream->last->stream = stream;
	pthread_mutex_unlock(&io_thread->lock);
	if (loop_watch(&io_thread->loop, &stream->watch, EPOLLIN, err) == 0) {
		send_command(io_thread, &command);
		return 0;
	}
	if (stream->last)
		stream->last->stream = NULL;
	return -1;
}

void io_thread_say(struct io_thread *io_thread, const char *text)
{
	struct io_thread_command command = {.say = strdup(text)};

	if (command.say)
		send_command(io_thread, &command);
}

void io_thread_finish(struct io_thread *io_thread)
{
	struct io_thread_command command = {NULL, NULL};

	send_command(io_thread, &command);
}

const char *io_thread_last_lines(struct io_thread *io_thread,
				 const struct last_lines *last,
				 char buf[TAIL_SIZE + 2])
{
	const struct timespec ms = {.tv_nsec = 1000000};
	const char *text = NULL;

	for (int i = 0; i <= TAIL_WAIT_MS && !text; i++) {
		if (i)
			nanosleep(&ms, NULL);
		pthread_mutex_lock(&io_thread->lock);
		if (i == TAIL_WAIT_MS || !last->stream ||
		    !stream_unread(last->stream))
			text = tail_text(&last->tail, buf);
		pthread_mutex_unlock(&io_thread->lock);
	}
	return text;
}

/* Whether the thread has ended. If not, asks it to end and waits a little. */
static bool has_ended(struct io_thread *io_thread, int wait_ms)
{
	struct pollfd done = {.fd = io_thread->done_fd, .events = POLLIN};

	if (poll(&done, 1, 0) == 1)
		return true;
	io_thread_finish(io_thread);
	return poll(&done, 1, wait_ms) == 1;
}

bool io_thread_close(struct io_thread *io_thread, int wait_ms)
{
	if (!io_thread->opened)
		return true;
	if (io_thread->started && !has_ended(io_thread, wait_ms))
		return false;
	if (io_thread->started)
		pthread_join(io_thread->thread, NULL);
	loop_close(&io_thread->loop);
	close_fd(&io_thread->done_fd);
	close_fd(&io_thread->command[0]);
	close_fd(&io_thread->command[1]);
	pthread_mutex_destroy(&io_thread->lock);
	return true;
}
