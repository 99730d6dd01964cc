/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/early/early_listener.h"

#include "core/base/cleanup.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

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
