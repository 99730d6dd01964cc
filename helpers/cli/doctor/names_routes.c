/* SPDX-License-Identifier: Apache-2.0 */
/* On a node: names, routes, ports, and whether the first node can be reached.
 */
#include "core/base/cleanup.h"
#include "helpers/cli/doctor/all_reduce.h"
#include "helpers/cli/doctor/doctor.h"
#include "sys/interfaces.h"
#include "sys/socket.h"
#include "sys/subprocess.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
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
	char interface[IF_NAMESIZE], path[128], mtu[32] = "";
	FILE *f;

	if (route_interface(addr, interface) < 0) {
		doctor_tell("route", "-");
		return;
	}
	snprintf(path, sizeof(path), "/sys/class/net/%s/mtu", interface);
	f = fopen(path, "re");
	if (f && !fgets(mtu, sizeof(mtu), f))
		*mtu = '\0';
	if (f)
		fclose(f);
	doctor_tell("route", "%s %s", interface, mtu);
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
	FILE *f;
	int fd;

	for (unsigned port = o->port_min; port <= o->port_max; port++) {
		fd = socket_listen(NULL, port, SOMAXCONN);
		busy += fd < 0 && errno == EADDRINUSE;
		if (fd >= 0)
			close(fd);
	}
	doctor_tell("ports", "%u %u %u", o->port_min, o->port_max, busy);
	f = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
	if (f && fscanf(f, "%u %u", &first, &last) == 2)
		doctor_tell("ephemeral", "%u %u %u %u", first, last,
			    o->port_min, o->port_max);
	if (f)
		fclose(f);
}

/* Wait for `events`; false when it takes too long. */
static bool wait_for(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};

	return poll(&p, 1, DOCTOR_CALL_MS) > 0;
}

struct listener {
	int fd;
	unsigned limit_s;
};

/* It ends with this process's parent, or with its alarm. */
static int serve_all(const int fd[2], const void *arg)
{
	const struct listener *l = arg;
	struct err err;

	(void)fd;
	alarm(l->limit_s);
	return reach_server_run(l->fd, DOCTOR_CALL_MS, &err) < 0;
}

void doctor_listen(const struct doctor_options *o, const char *addr)
{
	struct listener l = {.fd = -1, .limit_s = o->timeout_s};
	const struct subprocess_spec spec = {
		.run = serve_all,
		.arg = &l,
		.flags = SUBPROCESS_NULL, /* srun waits for the end of ours */
	};
	unsigned port = o->port_min;
	struct subprocess ignored;
	struct err err;

	for (; l.fd < 0 && port <= o->port_max; port++)
		l.fd = socket_listen(addr, port, SOMAXCONN);
	if (l.fd < 0)
		return;
	if (subprocess_start(&spec, &ignored, &err) == 0)
		doctor_tell("listening", "%u", port - 1);
	close(l.fd);
}

/* Send the block. Returns why it went wrong, or NULL. */
static const char *send_block(int fd)
{
	static const char block[REACH_BLOCK];
	size_t sent = 0;
	char byte;

	while (sent < REACH_BLOCK) {
		ssize_t n = send(fd, block + sent, REACH_BLOCK - sent,
				 MSG_NOSIGNAL);

		if (n > 0)
			sent += (size_t)n;
		else if (n < 0 && errno != EAGAIN)
			return strerror(errno);
		else if (!wait_for(fd, POLLOUT))
			break;
	}
	if (sent < REACH_BLOCK || !wait_for(fd, POLLIN))
		return "connected, but a large block gets no answer";
	return read(fd, &byte, 1) == 1 ? NULL : "the connection was cut off";
}

static const char *talk_to(const char *addr, unsigned port)
{
	cleanup_close int fd = socket_connect(addr, port);
	int why;

	if (fd < 0)
		return strerror(errno);
	if (!wait_for(fd, POLLOUT))
		return "no answer to a connection";
	why = socket_error(fd);
	return why ? strerror(why) : send_block(fd);
}

void doctor_reach(const char *addr, unsigned port)
{
	const char *why = talk_to(addr, port);

	doctor_tell("reach", "%s", why ? why : "ok");
}
