/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/msgbuf.h"

#include "helpers/conn/pack.h"

#include <stdlib.h>
#include <string.h>

#define PACK_MIN 4096 /* bytes; less is sent as fast as it is packed */

struct msgbuf *msgbuf_as_is(char type, const void *data, size_t n)
{
	struct msgbuf *p = malloc(sizeof(*p) + 1 + n);

	if (!p)
		return NULL;
	p->refs = 1;
	p->n = n + 1;
	p->data[0] = type;
	if (n)
		memcpy(p->data + 1, data, n);
	return p;
}

struct msgbuf *msgbuf_new(char type, const void *data, size_t n)
{
	struct msgbuf *plain = msgbuf_as_is(type, data, n), *packed;
	cleanup_free char *bytes = NULL;

	if (!plain || n < PACK_MIN)
		return plain;
	bytes = pack(plain->data, plain->n, &n);
	packed = bytes ? msgbuf_as_is(MSGBUF_PACKED, bytes, n) : NULL;
	if (!packed)
		return plain;
	msgbuf_drop(plain);
	return packed;
}

void msgbuf_drop(struct msgbuf *msgbuf)
{
	if (msgbuf && --msgbuf->refs == 0)
		free(msgbuf);
}

/* --- queues --- */

struct queued {
	struct queued *next;
	struct msgbuf *msgbuf;
};

void msgqueue_init(struct msgqueue *queue)
{
	*queue = (struct msgqueue){.last = &queue->first};
}

int msgqueue_add(struct msgqueue *queue, struct msgbuf *msgbuf)
{
	struct queued *q;

	if (queue->limit && queue->bytes + msgbuf->n > queue->limit)
		return 1;
	q = malloc(sizeof(*q));
	if (!q)
		return -1;
	*q = (struct queued){.msgbuf = msgbuf};
	msgbuf->refs++;
	queue->bytes += msgbuf->n;
	*queue->last = q;
	queue->last = &q->next;
	return 0;
}

struct msgbuf *msgqueue_first(const struct msgqueue *queue)
{
	return queue->first ? queue->first->msgbuf : NULL;
}

void msgqueue_drop_first(struct msgqueue *queue)
{
	struct queued *q = queue->first;

	queue->first = q->next;
	if (!queue->first)
		queue->last = &queue->first;
	queue->bytes -= q->msgbuf->n;
	msgbuf_drop(q->msgbuf);
	free(q);
}

void msgqueue_clear(struct msgqueue *queue)
{
	while (queue->first)
		msgqueue_drop_first(queue);
}
