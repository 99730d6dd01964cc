/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/srun_watch.h"

#include "helpers/net.h"

#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static void changed(void *arg, uint32_t events)
{
	struct srun_watch *w = arg;
	struct err err;

	if (!w->there && !(events & (EPOLLERR | EPOLLHUP))) {
		w->there = send(w->watch.fd, w->token, TOKEN_SIZE,
				MSG_NOSIGNAL) == TOKEN_SIZE;
		loop_watch(w->loop, &w->watch, EPOLLRDHUP, &err);
		return;
	}
	srun_watch_close(w);
	if (w->there)
		w->gone(w->arg);
}

void srun_watch_open(struct srun_watch *w, struct loop *loop, const char *ip,
		     unsigned port, long lease_s,
		     const unsigned char token[TOKEN_SIZE],
		     void (*gone)(void *arg), void *arg)
{
	struct err err;

	*w = (struct srun_watch){
		.loop = loop,
		.watch = {.fd = net_connect(ip, port), .ready = changed},
		.gone = gone,
		.arg = arg,
	};
	w->watch.arg = w;
	memcpy(w->token, token, TOKEN_SIZE);
	if (w->watch.fd < 0)
		return;
	net_lease(w->watch.fd, lease_s);
	if (loop_watch(loop, &w->watch, EPOLLOUT | EPOLLRDHUP, &err) < 0)
		srun_watch_close(w);
}

void srun_watch_tell(struct srun_watch *w, const char *word)
{
	if (w->there && w->watch.fd >= 0)
		send(w->watch.fd, word, 1, MSG_NOSIGNAL);
}

void srun_watch_close(struct srun_watch *w)
{
	if (!w->loop || w->watch.fd < 0)
		return;
	loop_remove(w->loop, &w->watch);
	close(w->watch.fd);
	w->watch.fd = -1;
}
