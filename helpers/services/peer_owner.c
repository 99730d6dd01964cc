/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/services/kv_http.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct question {
	struct nlmsghdr head;
	struct inet_diag_req_v2 of;
};

struct answer {
	struct nlmsghdr head;
	struct inet_diag_msg about;
	char more[512];
};

static bool ask(int fd, const struct sockaddr_in *local,
		const struct sockaddr_in *remote)
{
	struct question q = {
		.head = {.nlmsg_len = sizeof(q),
			 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			 .nlmsg_flags = NLM_F_REQUEST},
		.of = {.sdiag_family = AF_INET,
		       .sdiag_protocol = IPPROTO_TCP,
		       .idiag_states = ~0U},
	};
	struct inet_diag_sockid *id = &q.of.id;

	id->idiag_sport = local->sin_port;
	id->idiag_src[0] = local->sin_addr.s_addr;
	id->idiag_dport = remote->sin_port;
	id->idiag_dst[0] = remote->sin_addr.s_addr;
	id->idiag_cookie[0] = id->idiag_cookie[1] = INET_DIAG_NOCOOKIE;
	return send(fd, &q, sizeof(q), 0) == sizeof(q);
}

/* The kernel has answered when the question is sent. Returns 0, or -1 where it
 * knows no such socket. */
static int look(int fd, const struct sockaddr_in *local,
		const struct sockaddr_in *remote, struct inet_diag_msg *ret)
{
	struct answer a;
	ssize_t n;

	if (!ask(fd, local, remote))
		return -1;
	n = recv(fd, &a, sizeof(a), MSG_DONTWAIT);
	if (n < (ssize_t)(sizeof(a.head) + sizeof(a.about)) ||
	    a.head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return -1;
	*ret = a.about;
	return 0;
}

void peer_owner_open(struct peer_owner *p, int listen_fd)
{
	const struct sockaddr_in nobody = {.sin_family = AF_INET};
	socklen_t size = sizeof(p->at);
	struct inet_diag_msg self;

	p->fd = -1;
	if (getsockname(listen_fd, (struct sockaddr *)&p->at, &size) < 0 ||
	    p->at.sin_family != AF_INET)
		return;
	p->fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC,
		       NETLINK_SOCK_DIAG);
	/* What it doesn't know of ourselves it doesn't know of others */
	if (p->fd >= 0 && look(p->fd, &p->at, &nobody, &self) < 0)
		peer_owner_close(p);
}

bool peer_owner_is_ours(const struct peer_owner *p, const struct sockaddr *from)
{
	struct sockaddr_in peer;
	struct inet_diag_msg about;

	if (p->fd < 0 || from->sa_family != AF_INET)
		return true;
	memcpy(&peer, from, sizeof(peer));
	return look(p->fd, &peer, &p->at, &about) == 0 &&
	       about.idiag_state == TCP_ESTABLISHED &&
	       (about.idiag_uid == geteuid() || about.idiag_uid == 0);
}

void peer_owner_close(struct peer_owner *p)
{
	close_fd(&p->fd);
}
