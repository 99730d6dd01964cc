/* SPDX-License-Identifier: Apache-2.0 */
/* On a node: whether the others reach the first one, and how fast two of them
 * are. The first one reads REACH_BLOCK bytes from each caller and answers with
 * one; all are served by one process. */
#include "helpers/check/pair_talk.h"
#include "helpers/cli/doctor/doctor.h"
#include "sys/interfaces.h"
#include "sys/loop.h"
#include "sys/proc_file.h"
#include "sys/socket.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* On a node: names, routes, ports, and whether the first node can be reached.
 */

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
		close_fd(&fd);
	}
	doctor_tell("ports", "%u %u %u", o->port_min, o->port_max, busy);
	if (sysfs_read(range, sizeof(range), "",
		       "/proc/sys/net/ipv4/ip_local_port_range") == 0 &&
	    sscanf(range, "%u %u", &first, &last) == 2)
		doctor_tell("ephemeral", "%u %u %u %u", first, last,
			    o->port_min, o->port_max);
}

#define REACH_BLOCK (256 << 10) /* bytes; more than any packet */
#define FILES	    32		/* descriptors for other things than callers */
#define CALLERS_MAX 20000	/* more than there are nodes */

/* --- the first node --- */

static bool answer(void *arg, int fd, const char heard[CALLERS_HEARD])
{
	(void)arg;
	(void)heard;
	send(fd, "", 1, MSG_NOSIGNAL);
	return false;
}

static unsigned most_callers(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_max <= 2 * FILES)
		return FILES;
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
	return r.rlim_cur > CALLERS_MAX ? CALLERS_MAX
					: (unsigned)r.rlim_cur - FILES;
}

struct listener {
	int fd;
	unsigned limit_s;
};

/* It ends with this process's parent, or with its alarm. */
static int serve_all(const int fd[2], const void *arg)
{
	const struct listener *l = arg;
	struct callers callers = {
		.max = most_callers(),
		.silent_ms = DOCTOR_CALL_MS,
		.wanted = REACH_BLOCK,
		.said = answer,
	};
	struct loop loop;
	struct err err;

	(void)fd;
	alarm(l->limit_s);
	return loop_open(&loop, &err) < 0 ||
	       callers_open(&callers, &loop, l->fd, &err) < 0 ||
	       loop_run(&loop, &err) < 0;
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

/* --- the others --- */

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
		else if (!socket_wait(fd, POLLOUT, DOCTOR_CALL_MS))
			break;
	}
	if (sent < REACH_BLOCK || !socket_wait(fd, POLLIN, DOCTOR_CALL_MS))
		return "connected, but a large block gets no answer";
	return read(fd, &byte, 1) == 1 ? NULL : "the connection was cut off";
}

static const char *talk_to(const char *addr, unsigned port)
{
	cleanup_close int fd = socket_connect(addr, port);
	int why;

	if (fd < 0)
		return strerror(errno);
	if (!socket_wait(fd, POLLOUT, DOCTOR_CALL_MS))
		return "no answer to a connection";
	why = socket_error(fd);
	return why ? strerror(why) : send_block(fd);
}

void doctor_reach(const char *addr, unsigned port)
{
	const char *why = talk_to(addr, port);

	doctor_tell("reach", "%s", why ? why : "ok");
}

/* --- pairs of nodes measure their network, as check=full lets them --- */

static int door = -1;

void doctor_open_door(const struct doctor_options *o)
{
	struct sockaddr_storage first;
	char addr[64];

	door = socket_listen(NULL, 0, SOMAXCONN);
	if (door < 0)
		return;
	if (host_address(o->first_addr, &first) < 0 ||
	    host_address_towards(&first, addr, sizeof(addr)) < 0)
		strcpy(addr, "-");
	doctor_tell("door", "%s %u", addr, socket_port(door));
}

void doctor_meet(const char *line)
{
	char a[256], b[256], word[PAIR_WORD_SIZE + 1];
	struct pair_talk_wish wish = {.listen_fd = -1};
	struct pair_figure figure;
	unsigned round;
	bool first;

	if (sscanf(line, "meet %u %255s %255s %63s %u %64s", &round, a, b,
		   wish.ip, &wish.port, word) != 6 ||
	    strlen(word) != PAIR_WORD_SIZE)
		return;
	first = !strcmp(a, doctor_here());
	if (!first && strcmp(b, doctor_here()) != 0)
		return;
	if (first)
		wish.listen_fd = door;
	/* Each one proves itself by a half of the word */
	memcpy(wish.say, word + (first ? 0 : PAIR_WORD_SIZE / 2),
	       PAIR_WORD_SIZE / 2);
	memcpy(wish.expect, word + (first ? PAIR_WORD_SIZE / 2 : 0),
	       PAIR_WORD_SIZE / 2);
	pair_talk_run(&wish, PAIR_MS, PAIR_BYTES, &figure);
	doctor_tell("met", "%u %.0f %u", round, figure.rate, figure.again);
}
