/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: how bytes get from one launcher of a step to another, and who may
 * connect. It knows no message by its type and decides nothing;
 * helpers/channel does.
 *
 * A connection between two launchers of a step: messages, each whole or not
 * at all, over TCP, sealed with the step's secret (helpers/conn/seal.h).
 *
 *	both		32 bytes of salt, in clear
 *	both		the header of secretstream
 *	then records	length (4 bytes, big endian), sealed bytes
 *
 * The side that accepts says nothing before it has seen a salt; whoever doesn't
 * have the secret is dropped at his first record.
 */
#pragma once

#include "core/base/err.h"
#include "core/base/ip.h"
#include "helpers/conn/msgbuf.h"
#include "sys/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_LENGTH sizeof(uint32_t)

struct secure_conn;

/* What its owner is told. A callback may close the conn. */
struct secure_conn_events {
	/* The other side has proved that it has the secret. */
	void (*opened)(void *arg);
	/* It is over; `why` is an errno, ETIMEDOUT when there was no sign of
	 * life for the lease, or 0 when the other side closed it. Only
	 * secure_conn_silence_s() and secure_conn_close() may still be called.
	 */
	void (*lost)(void *arg, int why);
	void *arg; /* for these two */
	/* `data` is followed by a NUL and borrowed until the return. */
	void (*message)(void *arg, char type, const char *data, size_t n);
	void *message_arg;
};

/* What both ends have in common; the pointers are borrowed. Ends with different
 * ports can't talk: a program that passes bytes on from another port to the
 * server's is noticed before any message. */
struct secure_conn_step {
	struct loop *loop;
	const unsigned char *secret; /* SECRET_SIZE bytes */
	const char *id;		     /* "JOB.STEP.REQUEUE" */
	unsigned port;		     /* at which the server listens */
	long lease_s;
	size_t message_max; /* bytes of one that comes; 0: 256 MiB */
};

/* Talk over a connected or connecting socket, which the conn owns from now on,
 * also on failure. `connects` is true on the side that called connect(). NULL
 * on failure. */
struct secure_conn *secure_conn_new(const struct secure_conn_step *step, int fd,
				    bool connects,
				    const struct secure_conn_events *events,
				    struct err *err);

/* Send, now or when there is room. Returns 0, or -1 when out of memory or past
 * the limit. */
int secure_conn_send(struct secure_conn *conn, struct msgbuf *msgbuf);

/* From now on at most so many bytes may wait to be sent: who reads so slowly is
 * lost soon after, and gets nothing more. */
void secure_conn_limit(struct secure_conn *conn, size_t bytes);

/* Whether everything that was sent has left this process. */
bool secure_conn_is_idle(const struct secure_conn *conn);

/* How many bytes have come; and its socket, to ask for addresses. */
size_t secure_conn_has_come(const struct secure_conn *conn);
int secure_conn_fd(const struct secure_conn *conn);

/* For how many seconds nothing has come from the other host, also when the conn
 * is lost; 0: not known. */
long secure_conn_silence_s(const struct secure_conn *conn);

void secure_conn_close(struct secure_conn *conn);

/* The addresses of a connection, without its ports. */

/* Of this end or the other one; IPv4 as such, also over an IPv6 socket. Returns
 * 0, or -1 when it has none. */
int conn_address(int fd, bool ours, char ret[IP_TEXT_SIZE]);
