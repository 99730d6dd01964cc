/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launcher's end of the socket in the step's folder, where a stand-in
 * for horovodrun asks for the start of processes. Takes one request, passes
 * the stand-in's standard output and error on, and answers with the exit
 * status.
 */
#include "helpers/shim/shim_server.h"

#include "helpers/shim/exec_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHUNK 65536
#define FILES 2 /* standard output and error */

void shim_server_take_output(struct shim_server *s, int *ret_out, int *ret_err)
{
	if (!s->loop || s->out < 0)
		return;
	*ret_out = s->out;
	*ret_err = s->err;
	s->out = s->err = -1;
}

static void drop_client(struct shim_server *s)
{
	loop_remove(s->loop, &s->client);
	close_fd(&s->client.fd);
	close_fd(&s->out);
	close_fd(&s->err);
	free(s->text);
	s->text = NULL;
	s->n = s->size = 0;
}

/* Take standard output and error, which come with the first byte; close any
 * others. */
static void take_files(struct shim_server *s, struct msghdr *msg)
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	int fd[FILES] = {-1, -1};
	size_t n;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return;
	n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fd, CMSG_DATA(c), (n < FILES ? n : FILES) * sizeof(int));
	if (n == FILES && s->out < 0) {
		s->out = fd[0];
		s->err = fd[1];
		return;
	}
	close_fd(&fd[0]);
	close_fd(&fd[1]);
}

/* Read more of the request; returns what recvmsg() returns, or -1 when it is
 * too long. */
static ssize_t read_on(struct shim_server *s)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(FILES * sizeof(int))];
	} control;
	struct iovec part;
	struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t n;

	if (s->n + CHUNK + 1 > s->size) {
		char *more = s->n > EXEC_REQUEST_MAX
				     ? NULL
				     : realloc(s->text, s->n + 2 * CHUNK);

		if (!more)
			return -1;
		s->text = more;
		s->size = s->n + 2 * CHUNK;
	}
	part.iov_base = s->text + s->n;
	part.iov_len = CHUNK;
	msg.msg_control = &control;
	msg.msg_controllen = sizeof(control);
	n = recvmsg(s->client.fd, &msg, MSG_CMSG_CLOEXEC);
	if (n > 0) {
		take_files(s, &msg);
		s->n += (size_t)n;
	}
	return n;
}

static void lose_client(struct shim_server *s)
{
	drop_client(s);
	s->on_close(s->arg);
}

static void request_complete(struct shim_server *s)
{
	char *text = s->text;
	struct err ignored;

	s->complete = true;
	s->text = NULL;
	if (!text)
		return lose_client(s);
	text[s->n] = '\0';
	/* from now on only the connection's end matters */
	loop_watch(s->loop, &s->client, 0, &ignored);
	s->on_request(s->arg, text, s->n);
}

static void read_request(void *arg, uint32_t events)
{
	struct shim_server *s = arg;
	ssize_t n;

	if (s->complete)
		return lose_client(s);
	(void)events;
	n = read_on(s);
	if (n == 0)
		request_complete(s);
	else if (n < 0 && errno != EINTR && errno != EAGAIN)
		lose_client(s);
}

/* Accept the first connection; a second one finds the socket closed. */
static void accept_client(void *arg, uint32_t events)
{
	struct shim_server *s = arg;
	int fd = accept4(s->listener.fd, NULL, NULL,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct err ignored;

	(void)events;
	if (fd < 0)
		return;
	if (s->client.fd >= 0 || s->complete) {
		close(fd);
		return;
	}
	s->client =
		(struct loop_watch){.fd = fd, .ready = read_request, .arg = s};
	if (loop_watch(s->loop, &s->client, EPOLLIN, &ignored) < 0)
		close_fd(&s->client.fd);
}

int shim_server_open(struct shim_server *s, const char *dir, struct err *err)
{
	s->out = s->err = s->client.fd = -1;
	s->listener = (struct loop_watch){
		.fd = shim_socket_listen(dir, err),
		.ready = accept_client,
		.arg = s,
	};
	if (s->listener.fd < 0)
		return -1;
	if (loop_watch(s->loop, &s->listener, EPOLLIN, err) == 0)
		return 0;
	close_fd(&s->listener.fd);
	return -1;
}

void shim_server_answer(struct shim_server *s, int code)
{
	unsigned char answer = (unsigned char)code;

	if (!s->loop || s->client.fd < 0)
		return;
	send(s->client.fd, &answer, 1, MSG_NOSIGNAL);
	drop_client(s);
}

void shim_server_close(struct shim_server *s)
{
	if (!s->loop)
		return;
	drop_client(s);
	loop_remove(s->loop, &s->listener);
	close_fd(&s->listener.fd);
	s->loop = NULL;
}
