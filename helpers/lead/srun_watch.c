/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/lead/srun_watch.h"

#include <endian.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

void srun_watch_close(struct srun_watch *w)
{
	if (!w->loop)
		return;
	loop_remove(w->loop, &w->watch);
	close(w->watch.fd);
	w->loop = NULL;
}

/* One byte of srun's. */
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
	w->end_time(w->arg, (int64_t)be64toh(seconds));
}

/* The owner may close it whenever it is told something. */
static void hear(struct srun_watch *w)
{
	unsigned char bytes[64];
	ssize_t n = recv(w->watch.fd, bytes, sizeof(bytes), 0);

	for (ssize_t i = 0; i < n && w->loop; i++)
		take(w, bytes[i]);
}

static void changed(void *arg, uint32_t events)
{
	struct srun_watch *w = arg;

	if (events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) {
		srun_watch_close(w);
		w->gone(w->arg);
	} else {
		hear(w);
	}
}

void srun_watch_open(struct srun_watch *w, struct loop *loop, int fd)
{
	struct err err;

	w->loop = loop;
	w->watch = (struct loop_watch){.fd = fd, .ready = changed, .arg = w};
	if (loop_watch(loop, &w->watch, EPOLLIN | EPOLLRDHUP, &err) < 0)
		srun_watch_close(w);
}

void srun_watch_tell(struct srun_watch *w, const char *text, size_t n)
{
	if (w->loop)
		send(w->watch.fd, text, n, MSG_NOSIGNAL);
}
