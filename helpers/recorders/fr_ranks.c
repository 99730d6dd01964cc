/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/recorders/fr_ranks.h"

#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE 204 /* with "..." */

bool fr_ranks_add(struct fr_ranks *r, unsigned rank)
{
	size_t at = r->n;

	if (r->n == r->room) {
		size_t room = r->room ? r->room * 2 : 16;
		unsigned *more = realloc(r->rank, room * sizeof(*more));

		if (!more)
			return false;
		r->rank = more;
		r->room = room;
	}
	while (at && r->rank[at - 1] > rank)
		at--;
	if (at && r->rank[at - 1] == rank)
		return true;
	memmove(r->rank + at + 1, r->rank + at, (r->n - at) * sizeof(*r->rank));
	r->rank[at] = rank;
	r->n++;
	return true;
}

char *fr_ranks_text(const struct fr_ranks *r)
{
	char *text = calloc(1, TEXT_SIZE + 4);
	size_t whole = 0;

	for (size_t i = 0, k; text && i < r->n; i = k) {
		int rc;

		for (k = i + 1; k < r->n && r->rank[k] == r->rank[k - 1] + 1;)
			k++;
		rc = k - i > 1
			     ? text_add(text, TEXT_SIZE, ",", "%u-%u",
					r->rank[i], r->rank[k - 1])
			     : text_add(text, TEXT_SIZE, ",", "%u", r->rank[i]);
		if (rc < 0) {
			strcpy(text + whole, "...");
			break;
		}
		whole = strlen(text);
	}
	return text;
}
