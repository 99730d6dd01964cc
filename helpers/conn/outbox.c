/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/msgbuf.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

unsigned char *outbox_put(struct outbox *box, size_t n)
{
	unsigned char *bytes = realloc(box->bytes, box->n + n);

	if (!bytes)
		return NULL;
	box->bytes = bytes;
	box->n += n;
	return bytes + box->n - n;
}

bool outbox_has_bytes(const struct outbox *box)
{
	return box->ngone < box->n;
}

bool outbox_is_empty(const struct outbox *box)
{
	return !msgqueue_first(&box->queue) && !outbox_has_bytes(box);
}

static void drop_bytes(struct outbox *box)
{
	free(box->bytes);
	box->bytes = NULL;
	box->n = box->ngone = 0;
}

/* Seal the next piece of what waits, when the last one has gone. Returns 0 or
 * -1. */
static int fill(struct outbox *box, struct seal *seal)
{
	const struct msgbuf *p = msgqueue_first(&box->queue);
	unsigned char *at;
	uint32_t length;
	size_t n;

	if (outbox_has_bytes(box) || !p || !seal)
		return 0;
	n = p->n - box->sent < RECORD_CHUNK ? p->n - box->sent : RECORD_CHUNK;
	box->n = box->ngone = 0;
	at = outbox_put(box, RECORD_LENGTH + n + SEAL_GROWTH);
	if (!at)
		return -1;
	length = htonl((uint32_t)(n + SEAL_GROWTH));
	memcpy(at, &length, RECORD_LENGTH);
	seal_wrap(seal, p->data + box->sent, n, box->sent + n == p->n,
		  at + RECORD_LENGTH);
	box->sent += n;
	if (box->sent < p->n)
		return 0;
	box->sent = 0;
	msgqueue_drop_first(&box->queue);
	return 0;
}

int outbox_send(struct outbox *box, struct seal *seal, int fd)
{
	int any = 0;

	for (;;) {
		ssize_t n;

		if (fill(box, seal) < 0)
			return -1;
		if (!outbox_has_bytes(box))
			break;
		n = send(fd, box->bytes + box->ngone, box->n - box->ngone,
			 MSG_NOSIGNAL);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return any;
		if (n < 0)
			return -1;
		box->ngone += (size_t)n;
		any = 1;
	}
	drop_bytes(box);
	return any;
}

void outbox_clear(struct outbox *box)
{
	msgqueue_clear(&box->queue);
	drop_bytes(box);
}
