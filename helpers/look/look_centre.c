/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/server.h"
#include "helpers/look/look_state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE   512
#define NUMBER_SIZE 32 /* in front of what a launcher tells */
/* After the launchers' own time: what they have found is on its way. */
#define LATE_MS 500

struct looking {
	struct look *look;
	struct looking *next, **prev;
	unsigned number;
	unsigned nawaited;
	bool *asked, *seen; /* by member; one that is lost isn't asked */
	struct loop_timer deadline;
	struct looking_calls calls;
};

/* --- all launchers --- */

static unsigned nmembers(const struct look *look)
{
	return look->v->members->ntasks;
}

void looking_drop(struct looking *k)
{
	loop_disarm(k->look->v->loop, &k->deadline);
	*k->prev = k->next;
	if (k->next)
		k->next->prev = k->prev;
	free(k->asked);
	free(k->seen);
	free(k);
}

static void done(void *arg)
{
	struct looking *k = arg;
	struct looking_calls calls = k->calls;

	calls.done(calls.arg);
	looking_drop(k);
}

static void one_less(struct looking *k)
{
	if (--k->nawaited == 0)
		loop_arm(k->look->v->loop, &k->deadline, 0);
}

/* Who isn't here can't be asked. */
static void note_asked(struct looking *k)
{
	for (unsigned i = 0; i < nmembers(k->look); i++) {
		k->asked[i] = session_node_of(k->look->v->session, i);
		k->nawaited += k->asked[i];
	}
}

struct looking *looking_begin(struct launch_view *v, const char *what, long ms,
			      const struct looking_calls *calls)
{
	struct look *look = v->look;
	struct looking *k = calloc(1, sizeof(*k));
	char text[TEXT_SIZE];

	if (!k)
		return NULL;
	*k = (struct looking){
		.look = look,
		.next = look->lookings,
		.prev = &look->lookings,
		.number = ++look->number,
		.asked = calloc(nmembers(look), sizeof(bool)),
		.seen = calloc(nmembers(look), sizeof(bool)),
		.deadline = {.expired = done, .arg = k},
		.calls = *calls,
	};
	if (k->next)
		k->next->prev = &k->next;
	look->lookings = k;
	if (!k->asked || !k->seen) {
		looking_drop(k);
		return NULL;
	}
	note_asked(k);
	if (!k->nawaited) {
		looking_drop(k);
		return NULL;
	}
	loop_arm(v->loop, &k->deadline, (uint64_t)ms + LATE_MS);
	snprintf(text, sizeof(text), "%u %ld %s", k->number, ms, what);
	session_look(v->session, text);
	return k;
}

void look_seen(void *arg, unsigned member, const char *text)
{
	struct launch_view *v = launch_view(arg);
	struct looking *k = v->look->lookings;
	const char *node = session_node_of(v->session, member);
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
void look_lost(void *arg, unsigned member)
{
	struct look *look = arg;

	for (struct looking *k = look->lookings; k; k = k->next) {
		if (!k->asked[member])
			continue;
		k->asked[member] = false;
		if (!k->seen[member])
			one_less(k);
	}
}

/* --- visitors --- */

struct visitor {
	struct look *look;
	struct visitor *next, **prev;
	struct connection *connection;
	struct looking *looking;
};

static void drop_visitor(struct visitor *v)
{
	if (v->looking)
		looking_drop(v->looking);
	*v->prev = v->next;
	if (v->next)
		v->next->prev = v->prev;
	free(v);
}

static void show_end(struct connection *c, const char *text)
{
	server_show(c, MSG_SHOWN, text, strlen(text));
}

static void show(void *arg, unsigned member, const char *node, const char *rows)
{
	struct visitor *v = arg;
	size_t size = strlen(node) + strlen(rows) + 32;
	char *text = malloc(size);
	int n;

	if (!text)
		return;
	n = snprintf(text, size, "%u %s\n%s", member, node, rows);
	server_show(v->connection, MSG_SHOW, text, (size_t)n);
	free(text);
}

static void show_silent(const struct visitor *v, unsigned member)
{
	char text[HOSTLIST_NAME_MAX + 32];
	int n = snprintf(text, sizeof(text), "%u %s", member,
			 session_node_of(v->look->v->session, member));

	server_show(v->connection, MSG_SILENT, text, (size_t)n);
}

/* Who hasn't answered, and how many couldn't be asked. */
static void show_missing(const struct visitor *v)
{
	const struct looking *k = v->looking;
	unsigned nabsent = 0;
	char text[16];
	int n;

	for (unsigned i = 0; i < nmembers(v->look); i++) {
		if (k->asked[i] && !k->seen[i])
			show_silent(v, i);
		nabsent += !k->asked[i] && !k->seen[i];
	}
	if (!nabsent)
		return;
	n = snprintf(text, sizeof(text), "%u", nabsent);
	server_show(v->connection, MSG_ABSENT, text, (size_t)n);
}

static void shown(void *arg)
{
	struct visitor *v = arg;

	show_missing(v);
	v->looking = NULL; /* it goes by itself */
	show_end(v->connection, "");
}

static struct visitor *find_visitor(const struct look *look,
				    const struct connection *c)
{
	struct visitor *v = look->visitors;

	while (v && v->connection != c)
		v = v->next;
	return v;
}

static struct visitor *new_visitor(struct look *look, struct connection *c)
{
	struct visitor *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	*v = (struct visitor){
		.look = look,
		.next = look->visitors,
		.prev = &look->visitors,
		.connection = c,
	};
	if (v->next)
		v->next->prev = &v->next;
	look->visitors = v;
	return v;
}

static bool may_ask(const char *text)
{
	const struct sight_kind *kind =
		look_find_kind(text, strcspn(text, " "));

	return !kind || !kind->no_visitors;
}

/* Who asks again before all has been shown isn't heard. */
void look_came(void *arg, struct connection *c, const char *text)
{
	struct look *look = arg;
	struct visitor *v = find_visitor(look, c);
	struct looking_calls calls = {.seen = show, .done = shown};
	long ms;

	if (!v)
		v = new_visitor(look, c);
	if (!v) {
		show_end(c, "out of memory");
		return;
	}
	calls.arg = v;
	if (v->looking)
		return;
	if (message_number(&text, 1, LOOK_MS_MAX, &ms) < 0)
		show_end(c, "no time is given");
	else if (strlen(text) > TEXT_SIZE / 2)
		show_end(c, "the question is too long");
	else if (!may_ask(text))
		show_end(c, "visitors only look");
	else if (!(v->looking = looking_begin(look->v, text, ms, &calls)))
		show_end(c, "its launchers aren't ready: try again");
}

void look_left(void *arg, struct connection *c)
{
	struct visitor *v = find_visitor(arg, c);

	if (v)
		drop_visitor(v);
}

void look_centre_close(struct look *look)
{
	while (look->visitors)
		drop_visitor(look->visitors);
	while (look->lookings)
		looking_drop(look->lookings);
}
