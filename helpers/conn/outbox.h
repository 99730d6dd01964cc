/* SPDX-License-Identifier: Apache-2.0 */
/* What a secure_conn has to send: bytes in clear before both sides have keys,
 * then the messages that wait, record by record. It has a buffer only while a
 * part of it hasn't been taken by the kernel. */
#ifndef DT_HELPERS_CONN_OUTBOX_H
#define DT_HELPERS_CONN_OUTBOX_H

#include "helpers/conn/msgqueue.h"
#include "helpers/conn/seal.h"

#include <stdbool.h>

#define RECORD_CHUNK  8192 /* of a message in one record */
#define RECORD_LENGTH sizeof(uint32_t)

/* Begin with msgqueue_init(&queue), the rest 0. */
struct outbox {
	struct msgqueue queue;
	/* its own */
	size_t sent; /* of the first message */
	unsigned char *bytes;
	size_t n, ngone;
};

/* Room for n more bytes in clear, for the caller to fill in. NULL when out of
 * memory. */
unsigned char *outbox_put(struct outbox *box, size_t n);

/* Send as much as the kernel takes; messages only where `seal` isn't NULL.
 * Returns 1 when anything has gone, 0, or -1 with errno. */
int outbox_send(struct outbox *box, struct seal *seal, int fd);

/* Whether anything is left. */
bool outbox_has_bytes(const struct outbox *box);
bool outbox_is_empty(const struct outbox *box);

void outbox_clear(struct outbox *box);

#endif
