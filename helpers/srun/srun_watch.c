/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/srun/srun_watch.h"

#include "helpers/arbiter/arbiter_lines.h"
#include "sys/socket.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Strangers at srun's port may have pushed us out before srun read our token.
 */
#define TRIES	 20
#define RETRY_MS 250

static void hang_up(struct srun_watch *w)
{
	if (w->watch.fd < 0)
		return;
	loop_remove(w->loop, &w->watch);
	close(w->watch.fd);
	w->watch.fd = -1;
}

/* A port that was open and is closed now is srun's end, also where strangers
 * kept srun from its answer. */
static void over(struct srun_watch *w)
{
	int error = socket_error(w->watch.fd);
	long silent_s =
		lost_by_silence(error) ? socket_silence_s(w->watch.fd) : 0;

	hang_up(w);
	if (w->there || (w->was_open && error == ECONNREFUSED))
		w->gone(w->arg, silent_s);
	else if (++w->tries < TRIES)
		loop_arm(w->loop, &w->retry, RETRY_MS);
}

/* One byte of srun's, after its answer to the token. */
static void take(struct srun_watch *w, unsigned char byte)
{
	uint64_t seconds;

	if (!w->nin && byte != (unsigned char)*SRUN_END_TIME)
		return;
	w->in[w->nin++] = byte;
	if (w->nin < sizeof(w->in))
		return;
	w->nin = 0;
	memcpy(&seconds, w->in + 1, sizeof(seconds));
	if (w->end_time)
		w->end_time(w->arg, (int64_t)be64toh(seconds));
}

/* The owner may hang up whenever it is told something. */
static void hear(struct srun_watch *w)
{
	unsigned char bytes[64];
	ssize_t n = recv(w->watch.fd, bytes, sizeof(bytes), 0);

	for (ssize_t i = 0; i < n && w->watch.fd >= 0; i++)
		if (w->there)
			take(w, bytes[i]);
		else
			w->there = true;
}

static void changed(void *arg, uint32_t events)
{
	struct srun_watch *w = arg;
	struct err err;

	if (events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) {
		over(w);
	} else if (!w->sent) {
		w->was_open = true;
		w->sent = send(w->watch.fd, w->token, TOKEN_SIZE,
			       MSG_NOSIGNAL) == TOKEN_SIZE;
		loop_watch(w->loop, &w->watch, EPOLLIN | EPOLLRDHUP, &err);
	} else {
		hear(w);
	}
}

static void call(void *arg)
{
	struct srun_watch *w = arg;
	struct err err;

	w->sent = false;
	w->nin = 0;
	w->watch.fd = socket_connect(w->ip, w->port);
	if (w->watch.fd < 0)
		return;
	socket_lease(w->watch.fd, w->lease_s);
	if (loop_watch(w->loop, &w->watch, EPOLLOUT | EPOLLRDHUP, &err) < 0)
		hang_up(w);
}

void srun_watch_open(struct srun_watch *w, struct loop *loop, const char *ip,
		     unsigned port, long lease_s,
		     const unsigned char token[TOKEN_SIZE],
		     void (*gone)(void *arg, long silent_s), void *arg)
{
	*w = (struct srun_watch){
		.loop = loop,
		.watch = {.fd = -1, .ready = changed, .arg = w},
		.ip = ip,
		.port = port,
		.lease_s = lease_s,
		.retry = {.expired = call, .arg = w},
		.gone = gone,
		.arg = arg,
	};
	memcpy(w->token, token, TOKEN_SIZE);
	call(w);
}

void srun_watch_take(struct srun_watch *w, struct loop *loop, int fd,
		     void (*gone)(void *arg, long silent_s), void *arg)
{
	struct err err;

	*w = (struct srun_watch){
		.loop = loop,
		.watch = {.fd = fd, .ready = changed, .arg = w},
		.retry = {.expired = call, .arg = w},
		.sent = true,
		.there = true,
		.gone = gone,
		.arg = arg,
	};
	if (send(fd, SRUN_THERE, 1, MSG_NOSIGNAL) != 1 ||
	    loop_watch(loop, &w->watch, EPOLLIN | EPOLLRDHUP, &err) < 0)
		hang_up(w);
}

void srun_watch_tell(struct srun_watch *w, const char *text, size_t n)
{
	if (w->sent && w->watch.fd >= 0)
		send(w->watch.fd, text, n, MSG_NOSIGNAL);
}

void srun_watch_close(struct srun_watch *w)
{
	if (!w->loop)
		return;
	loop_disarm(w->loop, &w->retry);
	hang_up(w);
}
