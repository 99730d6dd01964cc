/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/recovery/candidates.h"

#include "core/base/cleanup.h"
#include "helpers/conn/message.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *candidates_text(const struct candidates *c)
{
	cleanup_free char *here = places_text(&c->here);
	char *text = NULL;
	size_t size;
	FILE *f = here ? open_memstream(&text, &size) : NULL;

	if (!f)
		return NULL;
	fprintf(f, "%u %u %u %s", c->term, c->nrestarts, c->centre, here);
	for (unsigned i = 0; i < c->n; i++)
		fprintf(f, " %u:%u:%s", c->list[i].node, c->list[i].port,
			c->list[i].ip);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

/* NODE:PORT:IP, up to a blank or the end, which *text is moved past. */
static int parse_one(const char **text, unsigned nnodes, struct candidate *ret)
{
	size_t n = strcspn(*text, " ");
	char one[128];
	int used = 0;

	if (n >= sizeof(one))
		return -1;
	snprintf(one, sizeof(one), "%.*s", (int)n, *text);
	if (sscanf(one, "%7u:%5u:%63s%n", &ret->node, &ret->port, ret->ip,
		   &used) != 3 ||
	    used != (int)n || ret->node >= nnodes || !ret->port ||
	    ret->port > UINT16_MAX)
		return -1;
	*text += n + ((*text)[n] == ' ');
	return 0;
}

int candidates_parse(const char *text, unsigned nnodes, struct candidates *ret)
{
	struct candidates c = {0};
	cleanup_free char *here = NULL;
	long term, nrestarts, centre;
	struct err err;
	size_t n;

	if (message_number(&text, 0, INT_MAX, &term) < 0 ||
	    message_number(&text, 0, INT_MAX, &nrestarts) < 0 ||
	    message_number(&text, 0, (long)nnodes - 1, &centre) < 0)
		return -1;
	n = strcspn(text, " ");
	here = strndup(text, n);
	text += n + (text[n] == ' ');
	for (; *text; c.n++)
		if (c.n == CANDIDATES_MAX ||
		    parse_one(&text, nnodes, &c.list[c.n]) < 0)
			return -1;
	if (!here || places_parse(here, nnodes, &c.here, &err) < 0)
		return -1;
	c.term = (unsigned)term;
	c.nrestarts = (unsigned)nrestarts;
	c.centre = (unsigned)centre;
	*ret = c;
	return 0;
}

void candidates_clear(struct candidates *c)
{
	places_clear(&c->here);
	*c = (struct candidates){0};
}
