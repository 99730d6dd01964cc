/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TCP sockets as srun, slurmstepd and the helpers need them: IP addresses only,
 * never a name.
 */
#pragma once

#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* A listening, non-blocking socket on that port (0: any free one) of the
 * address `ip`. Where this host doesn't have that address, and for NULL, it is
 * on all addresses: IPv4 and IPv6, or IPv4 alone where the host has no IPv6. A
 * port that only finished connections hold is taken. Returns the descriptor for
 * the caller to close, or -1 with errno. */
int socket_listen(const char *ip, unsigned port, int backlog);

/* A non-blocking socket that connects to the address, or -1 with errno; the
 * connection may still be on its way. */
int socket_connect(const char *ip, unsigned port);

/* What became of the connection: 0 or an errno. */
int socket_error(int fd);

/* Wait for events of poll(2), for at most `ms`. Whether one has come. */
bool socket_wait(int fd, short events, int ms);

/* The port at which a socket is; 0: none. */
unsigned socket_port(int fd);

/* Let the kernel ask after a connection's other end while nothing is on the
 * way: after a third of `lease_s` without a sign of life, then each second, or
 * at most 122 times. Silence of less than `lease_s` never ends the connection;
 * silence of that and a third of it and some seconds does, with ETIMEDOUT. A
 * program that is stopped (SIGSTOP) isn't silent: its kernel answers. */
void socket_keepalive(int fd, long lease_s);

/* The same for a connection on which messages are sent: each at once. While
 * data is on the way the kernel doesn't decide: see socket_answer(). */
void socket_lease(int fd, long lease_s);

enum socket_answer {
	SOCKET_ANSWERED, /* the other host has all that was sent */
	SOCKET_WAITING,	 /* it hasn't yet, or there is no room for it */
	SOCKET_SILENT,	 /* and it gives no sign of life, for more than
			    lease_s */
};

/* Ask this about each second while data is on the way; it has been for
 * `waited_ms`. SILENT comes after 7/6 of the lease and some seconds; on kernels
 * before Linux 6.15 after two leases, and after three where the receiver had no
 * room. It never comes when the silence was shorter than the lease. */
enum socket_answer socket_answer(int fd, long lease_s, uint64_t waited_ms);

/* The judgement in it, by what the kernel tells of data that isn't
 * acknowledged; within_ms: silence of data that is on the way, else the
 * receiver has no room. */
bool socket_is_silent(const struct tcp_info *info, long lease_s,
		      uint64_t waited_ms, uint64_t within_ms);

/* For how many seconds nothing has come from the other end, also after the
 * connection has ended. 0 when that isn't known. */
long socket_silence_s(int fd);

/* One of setsockopt()'s switches or numbers; what a kernel lacks is left. */
void socket_set(int fd, int level, int option, int value);

/*
 * A host's address by its name, and this host's own towards another one.
 * Loopback addresses, which a host's own name often has, are found last.
 */

/* By the resolver, for which it waits: IPv4 before IPv6, a loopback address
 * only if there is no other. Returns 0 or -1. */
int host_address(const char *host, struct sockaddr_storage *ret);

/* Whether the resolver knows that name; NULL is none. */
bool host_is_known(const char *host);

bool host_address_is_loopback(const struct sockaddr_storage *addr);

/* Returns 0 or -1. */
int host_address_text(const struct sockaddr_storage *addr, char *ret,
		      unsigned size);

/* The local address by which this host reaches another, as text; never a
 * loopback. No packet is sent. Returns 0 or -1. */
int host_address_towards(const struct sockaddr_storage *other, char *ret,
			 unsigned size);
