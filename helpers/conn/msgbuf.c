/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/msgbuf.h"

#include <stdlib.h>
#include <string.h>

struct msgbuf *msgbuf_new(char type, const void *data, size_t n)
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

void msgbuf_drop(struct msgbuf *msgbuf)
{
	if (msgbuf && --msgbuf->refs == 0)
		free(msgbuf);
}
