/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/newcomers.h"

#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

#define YOUNG_MS 1000 /* the time that a peer has in a crowd */
/* An address with more than that part of all places is no node of a step. */
#define LARGE_PART 4

struct newcomer_source {
	struct newcomer_source *next, **prev;
	struct in6_addr address;
	unsigned n;
};

static struct in6_addr source_of(const union newcomer_address *a)
{
	struct in6_addr address = IN6ADDR_ANY_INIT;

	if (a->any.sa_family == AF_INET6) {
		address = a->v6.sin6_addr;
		if (!IN6_IS_ADDR_V4MAPPED(&address))
			memset(address.s6_addr + 8, 0, 8);
	} else if (a->any.sa_family == AF_INET) {
		address.s6_addr[10] = address.s6_addr[11] = 0xff;
		memcpy(address.s6_addr + 12, &a->v4.sin_addr, 4);
	}
	return address;
}

static struct newcomer_source *find_source(struct newcomers *all,
					   const struct in6_addr *address)
{
	struct newcomer_source *s = all->sources;

	while (s && memcmp(&s->address, address, sizeof(*address)) != 0)
		s = s->next;
	if (s)
		return s;
	s = malloc(sizeof(*s));
	if (!s)
		return NULL;
	*s = (struct newcomer_source){.address = *address};
	LIST_ADD(&all->sources, s);
	return s;
}

static void leave_source(struct newcomers *all, struct newcomer_source *s)
{
	if (--s->n)
		return;
	LIST_REMOVE(s);
	if (all->newest_source == s)
		all->newest_source = NULL;
	free(s);
}

int newcomers_add(struct newcomers *all, struct newcomer *newcomer,
		  struct connection *connection,
		  const union newcomer_address *address, uint64_t now_ms)
{
	struct in6_addr from = source_of(address);
	struct newcomer_source *source = find_source(all, &from);

	if (!source)
		return -1;
	if (!all->oldest)
		all->last = &all->oldest;
	*newcomer = (struct newcomer){
		.connection = connection,
		.source = source,
		.prev = all->last,
		.since_ms = now_ms,
	};
	*all->last = newcomer;
	all->last = &newcomer->next;
	all->newest_source = source;
	source->n++;
	all->n++;
	return 0;
}

void newcomers_remove(struct newcomers *all, struct newcomer *newcomer)
{
	if (!newcomer->source)
		return;
	*newcomer->prev = newcomer->next;
	if (newcomer->next)
		newcomer->next->prev = newcomer->prev;
	else
		all->last = newcomer->prev;
	leave_source(all, newcomer->source);
	newcomer->source = NULL;
	all->n--;
}

struct newcomer *newcomers_who_goes(const struct newcomers *all, unsigned max,
				    uint64_t now_ms)
{
	const struct newcomer_source *most = all->sources;
	unsigned nown = all->newest_source ? all->newest_source->n : 0;
	struct newcomer *oldest = all->oldest;

	if (!oldest)
		return NULL;
	for (const struct newcomer_source *s = most; s; s = s->next)
		if (s->n > most->n)
			most = s;
	while (oldest->source != most)
		oldest = oldest->next;
	if (most->n >= 2 * (nown + 1) || most->n > max / LARGE_PART ||
	    now_ms - oldest->since_ms >= YOUNG_MS)
		return oldest;
	return NULL;
}
