/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifndef TCP_RTO_MAX_MS
#define TCP_RTO_MAX_MS 44 /* Linux 6.15 */
#endif
#define RTO_MAX_MIN_MS 1000 /* what that kernel takes */
#define RTO_MAX_MAX_MS 120000
#define PAUSES	       6 /* between two sendings of the same data, in a lease */
#define ANSWER_MS      2000 /* beyond them: for the way there and back */

/* A receiver with a full window is asked after pauses that double, too, but
 * begin anywhere between 0.2 s and 2 min: three questions without an answer and
 * three leases are more than an outage of one lease can cause. */
#define FULL_PROBES 3
#define FULL_LEASES 3

#define TYPE (SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK)

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Returns -1 with errno as it was. */
static int close_failed(int fd)
{
	int why = errno;

	close(fd);
	errno = why;
	return -1;
}

/* The port has the same offset for IPv4 and IPv6. If the kernel chooses the
 * port, it must not choose one on which another socket is about to listen. */
static int listen_at(const union address *a, socklen_t len, int backlog)
{
	int fd = socket(a->any.sa_family, TYPE, 0);

	if (fd < 0)
		return -1;
	socket_set(fd, SOL_SOCKET, SO_REUSEADDR, a->v6.sin6_port != 0);
	if (a->any.sa_family == AF_INET6)
		socket_set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	if (bind(fd, &a->any, len) == 0 && listen(fd, backlog) == 0)
		return fd;
	return close_failed(fd);
}

/* The host doesn't have the address, or none of its family. */
static bool is_not_ours(int why)
{
	return why == EAFNOSUPPORT || why == EADDRNOTAVAIL;
}

static int listen_everywhere(unsigned port, int backlog)
{
	unsigned short number = htons((unsigned short)port);
	union address v6 = {.v6 = {.sin6_family = AF_INET6,
				   .sin6_port = number,
				   .sin6_addr = in6addr_any}};
	union address v4 = {.v4 = {.sin_family = AF_INET, .sin_port = number}};
	int fd = listen_at(&v6, sizeof(v6.v6), backlog);

	if (fd < 0 && is_not_ours(errno))
		fd = listen_at(&v4, sizeof(v4.v4), backlog);
	return fd;
}

/* Returns its length, or 0 when the text is no address. */
static socklen_t read_address(const char *ip, unsigned port, union address *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (inet_pton(AF_INET, ip, &ret->v4.sin_addr) == 1) {
		ret->v4.sin_family = AF_INET;
		ret->v4.sin_port = htons((unsigned short)port);
		return sizeof(ret->v4);
	}
	if (inet_pton(AF_INET6, ip, &ret->v6.sin6_addr) == 1) {
		ret->v6.sin6_family = AF_INET6;
		ret->v6.sin6_port = htons((unsigned short)port);
		return sizeof(ret->v6);
	}
	errno = EINVAL;
	return 0;
}

int socket_listen(const char *ip, unsigned port, int backlog)
{
	union address address;
	socklen_t len = ip ? read_address(ip, port, &address) : 0;
	int fd = len ? listen_at(&address, len, backlog) : -1;

	if (!len || (fd < 0 && is_not_ours(errno)))
		return listen_everywhere(port, backlog);
	return fd;
}

int socket_connect(const char *ip, unsigned port)
{
	union address address;
	socklen_t len = read_address(ip, port, &address);
	int fd = len ? socket(address.any.sa_family, TYPE, 0) : -1;

	if (fd < 0)
		return -1;
	if (connect(fd, &address.any, len) < 0 && errno != EINPROGRESS)
		return close_failed(fd);
	return fd;
}

int socket_error(int fd)
{
	int why = 0;
	socklen_t len = sizeof(why);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &len) < 0)
		return errno;
	return why;
}

bool socket_wait(int fd, short events, int ms)
{
	struct pollfd p = {.fd = fd, .events = events};

	return poll(&p, 1, ms) > 0;
}

unsigned socket_port(int fd)
{
	union address at = {.v6 = {.sin6_port = 0}};
	socklen_t len = sizeof(at);

	if (getsockname(fd, &at.any, &len) < 0)
		return 0;
	return ntohs(at.v6.sin6_port); /* IPv4 has it in the same place */
}

void socket_set(int fd, int level, int option, int value)
{
	setsockopt(fd, level, option, &value, sizeof(value));
}

void socket_keepalive(int fd, long lease_s)
{
	int idle = lease_s < 3 ? 1 : (int)(lease_s / 3);
	int every = 1 + (int)(lease_s / 120); /* the kernel sends at most 127 */

	socket_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	socket_set(fd, IPPROTO_TCP, TCP_KEEPIDLE, idle);
	socket_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, every);
	socket_set(fd, IPPROTO_TCP, TCP_KEEPCNT, (int)lease_s / every + 2);
}

/* While data is on the way the kernel sends no probe, but the data again, after
 * ever longer pauses. This limits the pause. */
void socket_lease(int fd, long lease_s)
{
	long pause_ms = lease_s * 1000 / PAUSES;

	socket_keepalive(fd, lease_s);
	if (pause_ms < RTO_MAX_MIN_MS)
		pause_ms = RTO_MAX_MIN_MS;
	if (pause_ms <= RTO_MAX_MAX_MS)
		socket_set(fd, IPPROTO_TCP, TCP_RTO_MAX_MS, (int)pause_ms);
	socket_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
}

/* How long data may stay without an answer, so that the kernel has sent it
 * again at least once after the lease. Without a limit the pauses double, and
 * one that began just before the end of the lease is as long as all before. */
static uint64_t answer_within_ms(int fd, long lease_s)
{
	uint64_t lease_ms = (uint64_t)lease_s * 1000;
	socklen_t len = sizeof(int);
	int pause_ms = 0;

	if (getsockopt(fd, IPPROTO_TCP, TCP_RTO_MAX_MS, &pause_ms, &len) < 0 ||
	    pause_ms <= 0 || (uint64_t)pause_ms > lease_ms)
		pause_ms = (int)lease_ms;
	return lease_ms + (uint64_t)pause_ms + ANSWER_MS;
}

static bool read_info(int fd, struct tcp_info *ret)
{
	socklen_t len = sizeof(*ret);

	memset(ret, 0, sizeof(*ret));
	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, ret, &len) == 0;
}

static uint64_t silence_ms(const struct tcp_info *info)
{
	return info->tcpi_last_ack_recv < info->tcpi_last_data_recv
		       ? info->tcpi_last_ack_recv
		       : info->tcpi_last_data_recv;
}

long socket_silence_s(int fd)
{
	struct tcp_info info;

	return read_info(fd, &info) ? (long)(silence_ms(&info) / 1000) : 0;
}

bool socket_is_silent(const struct tcp_info *info, long lease_s,
		      uint64_t waited_ms, uint64_t within_ms)
{
	uint64_t silent_ms = silence_ms(info);

	if (silent_ms > waited_ms)
		silent_ms = waited_ms;
	if (info->tcpi_unacked)
		return silent_ms >= within_ms;
	/* the window is full */
	return info->tcpi_probes >= FULL_PROBES &&
	       silent_ms >= (uint64_t)lease_s * 1000 * FULL_LEASES;
}

enum socket_answer socket_answer(int fd, long lease_s, uint64_t waited_ms)
{
	struct tcp_info info;
	int unacknowledged;

	if (ioctl(fd, SIOCOUTQ, &unacknowledged) < 0 || !unacknowledged ||
	    !read_info(fd, &info))
		return SOCKET_ANSWERED;
	return socket_is_silent(&info, lease_s, waited_ms,
				answer_within_ms(fd, lease_s))
		       ? SOCKET_SILENT
		       : SOCKET_WAITING;
}
