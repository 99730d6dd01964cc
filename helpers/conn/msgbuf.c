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
