/* SPDX-License-Identifier: Apache-2.0 */
/* On a node: names, routes, ports, and whether the first node can be reached.
 */
#include "helpers/cli/doctor/doctor.h"
#include "sys/interfaces.h"
#include "sys/proc_file.h"
#include "sys/socket.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* In a child: a resolver has its own time limits. */
static int resolve_child(const int fd[2], const void *arg)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *list;
	char text[INET6_ADDRSTRLEN];

	if (getaddrinfo(arg, NULL, &hints, &list) != 0)
		return 1;
	if (getnameinfo(list->ai_addr, list->ai_addrlen, text, sizeof(text),
			NULL, 0, NI_NUMERICHOST) == 0)
		dprintf(fd[1], "%s", text);
	return 0;
}

/* Its first address, or "-". Returns buf. */
static const char *resolve(const char *name, char *buf, size_t size)
{
	struct err err;

	if (subprocess_ask(resolve_child, name, DOCTOR_CALL_MS, buf, size,
			   &err) < 0 ||
	    !*buf || strchr(buf, '\n'))
		snprintf(buf, size, "-");
	return buf;
}

static void tell_route(const char *addr)
{
	char interface[IF_NAMESIZE];

	if (route_interface(addr, interface) < 0)
		doctor_tell("route", "-");
	else
		doctor_tell(
			"route", "%s %d", interface,
			sysfs_number("", "/sys/class/net/%s/mtu", interface));
}

void doctor_look_net(const struct doctor_options *o)
{
	char host[256] = "", addr[64];

	gethostname(host, sizeof(host) - 1);
	doctor_tell("own", "%s %s", host, resolve(host, addr, sizeof(addr)));
	if (o->alone)
		return;
	doctor_tell("name", "%s %s", o->first,
		    resolve(o->first, addr, sizeof(addr)));
	doctor_tell("first", "%s %s", o->first_addr,
		    resolve(o->first_addr, addr, sizeof(addr)));
	if (strcmp(addr, "-") != 0)
		tell_route(addr);
}

void doctor_look_ports(const struct doctor_options *o)
{
	unsigned busy = 0, first, last;
	char range[64];
	int fd;

	for (unsigned port = o->port_min; port <= o->port_max; port++) {
		fd = socket_listen(NULL, port, SOMAXCONN);
		busy += fd < 0 && errno == EADDRINUSE;
		if (fd >= 0)
			close(fd);
	}
	doctor_tell("ports", "%u %u %u", o->port_min, o->port_max, busy);
	if (sysfs_read(range, sizeof(range), "",
		       "/proc/sys/net/ipv4/ip_local_port_range") == 0 &&
	    sscanf(range, "%u %u", &first, &last) == 2)
		doctor_tell("ephemeral", "%u %u %u %u", first, last,
			    o->port_min, o->port_max);
}
