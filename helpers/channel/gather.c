/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/gather.h"

#include <stdlib.h>
#include <string.h>

struct piece {
	char *data;
	size_t n;
	bool there;
};

struct gather {
	struct piece *piece;
	unsigned n, nthere;
	size_t size;
};

struct gather *gather_new(unsigned n)
{
	struct gather *c = calloc(1, sizeof(*c));

	if (c)
		c->piece = calloc(n, sizeof(*c->piece));
	if (!c || !c->piece) {
		free(c);
		return NULL;
	}
	c->n = n;
	return c;
}

int gather_add(struct gather *c, unsigned member, const char *data, size_t n)
{
	struct piece *p = &c->piece[member];

	if (p->there)
		return 0;
	if (n > GATHER_MAX - c->size)
		return -1;
	p->data = malloc(n + 1);
	if (!p->data)
		return -1;
	memcpy(p->data, data, n);
	p->n = n;
	p->there = true;
	c->size += n;
	return ++c->nthere == c->n;
}

char *gather_join(struct gather *c, size_t *ret_n)
{
	char *all = malloc(c->size + 1), *at = all;

	if (!all)
		return NULL;
	for (unsigned i = 0; i < c->n; i++) {
		struct piece *p = &c->piece[i];

		if (p->n)
			memcpy(at, p->data, p->n);
		at += p->n;
		free(p->data);
		p->data = NULL;
		p->n = 0;
	}
	*at = '\0';
	*ret_n = c->size;
	return all;
}

void gather_free(struct gather *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < c->n; i++)
		free(c->piece[i].data);
	free(c->piece);
	free(c);
}
