/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/shim/shim_server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

typedef int (*socket_fn)(int fd, const struct sockaddr *addr, socklen_t len);

/* bind() or connect() through the folder's descriptor, because a socket's
 * address has 108 bytes and the folder's path may have more. Returns 0, or -1
 * with errno. */
static int by_folder(const char *dir, int fd, socket_fn call)
{
	cleanup_close int folder = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	if (folder < 0)
		return -1;
	snprintf(addr.sun_path, sizeof(addr.sun_path),
		 "/proc/self/fd/%d/" SHIM_SOCKET, folder);
	return call(fd, (struct sockaddr *)&addr, sizeof(addr));
}

int shim_socket_listen(const char *dir, struct err *err)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && by_folder(dir, fd, bind) == 0 && listen(fd, 4) == 0)
		return fd;
	err_printf(err, "can't make a socket in %s: %s", dir, strerror(errno));
	close_fd(&fd);
	return -1;
}

int shim_socket_connect(const char *dir, struct err *err)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && by_folder(dir, fd, connect) == 0)
		return fd;
	err_printf(err,
		   "no launcher listens in %s: %s; only a script started by "
		   "srun --dist-train=...,dialect=... can call this",
		   dir, strerror(errno));
	close_fd(&fd);
	return -1;
}

/* --- the command's end --- */

/* The first byte, with standard output and error. */
static ssize_t send_first(int fd, const char *text)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control = {.room = ""};
	const int output[2] = {STDOUT_FILENO, STDERR_FILENO};
	struct iovec part = {.iov_base = (void *)text, .iov_len = 1};
	struct msghdr msg = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(output));
	memcpy(CMSG_DATA(c), output, sizeof(output));
	return sendmsg(fd, &msg, MSG_NOSIGNAL);
}

static int send_all(int fd, const char *text, size_t n)
{
	ssize_t sent = send_first(fd, text);

	while (sent >= 0 || errno == EINTR) {
		text += sent > 0 ? sent : 0;
		n -= sent > 0 ? (size_t)sent : 0;
		if (!n)
			return shutdown(fd, SHUT_WR);
		sent = send(fd, text, n, MSG_NOSIGNAL);
	}
	return -1;
}

int shim_call(const char *dir, const char *text, size_t n, struct err *err)
{
	cleanup_close int fd = shim_socket_connect(dir, err);
	unsigned char code;
	ssize_t got;

	if (fd < 0)
		return -1;
	if (send_all(fd, text, n) < 0)
		return err_printf(err,
				  "the launcher doesn't listen: %s; a script "
				  "can start the step's processes only once",
				  strerror(errno));
	do
		got = recv(fd, &code, 1, 0);
	while (got < 0 && errno == EINTR);
	if (got == 1)
		return code;
	return err_printf(err, "the launcher refuses: a script can start the "
			       "step's processes only once, with one command");
}
