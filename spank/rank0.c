/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/rank0.h"

#include "core/cleanup.h"
#include "spank/controller.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#define ANY_PORT "9" /* discard; nothing is sent */

static bool is_loopback(const struct sockaddr *sa)
{
	const struct sockaddr_in *v4 = (const void *)sa;
	const struct sockaddr_in6 *v6 = (const void *)sa;

	if (sa->sa_family == AF_INET)
		return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
	return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

static int to_text(const struct sockaddr *sa, socklen_t len, char *ret,
		   unsigned size)
{
	return getnameinfo(sa, len, ret, size, NULL, 0, NI_NUMERICHOST) ? -1
									: 0;
}

int rank0_resolve(const char *host, char *ret, unsigned size)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
	static const int families[] = {AF_INET, AF_INET6};
	int rc = -1;

	if (getaddrinfo(host, NULL, &hints, &list) != 0)
		return -1;
	for (int f = 0; f < 2; f++)
		for (struct addrinfo *a = list; a && rc < 0; a = a->ai_next)
			if (a->ai_family == families[f] &&
			    !is_loopback(a->ai_addr))
				rc = to_text(a->ai_addr, a->ai_addrlen, ret,
					     size);
	freeaddrinfo(list);
	return rc;
}

/* The local address by which this host reaches another. */
static int address_towards(const char *host, char *ret, unsigned size)
{
	struct addrinfo hints = {.ai_socktype = SOCK_DGRAM}, *list;
	struct sockaddr_storage own;
	socklen_t len = sizeof(own);
	cleanup_close int fd = -1;
	int rc = -1;

	if (getaddrinfo(host, ANY_PORT, &hints, &list) != 0)
		return -1;
	fd = socket(list->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && !is_loopback(list->ai_addr) &&
	    connect(fd, list->ai_addr, list->ai_addrlen) == 0 &&
	    getsockname(fd, (struct sockaddr *)&own, &len) == 0 &&
	    !is_loopback((struct sockaddr *)&own))
		rc = to_text((struct sockaddr *)&own, len, ret, size);
	freeaddrinfo(list);
	return rc;
}

/* The node's name means a loopback here, so this host is that node. */
static void own_address(const slurm_step_layout_t *layout, unsigned node,
			struct rank0 *r)
{
	char other[HOSTLIST_NAME_MAX];
	cleanup_free char *addr = NULL;
	struct err ignored;

	if (layout->node_cnt < 2 ||
	    hostlist_nth(layout->node_list, node == 0, other) < 0)
		return;
	addr = controller_node_addr(other, &ignored);
	if (!addr || address_towards(addr, r->addr, sizeof(r->addr)) < 0)
		r->addr[0] = '\0';
}

static int node_of_task0(const slurm_step_layout_t *layout, unsigned *ret)
{
	for (unsigned i = 0; i < layout->node_cnt; i++)
		for (unsigned t = 0; t < layout->tasks[i]; t++)
			if (layout->tids[i][t] == 0) {
				*ret = i;
				return 0;
			}
	return -1;
}

int rank0_find(const slurm_step_layout_t *layout, struct rank0 *ret,
	       struct err *err)
{
	cleanup_free char *addr = NULL;
	struct rank0 r = {0};
	unsigned node;

	if (node_of_task0(layout, &node) < 0 ||
	    hostlist_nth(layout->node_list, node, r.node) < 0)
		return err_printf(err, "the step's layout has no task 0");
	addr = controller_node_addr(r.node, err);
	if (!addr)
		return -1;
	if (rank0_resolve(addr, r.addr, sizeof(r.addr)) < 0) {
		r.addr[0] = '\0';
		own_address(layout, node, &r);
	}
	*ret = r;
	return 0;
}
