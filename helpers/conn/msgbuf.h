/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message on its way out, to one secure_conn or to many without a copy for
 * each: it is counted by its users, and freed by the last one.
 */
#pragma once

#include "helpers/conn/seal.h"

#include <stddef.h>

/* In place of a type: type and message, packed (helpers/conn/pack.h) */
#define MSGBUF_PACKED '\1'

struct msgbuf {
	unsigned refs;
	size_t n;
	char data[]; /* its type, then the message */
};

/* A message of a type (any byte but MSGBUF_PACKED) and n bytes; NULL when out
 * of memory. A long one is packed, once for all who get it. */
struct msgbuf *msgbuf_new(char type, const void *data, size_t n);

/* The same for what can't be packed any further. */
struct msgbuf *msgbuf_as_is(char type, const void *data, size_t n);

/* Let go of it; a secure_conn that still has to send it keeps it. NULL is
 * allowed. */
void msgbuf_drop(struct msgbuf *msgbuf);

/* What waits to be sent, in order. */

struct queued;

struct msgqueue {
	struct queued *first, **last;
	size_t bytes; /* of all */
	size_t limit; /* 0: none */
};

void msgqueue_init(struct msgqueue *queue);
void msgqueue_clear(struct msgqueue *queue);

/* It keeps the message until it is dropped here. Returns 0, or -1 when out of
 * memory; 1: there would be more than `limit` bytes. */
int msgqueue_add(struct msgqueue *queue, struct msgbuf *msgbuf);

/* NULL: nothing waits. */
struct msgbuf *msgqueue_first(const struct msgqueue *queue);
void msgqueue_drop_first(struct msgqueue *queue);
