/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where rank 0 of the step is, and an address by which the other nodes reach
 * it. srun calls rank0_find() before any task exists; a task calls
 * rank0_resolve() when srun couldn't pass an address on. Loopback addresses,
 * which a host's own name often has, are never used between nodes.
 */
#include "config.h"

#include "spank/slurm/rank0.h"

#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "spank/slurm/controller.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

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

static const struct addrinfo *choose(const struct addrinfo *list, int family,
				     bool loopback)
{
	for (; list; list = list->ai_next)
		if (list->ai_family == family &&
		    is_loopback(list->ai_addr) == loopback)
			return list;
	return NULL;
}

/* Resolve a name: IPv4 before IPv6, a loopback address only if there is no
 * other. */
static int resolve(const char *host, slurm_addr_t *ret)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
	const struct addrinfo *a = NULL;

	if (getaddrinfo(host, NULL, &hints, &list) != 0)
		return -1;
	for (int i = 0; i < 4 && !a; i++)
		a = choose(list, i % 2 ? AF_INET6 : AF_INET, i >= 2);
	memset(ret, 0, sizeof(*ret));
	if (a)
		memcpy(ret, a->ai_addr, a->ai_addrlen);
	freeaddrinfo(list);
	return a ? 0 : -1;
}

/* The local address by which this host reaches another. */
static int address_towards(const slurm_addr_t *other, char *ret, unsigned size)
{
	const struct sockaddr *to = (const void *)other;
	socklen_t len = to->sa_family == AF_INET ? sizeof(struct sockaddr_in)
						 : sizeof(struct sockaddr_in6);
	cleanup_close int fd =
		socket(to->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_storage own;

	if (fd < 0 || is_loopback(to) || connect(fd, to, len) < 0 ||
	    getsockname(fd, (struct sockaddr *)&own, &len) < 0 ||
	    is_loopback((struct sockaddr *)&own))
		return -1;
	return to_text((struct sockaddr *)&own, len, ret, size);
}

static int towards_another(const char *node, const char *nodes, char *ret,
			   unsigned size)
{
	char other[HOSTLIST_NAME_MAX];
	slurm_addr_t addr;

	for (unsigned i = 0; nodes && i < 2; i++)
		if (hostlist_nth(nodes, i, other) == 0 &&
		    strcmp(other, node) != 0 && resolve(other, &addr) == 0 &&
		    address_towards(&addr, ret, size) == 0)
			return 0;
	return -1;
}

int rank0_resolve(const char *node, const char *nodes, bool ask, char *ret,
		  unsigned size)
{
	struct err ignored;
	slurm_addr_t addr;

	if (resolve(node, &addr) == 0) {
		if (!is_loopback((struct sockaddr *)&addr))
			return to_text((struct sockaddr *)&addr, sizeof(addr),
				       ret, size);
		if (towards_another(node, nodes, ret, size) == 0)
			return 0;
	}
	if (!ask || controller_ask_node_addr(node, &addr, &ignored) < 0 ||
	    is_loopback((struct sockaddr *)&addr))
		return -1;
	return to_text((struct sockaddr *)&addr, sizeof(addr), ret, size);
}

/* The node's name means a loopback here, so this host is that node: its
 * address is the one by which it reaches another node of the job. */
static void own_address(struct rank0 *r)
{
	const char *nodes = getenv("SLURM_NODELIST");
	char other[HOSTLIST_NAME_MAX];
	struct err ignored;
	slurm_addr_t addr;

	for (unsigned i = 0; nodes && i < 2; i++)
		if (hostlist_nth(nodes, i, other) == 0 &&
		    strcmp(other, r->node) != 0 &&
		    controller_node_addr(other, &addr, &ignored) == 0 &&
		    address_towards(&addr, r->addr, sizeof(r->addr)) == 0)
			return;
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

/* Whether task 0 is certainly on the first node of the job: the step has all
 * of its nodes and a distribution that begins there. */
static bool begins_at_first_node(const struct srun_step *step,
				 const char *nodes)
{
	const char *how = getenv("SLURM_DISTRIBUTION");
	unsigned n;

#if HAVE_SLURM_STEP_ID_T_SLUID
	return false; /* such releases may follow the network's topology */
#endif
	return nodes && !getenv("SLURM_HET_SIZE") &&
	       hostlist_count(nodes, &n) == 0 && n == step->nnodes &&
	       (!how || word_find("block cyclic plane", how,
				  strcspn(how, ":,="), NULL));
}

static int ask_node(const struct srun_step *step, char *ret, struct err *err)
{
	slurm_step_layout_t *layout =
		controller_layout(step->job_id, step->step_id, err);
	unsigned node;
	int rc = -1;

	if (!layout)
		return -1;
	if (node_of_task0(layout, &node) == 0)
		rc = hostlist_nth(layout->node_list, node, ret);
	slurm_job_step_layout_free(layout);
	return rc < 0 ? err_printf(err, "the step's layout has no task 0") : 0;
}

int rank0_find(const struct srun_step *step, struct rank0 *ret, struct err *err)
{
	const char *nodes = getenv("SLURM_NODELIST");
	struct rank0 r = {0};
	struct err ignored;
	slurm_addr_t addr;
	int rc;

	if (begins_at_first_node(step, nodes))
		rc = hostlist_nth(nodes, 0, r.node);
	else
		rc = ask_node(step, r.node, err);
	if (rc < 0)
		return -1;
	if (controller_node_addr(r.node, &addr, &ignored) < 0)
		r.addr[0] = '\0';
	else if (is_loopback((struct sockaddr *)&addr))
		own_address(&r);
	else
		to_text((struct sockaddr *)&addr, sizeof(addr), r.addr,
			sizeof(r.addr));
	*ret = r;
	return 0;
}
