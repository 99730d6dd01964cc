/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that copies the output of a task's processes to files and
 * terminal, so that a slow disk never delays the launcher's own work. The
 * launcher starts it when a key such as label or log-dir needs it. This file
 * starts, feeds and ends the thread; io_thread_run.c is what runs in it.
 */
#include "helpers/output/io_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
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
	close_fd(io_thread->done_fd);
	close_fd(io_thread->command[0]);
	close_fd(io_thread->command[1]);
	pthread_mutex_destroy(&io_thread->lock);
	return true;
}
