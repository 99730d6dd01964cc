/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/interfaces.h"

#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* What its address says of an interface; 0: not an IP address. */
static unsigned address_flags(const struct sockaddr *sa)
{
	const struct sockaddr_in *v4 = (const void *)sa;
	const struct sockaddr_in6 *v6 = (const void *)sa;
	bool link_local;

	if (!sa || (sa->sa_family != AF_INET && sa->sa_family != AF_INET6))
		return 0;
	link_local = sa->sa_family == AF_INET
			     ? ntohl(v4->sin_addr.s_addr) >> 16 == 0xa9fe
			     : IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr);
	return link_local ? INTERFACE_LINK_LOCAL : INTERFACE_ROUTABLE;
}

/* The kernel's driver tells it: names are any program's choice (docker's
 * networks are br-0123456789ab). */
static bool is_bridge(int fd, const char *name)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	struct ifreq request = {.ifr_data = (void *)&info};

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	return fd >= 0 && ioctl(fd, SIOCETHTOOL, &request) == 0 &&
	       !strcmp(info.driver, "bridge");
}

static void add(struct interfaces *list, const struct ifaddrs *a)
{
	unsigned flags = address_flags(a->ifa_addr);
	struct interface *i;

	if (!flags || !(a->ifa_flags & IFF_UP))
		return;
	i = interfaces_add(list, a->ifa_name);
	if (!i)
		return;
	i->flags |= flags;
	if (a->ifa_flags & IFF_RUNNING)
		i->flags |= INTERFACE_RUNNING;
	if (a->ifa_flags & IFF_LOOPBACK)
		i->flags |= INTERFACE_LOOPBACK;
}

int interfaces_find(struct interfaces *ret)
{
	cleanup_close int fd = -1;
	struct ifaddrs *all;

	ret->n = 0;
	if (getifaddrs(&all) < 0)
		return -1;
	for (const struct ifaddrs *a = all; a; a = a->ifa_next)
		add(ret, a);
	freeifaddrs(all);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	for (unsigned i = 0; i < ret->n; i++)
		if (!(ret->at[i].flags & INTERFACE_LOOPBACK) &&
		    is_bridge(fd, ret->at[i].name))
			ret->at[i].flags |= INTERFACE_BRIDGE;
	return 0;
}

int interfaces_reach_nodes(const char *node, struct err *err)
{
	struct interfaces found;

	if (interfaces_find(&found) < 0)
		return 0;
	for (unsigned i = 0; i < found.n; i++)
		if (!(found.at[i].flags & INTERFACE_LOOPBACK))
			return 0;
	return err_printf(err,
			  "the container on node %s has no network but "
			  "loopback, and the step has other nodes; leave out "
			  "--container-unshare=net",
			  node);
}
