/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/procs/readiness.h"

#include "sys/socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#define AGAIN_MS     100  /* between two attempts */
#define AGAIN_MAX_MS 1000 /* between two that were answered */
#define A_TENTH	     10	  /* of the time that it has taken so far */
#define REQUEST_SIZE 1024

static void drop(struct readiness *w)
{
	loop_remove(w->loop, &w->watch);
	close_fd(&w->watch.fd);
}

void readiness_end(struct readiness *w)
{
	if (!w->loop)
		return;
	drop(w);
	loop_disarm(w->loop, &w->again);
	loop_disarm(w->loop, &w->limit);
}

bool readiness_is_awaited(const struct readiness *w)
{
	return w->limit.armed;
}

static void expired(void *arg)
{
	struct readiness *w = arg;

	readiness_end(w);
	w->late(w->arg);
}

static void try_port(void *arg);

static void begin(struct readiness *w, long timeout_s)
{
	w->watch = (struct loop_watch){.fd = -1, .arg = w};
	w->again = (struct loop_timer){.expired = try_port, .arg = w};
	w->limit = (struct loop_timer){.expired = expired, .arg = w};
	w->path = NULL;
	w->began_ms = loop_now_ms();
	w->has_refused = false;
	if (timeout_s)
		loop_arm(w->loop, &w->limit, (unsigned long)timeout_s * 1000);
}

static void heard(void *arg, uint32_t events)
{
	struct readiness *w = arg;
	char c;
	ssize_t n = read(w->watch.fd, &c, 1);

	(void)events;
	if (n < 0 && errno == EINTR)
		return;
	drop(w);
	if (n <= 0)
		return;
	readiness_end(w);
	w->ready(w->arg);
}

int readiness_of_word(struct readiness *w, int fd, long timeout_s,
		      struct err *err)
{
	begin(w, timeout_s);
	w->watch.fd = fd;
	w->watch.ready = heard;
	return loop_watch(w->loop, &w->watch, EPOLLIN, err);
}

static void try_after(struct readiness *w, uint64_t ms)
{
	drop(w);
	w->again.expired = try_port;
	loop_arm(w->loop, &w->again, ms);
}

static void try_again(struct readiness *w)
{
	try_after(w, AGAIN_MS);
}

static void is_ready(struct readiness *w)
{
	readiness_end(w);
	w->ready(w->arg);
}

/* Of "HTTP/1.1 200"; 0: that isn't HTTP. */
static unsigned status_of(const char *answer)
{
	unsigned status;

	return sscanf(answer, "HTTP/1.%*1[01] %3u", &status) == 1 ? status : 0;
}

static void not_yet(struct readiness *w, unsigned status)
{
	uint64_t ms = (loop_now_ms() - w->began_ms) / A_TENTH;

	if (ms < AGAIN_MS)
		ms = AGAIN_MS;
	try_after(w, ms < AGAIN_MAX_MS ? ms : AGAIN_MAX_MS);
	if (status / 100 != 4 || w->has_refused || !w->refuses)
		return;
	w->has_refused = true;
	w->refuses(w->arg, status);
}

static void judge(void *arg)
{
	struct readiness *w = arg;
	unsigned status;

	w->answer[w->nanswer] = '\0';
	status = status_of(w->answer);
	if (status == 200)
		is_ready(w);
	else
		not_yet(w, status);
}

/* All of it is read: who closes before the server has sent it lets the server
 * complain. Not for ever: it may keep the connection. */
static void answered(void *arg, uint32_t events)
{
	struct readiness *w = arg;
	size_t room = sizeof(w->answer) - 1 - w->nanswer;
	char more[4096];
	ssize_t n = room ? read(w->watch.fd, w->answer + w->nanswer, room)
			 : read(w->watch.fd, more, sizeof(more));

	(void)events;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0)
		return judge(w);
	w->nanswer += room ? (size_t)n : 0;
	if (w->nanswer < sizeof(w->answer) - 1 || w->again.armed)
		return;
	w->again.expired = judge;
	loop_arm(w->loop, &w->again, AGAIN_MS);
}

/* The connection is there: ask. A server that doesn't answer keeps it, and is
 * asked no second time. */
static void ask(struct readiness *w)
{
	char request[REQUEST_SIZE];
	int n = snprintf(request, sizeof(request), "GET %s HTTP/1.0\r\n\r\n",
			 w->path);
	struct err ignored;

	loop_remove(w->loop, &w->watch);
	w->watch.ready = answered;
	w->nanswer = 0;
	if (send(w->watch.fd, request, (size_t)n, MSG_NOSIGNAL) != n ||
	    loop_watch(w->loop, &w->watch, EPOLLIN, &ignored) < 0)
		try_again(w);
}

/* The connection has come about, or not. */
static void connected(void *arg, uint32_t events)
{
	struct readiness *w = arg;

	(void)events;
	if (socket_error(w->watch.fd) != 0)
		try_again(w);
	else if (w->path)
		ask(w);
	else
		is_ready(w);
}

static void try_port(void *arg)
{
	struct readiness *w = arg;
	struct err ignored;

	w->watch.fd = socket_connect(w->ip, w->port);
	w->watch.ready = connected;
	if (w->watch.fd < 0 ||
	    loop_watch(w->loop, &w->watch, EPOLLOUT, &ignored) < 0)
		try_again(w);
}

/* The address that the name has; as a number it has itself. */
static int look_up(struct readiness *w, const char *addr, struct err *err)
{
	struct sockaddr_storage found;

	if (host_address(addr, &found) == 0 &&
	    host_address_text(&found, w->ip, sizeof(w->ip)) == 0)
		return 0;
	return err_printf(err,
			  "address %.255s: that name doesn't resolve on this "
			  "node",
			  addr);
}

int readiness_of_port(struct readiness *w, const char *addr, unsigned port,
		      long timeout_s, struct err *err)
{
	if (look_up(w, addr, err) < 0)
		return -1;
	begin(w, timeout_s);
	w->port = port;
	try_port(w);
	return 0;
}

int readiness_of_http(struct readiness *w, const char *addr, unsigned port,
		      const char *path, long timeout_s, struct err *err)
{
	if (look_up(w, addr, err) < 0)
		return -1;
	begin(w, timeout_s);
	w->port = port;
	w->path = path;
	try_port(w);
	return 0;
}

/* --- a file --- */

struct file_seen readiness_see_file(const char *file)
{
	struct file_seen seen = {0};
	struct stat st;

	if (stat(file, &st) < 0)
		return seen;
	seen.there = true;
	seen.inode = st.st_ino;
	seen.changed_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000U +
			  (uint64_t)st.st_mtim.tv_nsec;
	return seen;
}

static void look(void *arg)
{
	struct readiness *w = arg;
	struct file_seen now = readiness_see_file(w->file);

	if (now.there && (!w->before.there || now.inode != w->before.inode ||
			  now.changed_ns != w->before.changed_ns))
		is_ready(w);
	else
		loop_arm(w->loop, &w->again, AGAIN_MS);
}

void readiness_of_file(struct readiness *w, const char *file,
		       struct file_seen before, long timeout_s)
{
	begin(w, timeout_s);
	w->file = file;
	w->before = before;
	w->again.expired = look;
	loop_arm(w->loop, &w->again, 0);
}
