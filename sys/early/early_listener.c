/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/early/early_listener.h"

#include "core/base/err.h"
#include "sys/epoch.h"
#include "sys/socket.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define BACKLOG	  4096
#define CLIENTS	  16384	 /* more of them wait in the socket's queue */
#define LIMIT_MS  300000 /* as long as JAX's clients wait by default */
#define LOOK_MS	  5	 /* between two looks, at first */
#define LOOK_PART 64	 /* later this part of the time that has gone */
#define LOOK_MAX  100
#define DRAIN	  16 /* reads of what a client has sent */

#ifndef SO_ATTACH_REUSEPORT_CBPF
#define SO_ATTACH_REUSEPORT_CBPF 51
#endif

struct early {
	int fd, owner_fd; /* owner_fd -1: the kernel has no such thing */
	pid_t owner;
	unsigned port;
	int *client;
	unsigned nclients;
};

/* Of the sockets on this port a new connection is for the second one; where
 * there is none, the kernel takes the first. */
static void prefer_the_second(int fd)
{
	struct sock_filter second = {.code = BPF_RET | BPF_K, .k = 1};
	struct sock_fprog program = {.len = 1, .filter = &second};

	setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program,
		   sizeof(program));
}

static int listen_at(const struct sockaddr *address, socklen_t len)
{
	int fd = socket(address->sa_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	socket_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	socket_set(fd, SOL_SOCKET, SO_REUSEPORT, 1);
	if (address->sa_family == AF_INET6)
		socket_set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	prefer_the_second(fd);
	if (bind(fd, address, len) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	close(fd);
	return -1;
}

int early_listener_open(unsigned port)
{
	uint16_t number = htons((uint16_t)port);
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = number};
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = number};
	int fd;

	if (who_listens(port, -1) != 0)
		return -1;
	fd = listen_at((const struct sockaddr *)&v6, sizeof(v6));
	if (fd < 0)
		fd = listen_at((const struct sockaddr *)&v4, sizeof(v4));
	return fd;
}

static void greet(struct early *e)
{
	/* 24 bits of length, type 4, no flags, stream 0 */
	static const char settings[9] = {0, 0, 0, 4};

	while (e->nclients < CLIENTS) {
		int fd = accept4(e->fd, NULL, NULL,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0)
			return;
		send(fd, settings, sizeof(settings), MSG_NOSIGNAL);
		e->client[e->nclients++] = fd;
	}
}

/* What isn't read when a socket closes would make the kernel reset the
 * connection instead of ending it. */
static void send_away(int fd)
{
	/* Type 7, 8 bytes: no stream was looked at, no error */
	static const char goaway[17] = {0, 0, 8, 7};
	char dropped[4096];

	send(fd, goaway, sizeof(goaway), MSG_NOSIGNAL);
	for (int i = 0; i < DRAIN; i++)
		if (recv(fd, dropped, sizeof(dropped), MSG_DONTWAIT) <= 0)
			break;
	close(fd);
}

static void end(struct early *e)
{
	for (unsigned i = 0; i < e->nclients; i++)
		send_away(e->client[i]);
	free(e->client);
	close_fd(&e->owner_fd);
}

static bool owner_runs(const struct early *e, int revents)
{
	return e->owner_fd < 0 ? kill(e->owner, 0) == 0 : !revents;
}

/* Let clients in for at most wait_ms. False when the owner has ended. */
static bool let_in(struct early *e, int wait_ms)
{
	bool full = e->nclients >= CLIENTS;
	struct pollfd p[] = {{.fd = e->owner_fd, .events = POLLIN},
			     {.fd = full ? -1 : e->fd, .events = POLLIN}};

	poll(p, 2, wait_ms);
	greet(e);
	return owner_runs(e, p[0].revents);
}

static int look_ms(uint64_t gone_ms)
{
	uint64_t ms = LOOK_MS + gone_ms / LOOK_PART;

	return ms < LOOK_MAX ? (int)ms : LOOK_MAX;
}

/* Clients come in groups: each look after `let_in` had nothing to do, or one.
 */
static void wait_for_server(struct early *e)
{
	uint64_t begin = monotonic_ms(), gone, next = 0;

	while ((gone = monotonic_ms() - begin) < LIMIT_MS) {
		if (!let_in(e, look_ms(gone)))
			return;
		if (gone < next)
			continue;
		next = gone + (uint64_t)look_ms(gone);
		if (who_listens(e->port, e->fd) == 0)
			continue;
		let_in(e, LOOK_MS); /* those whose handshake was under way */
		return;
	}
}

void early_listener_hold(int fd, unsigned port, pid_t owner)
{
	struct early e = {
		.fd = fd,
		.owner_fd = (int)syscall(SYS_pidfd_open, owner, 0),
		.owner = owner,
		.port = port,
		.client = calloc(CLIENTS, sizeof(*e.client)),
	};
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (e.client)
		wait_for_server(&e);
	close(fd);
	end(&e);
}

#define ANSWER_SIZE 16384

struct question {
	struct nlmsghdr head;
	struct inet_diag_req_v2 diag;
};

static int ask(int fd, int family, unsigned port)
{
	struct question q = {
		.head = {.nlmsg_len = sizeof(q),
			 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.diag = {.sdiag_family = (unsigned char)family,
			 .sdiag_protocol = IPPROTO_TCP,
			 .idiag_states = 1U << TCP_LISTEN,
			 .id.idiag_sport = htons((unsigned short)port)},
	};

	return send(fd, &q, sizeof(q), 0) == (ssize_t)sizeof(q) ? 0 : -1;
}

/* Count in *n what one message of the answer tells. Returns 1 when it was the
 * last one, and -1 when the kernel can't tell. */
static int count(const struct nlmsghdr *head, unsigned port, ino_t own, int *n)
{
	struct inet_diag_msg msg;

	if (head->nlmsg_type == NLMSG_DONE)
		return 1;
	if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    head->nlmsg_len < NLMSG_LENGTH(sizeof(msg)))
		return -1;
	memcpy(&msg, NLMSG_DATA(head), sizeof(msg));
	if (ntohs(msg.id.idiag_sport) == port && msg.idiag_inode != own)
		(*n)++;
	return 0;
}

static int read_answer(int fd, unsigned port, ino_t own, int *n)
{
	_Alignas(struct nlmsghdr) char answer[ANSWER_SIZE];
	int rc = 0;

	while (rc == 0) {
		ssize_t got = recv(fd, answer, sizeof(answer), 0);
		const struct nlmsghdr *h = (const void *)answer;
		unsigned left = got > 0 ? (unsigned)got : 0;

		if (!left)
			return -1;
		for (; rc == 0 && NLMSG_OK(h, left); h = NLMSG_NEXT(h, left))
			rc = count(h, port, own, n);
	}
	return rc < 0 ? -1 : 0;
}

int who_listens(unsigned port, int own)
{
	cleanup_close int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC,
				      NETLINK_SOCK_DIAG);
	struct timeval limit = {.tv_sec = 1};
	struct stat st = {.st_ino = 0};
	int n = 0;

	if (fd < 0 || (own >= 0 && fstat(own, &st) < 0))
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (ask(fd, AF_INET, port) < 0 ||
	    read_answer(fd, port, st.st_ino, &n) < 0 ||
	    ask(fd, AF_INET6, port) < 0 ||
	    read_answer(fd, port, st.st_ino, &n) < 0)
		return -1;
	return n;
}
