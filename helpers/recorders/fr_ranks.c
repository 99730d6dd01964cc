/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/recorders/fr_verdict.h"

#include "core/base/array.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE 201

bool fr_ranks_add(struct fr_ranks *r, unsigned rank)
{
	size_t at = r->n;

	if (!array_append(&r->rank, r->n, sizeof(*r->rank)))
		return false;
	while (at && r->rank[at - 1] > rank)
		at--;
	if (at && r->rank[at - 1] == rank)
		return true;
	memmove(r->rank + at + 1, r->rank + at, (r->n - at) * sizeof(*r->rank));
	r->rank[at] = rank;
	r->n++;
	return true;
}

static long rank_at(const void *ranks, size_t i)
{
	return ((const struct fr_ranks *)ranks)->rank[i];
}

char *fr_ranks_text(const struct fr_ranks *r)
{
	char *text = malloc(TEXT_SIZE);

	if (text)
		ranges_text(text, TEXT_SIZE, r->n, rank_at, r);
	return text;
}
