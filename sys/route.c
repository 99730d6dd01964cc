/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which interface routes to an address: one question to the kernel over
 * netlink (RTM_GETROUTE), and the interface's name and own address.
 * slurmstepd calls it once per node and step, and doctor on each node. Sends
 * no packet.
 */
#include "sys/interfaces.h"

#include "core/base/ip.h"

#include <ifaddrs.h>
#include <linux/rtnetlink.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static int family_of(const struct ip *ip)
{
	return ip->family == 4 ? AF_INET : AF_INET6;
}

static unsigned length_of(const struct ip *ip)
{
	return ip->family == 4 ? 4 : 16;
}

/* Whether an interface's address is this one. */
static bool same_address(const struct sockaddr *sa, const struct ip *ip)
{
	const struct sockaddr_in *v4 = (const void *)sa;
	const struct sockaddr_in6 *v6 = (const void *)sa;

	return sa && sa->sa_family == family_of(ip) &&
	       !memcmp(ip->family == 4 ? (const void *)&v4->sin_addr
				       : &v6->sin6_addr,
		       ip->byte, length_of(ip));
}

static int interface_with(const struct ip *ip, char ret[IF_NAMESIZE])
{
	struct ifaddrs *list;
	int rc = -1;

	if (getifaddrs(&list) < 0)
		return -1;
	for (struct ifaddrs *i = list; i && rc < 0; i = i->ifa_next)
		if (same_address(i->ifa_addr, ip)) {
			strncpy(ret, i->ifa_name, IF_NAMESIZE - 1);
			ret[IF_NAMESIZE - 1] = '\0';
			rc = 0;
		}
	freeifaddrs(list);
	return rc;
}

struct route_request {
	struct nlmsghdr head;
	struct rtmsg route;
	struct rtattr attr;
	unsigned char dst[16];
};

static int ask_route(int fd, const struct ip *ip)
{
	unsigned len = length_of(ip);
	struct route_request q = {
		.head.nlmsg_type = RTM_GETROUTE,
		.head.nlmsg_flags = NLM_F_REQUEST,
		.route.rtm_family = (unsigned char)family_of(ip),
		.route.rtm_dst_len = (unsigned char)(len * 8),
		.attr.rta_type = RTA_DST,
		.attr.rta_len = (unsigned short)RTA_LENGTH(len),
	};

	memcpy(q.dst, ip->byte, len);
	q.head.nlmsg_len =
		(unsigned)(NLMSG_LENGTH(sizeof(q.route)) + RTA_LENGTH(len));
	return send(fd, &q, q.head.nlmsg_len, 0) < 0 ? -1 : 0;
}

/* Read the answer: the type of the route and the outgoing interface. */
static int read_route(int fd, int *ret_type, unsigned *ret_index)
{
	union {
		struct nlmsghdr head;
		char bytes[4096];
	} answer;
	ssize_t n = recv(fd, &answer, sizeof(answer), 0);
	const struct rtmsg *route = NLMSG_DATA(&answer.head);
	const struct rtattr *attr;
	unsigned left;

	if (n < 0 || !NLMSG_OK(&answer.head, (size_t)n) ||
	    answer.head.nlmsg_type != RTM_NEWROUTE)
		return -1;
	left = (unsigned)RTM_PAYLOAD(&answer.head);
	for (attr = RTM_RTA(route); RTA_OK(attr, left);
	     attr = RTA_NEXT(attr, left))
		if (attr->rta_type == RTA_OIF) {
			memcpy(ret_index, RTA_DATA(attr), sizeof(*ret_index));
			*ret_type = route->rtm_type;
			return 0;
		}
	return -1;
}

int route_interface(const char *ip, char ret[IF_NAMESIZE])
{
	cleanup_close int fd = -1;
	struct ip to;
	unsigned index;
	int type;

	if (ip_parse(ip, strlen(ip), &to) < 0)
		return -1;
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0 || ask_route(fd, &to) < 0 ||
	    read_route(fd, &type, &index) < 0)
		return -1;
	if (type == RTN_LOCAL)
		return interface_with(&to, ret);
	return if_indextoname(index, ret) ? 0 : -1;
}

void route_find(const char *ip, struct route *ret)
{
	snprintf(ret->ip, sizeof(ret->ip), "%s", ip);
	if (route_interface(ip, ret->interface) < 0)
		ret->interface[0] = '\0';
}

static bool is_usable(const struct ifaddrs *i, const char *name, int family)
{
	const struct sockaddr_in6 *v6;

	if (!i->ifa_addr || i->ifa_addr->sa_family != family ||
	    strcmp(i->ifa_name, name) != 0)
		return false;
	v6 = (const struct sockaddr_in6 *)(const void *)i->ifa_addr;
	return family == AF_INET || !IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr);
}

int route_address_of(const char *interface, char *ret, unsigned size)
{
	static const int families[] = {AF_INET, AF_INET6};
	struct ifaddrs *list;
	bool found = false;

	if (getifaddrs(&list) < 0)
		return -1;
	for (int f = 0; f < 2 && !found; f++)
		for (struct ifaddrs *i = list; i && !found; i = i->ifa_next) {
			if (!is_usable(i, interface, families[f]))
				continue;
			found = getnameinfo(
					i->ifa_addr,
					f == 0 ? sizeof(struct sockaddr_in)
					       : sizeof(struct sockaddr_in6),
					ret, size, NULL, 0,
					NI_NUMERICHOST) == 0;
		}
	freeifaddrs(list);
	return found ? 0 : -1;
}
