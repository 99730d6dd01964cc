/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/msgbuf.h"

#include <stdlib.h>

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

const struct msgbuf *msgqueue_first(const struct msgqueue *queue)
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
