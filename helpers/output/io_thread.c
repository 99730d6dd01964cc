/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/output/io_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STACK_SIZE    (256 * 1024)
#define TAIL_WAIT_MS  100
#define CLOSE_WAIT_MS 2000

/* When both are the same file (a terminal, say), then what is put into both
 * goes through one buffer: neither tears the other's lines. */
static bool same_file(int a, int b)
{
	struct stat sa, sb;

	return fstat(a, &sa) == 0 && fstat(b, &sb) == 0 &&
	       sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

static void set_sinks(struct pump *pump)
{
	pump->out.target = (struct target){
		.fd = STDOUT_FILENO,
		.name = "standard output",
	};
	pump->err.target = (struct target){
		.fd = STDERR_FILENO,
		.name = "standard error",
	};
	pump->err_sink = same_file(STDOUT_FILENO, STDERR_FILENO) ? &pump->out
								 : &pump->err;
}

/* A small stack, and no signals: they are the launcher's. */
static int start_thread(struct pump *p)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&p->thread, &attr, pump_run, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return rc;
}

int pump_start(struct pump *pump, struct err *err)
{
	struct epoll_event ev = {.events = EPOLLIN};
	int rc;

	set_sinks(pump);
	pump->opened = true;
	pump->command[0] = pump->command[1] = -1;
	pthread_mutex_init(&pump->lock, NULL);
	pump->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	pump->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (pump->epoll_fd < 0 || pump->done_fd < 0 ||
	    pipe2(pump->command, O_CLOEXEC) < 0 ||
	    fcntl(pump->command[0], F_SETFL, O_NONBLOCK) < 0 ||
	    epoll_ctl(pump->epoll_fd, EPOLL_CTL_ADD, pump->command[0], &ev) < 0)
		return err_printf(err, "can't capture output: %s",
				  strerror(errno));
	rc = start_thread(pump);
	if (rc)
		return err_printf(err, "can't start a thread: %s",
				  strerror(rc));
	pump->started = true;
	return 0;
}

static void tell(struct pump *pump, const struct pump_command *command)
{
	ssize_t n;

	do
		n = write(pump->command[1], command, sizeof(*command));
	while (n < 0 && errno == EINTR);
}

int pump_attach(struct pump *pump, struct stream *stream, struct err *err)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.ptr = stream};
	struct pump_command command = {.attach = stream};

	pthread_mutex_lock(&pump->lock);
	if (stream->last)
		stream->last->stream = stream;
	pthread_mutex_unlock(&pump->lock);
	if (epoll_ctl(pump->epoll_fd, EPOLL_CTL_ADD, stream->fd, &ev) == 0) {
		tell(pump, &command);
		return 0;
	}
	err_printf(err, "can't capture output: %s", strerror(errno));
	if (stream->last)
		stream->last->stream = NULL;
	return -1;
}

void pump_say(struct pump *pump, const char *text)
{
	struct pump_command command = {.say = strdup(text)};

	if (command.say)
		tell(pump, &command);
}

void pump_finish(struct pump *pump)
{
	struct pump_command command = {NULL, NULL};

	tell(pump, &command);
}

const char *pump_last_lines(struct pump *pump, const struct last_lines *last,
			    char buf[TAIL_SIZE + 2])
{
	const struct timespec ms = {.tv_nsec = 1000000};
	const char *text = NULL;

	for (int i = 0; i <= TAIL_WAIT_MS && !text; i++) {
		if (i)
			nanosleep(&ms, NULL);
		pthread_mutex_lock(&pump->lock);
		if (i == TAIL_WAIT_MS || !last->stream ||
		    !stream_unread(last->stream))
			text = tail_text(&last->tail, buf);
		pthread_mutex_unlock(&pump->lock);
	}
	return text;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Whether the thread has ended; if need be it is told to. */
static bool has_ended(struct pump *pump)
{
	struct pollfd done = {.fd = pump->done_fd, .events = POLLIN};

	if (poll(&done, 1, 0) == 1)
		return true;
	pump_finish(pump);
	return poll(&done, 1, CLOSE_WAIT_MS) == 1;
}

bool pump_close(struct pump *pump)
{
	if (!pump->opened)
		return true;
	if (pump->started && !has_ended(pump))
		return false;
	if (pump->started)
		pthread_join(pump->thread, NULL);
	close_fd(pump->epoll_fd);
	close_fd(pump->done_fd);
	close_fd(pump->command[0]);
	close_fd(pump->command[1]);
	pthread_mutex_destroy(&pump->lock);
	return true;
}
