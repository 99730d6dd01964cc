/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/step/query.h"

#include "core/base/array.h"
#include "helpers/conn/message.h"
#include "helpers/server/server.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_SIZE 32 /* in front of what a launcher tells */
/* After the launchers' own time: what they have found is on its way. */
#define LATE_MS 500

struct queries {
	struct controller *c;
	struct query *first;
	unsigned number; /* of the last one */
};

struct query {
	struct queries *all;
	struct query *next, **prev;
	unsigned number;
	unsigned nawaited;
	bool *asked, *seen; /* by member; one that is lost isn't asked */
	struct loop_timer deadline;
	struct query_calls calls;
};

/* --- all launchers --- */

static unsigned nmembers(const struct query *k)
{
	return k->all->c->members->ntasks;
}

void query_drop(struct query *k)
{
	loop_disarm(k->all->c->loop, &k->deadline);
	LIST_REMOVE(k);
	free(k->asked);
	free(k->seen);
	free(k);
}

static void done(void *arg)
{
	struct query *k = arg;
	struct query_calls calls = k->calls;

	calls.done(calls.arg);
	query_drop(k);
}

static void one_less(struct query *k)
{
	if (--k->nawaited == 0)
		loop_arm(k->all->c->loop, &k->deadline, 0);
}

/* Who isn't here can't be asked. */
static void note_asked(struct query *k)
{
	for (unsigned i = 0; i < nmembers(k); i++) {
		k->asked[i] = controller_node_of(k->all->c, i);
		k->nawaited += k->asked[i];
	}
}

static struct query *new_query(struct queries *all,
			       const struct query_calls *calls)
{
	unsigned n = all->c->members->ntasks;
	struct query *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	*k = (struct query){
		.all = all,
		.number = ++all->number,
		.asked = calloc(n, sizeof(bool)),
		.seen = calloc(n, sizeof(bool)),
		.deadline = {.expired = done, .arg = k},
		.calls = *calls,
	};
	LIST_ADD(&all->first, k);
	if (k->asked && k->seen)
		return k;
	query_drop(k);
	return NULL;
}

struct query *query_begin(struct controller *c, const char *what, long ms,
			  const struct query_calls *calls)
{
	struct query *k = new_query(c->queries, calls);
	char text[QUERY_TEXT_SIZE];
	int n;

	if (!k)
		return NULL;
	note_asked(k);
	if (!k->nawaited) {
		query_drop(k);
		return NULL;
	}
	loop_arm(c->loop, &k->deadline, (uint64_t)ms + LATE_MS);
	n = snprintf(text, sizeof(text), "%u %ld %s", k->number, ms, what);
	server_send_all(controller_server(c), MSG_LOOK, text, (size_t)n);
	return k;
}

bool query_awaits(const struct query *k, unsigned member)
{
	return k->asked[member] && !k->seen[member];
}

unsigned query_nabsent(const struct query *k)
{
	unsigned n = 0;

	for (unsigned i = 0; i < nmembers(k); i++)
		n += !k->asked[i] && !k->seen[i];
	return n;
}

static void on_seen(void *arg, unsigned member, const char *text)
{
	struct controller *c = arg;
	struct query *k = c->queries->first;
	const char *node = controller_node_of(c, member);
	long number;

	if (strlen(text) > SIGHT_MAX + NUMBER_SIZE || !node ||
	    message_number(&text, 0, UINT_MAX, &number) < 0)
		return;
	while (k && k->number != (unsigned long)number)
		k = k->next;
	if (!k || !k->asked[member] || k->seen[member])
		return;
	k->seen[member] = true;
	k->calls.seen(k->calls.arg, member, node, text);
	one_less(k);
}

/* It is asked no more, in none of its lives. */
void query_lost(struct controller *c, unsigned member)
{
	for (struct query *k = c->queries->first; k; k = k->next) {
		if (!k->asked[member])
			continue;
		k->asked[member] = false;
		if (!k->seen[member])
			one_less(k);
	}
	controller_lost(c, member);
}

/* --- the part --- */

static int open(struct controller *c, struct err *err)
{
	c->queries = calloc(1, sizeof(*c->queries));
	if (!c->queries)
		return err_memory(err);
	c->queries->c = c;
	return 0;
}

static void close_all(struct controller *c)
{
	while (c->queries && c->queries->first)
		query_drop(c->queries->first);
	free(c->queries);
	c->queries = NULL;
}

const struct step_part query_of_step = {
	.name = "query",
	.open = open,
	.close = close_all,
	.told =
		(const struct subscription[]){
			{.type = MSG_SEEN, .take = on_seen, .to_the_end = true},
			{0},
		},
};
