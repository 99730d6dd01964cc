/* SPDX-License-Identifier: Apache-2.0 */
/* What waits to be sent on a secure_conn, in order. */
#ifndef DT_HELPERS_CONN_MSGQUEUE_H
#define DT_HELPERS_CONN_MSGQUEUE_H

#include "helpers/conn/msgbuf.h"

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
const struct msgbuf *msgqueue_first(const struct msgqueue *queue);
void msgqueue_drop_first(struct msgqueue *queue);

#endif
