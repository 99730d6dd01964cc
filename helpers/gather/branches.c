/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/gather/branches.h"

#include "helpers/conn/message.h"
#include "helpers/gather/gather.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many inner members there are: about as many as each has to serve. */
#define INNER_MIN 32
#define INNER_MAX 64

#define NOT_INNER (~0U)

/* What a member is to the text. */
struct place {
	unsigned inner; /* whose branch it is in; itself: it is inner;
			   NOT_INNER: neither, or it has got the text */
	bool sent_there;
};

struct branches {
	struct branches_options o;
	struct msgbuf *whole; /* for who gets it from us; NULL: there are no
				 branches */
	char digest[DIGEST_SIZE];
	struct place *place;
	bool *waits; /* by inner member: it hasn't said where it serves */
	struct loop_timer patience;
};

/* --- from us --- */

static void give_whole(struct branches *b, unsigned member)
{
	b->place[member].inner = NOT_INNER;
	if (b->o.here(b->o.arg, member))
		b->o.send(b->o.arg, member, b->whole);
}

static void give_branch(struct branches *b, unsigned inner)
{
	b->waits[inner] = false;
	for (unsigned i = 0; i < b->o.n; i++)
		if (i != inner && b->place[i].inner == inner)
			give_whole(b, i);
}

static void on_patience(void *arg)
{
	struct branches *b = arg;

	for (unsigned i = 0; i < b->o.n; i++)
		if (b->waits[i])
			give_branch(b, i);
}

/* --- to branches --- */

static unsigned count_inner(unsigned n)
{
	unsigned k = INNER_MIN;

	while (k < INNER_MAX && k * k < n)
		k++;
	return k;
}

/* Neighbours by number are a branch: they are near each other, as a rule. */
static int plant(struct branches *b, const unsigned *members, unsigned n)
{
	unsigned ninner = count_inner(n);
	struct msgbuf *first =
		msgbuf_as_is(MSG_SPREAD, b->whole->data, b->whole->n);

	if (!first)
		return -1;
	digest_make(b->whole->data, b->whole->n, b->digest);
	for (unsigned i = 0, inner = 0; i < n; i++) {
		uint64_t at = (uint64_t)i * ninner;

		if (i == 0 || at / n != (at - ninner) / n) {
			inner = members[i];
			b->waits[inner] = true;
		}
		b->place[members[i]] = (struct place){.inner = inner};
	}
	for (unsigned i = 0; i < n; i++)
		if (b->place[members[i]].inner == members[i])
			b->o.send(b->o.arg, members[i], first);
	msgbuf_drop(first);
	loop_arm(b->o.loop, &b->patience, BRANCHES_PATIENCE_MS);
	return 0;
}

int branches_give(struct branches *b, const unsigned *members, unsigned n,
		  char type, const char *text, size_t size)
{
	struct msgbuf *whole = msgbuf_new(type, text, size);

	if (!whole)
		return -1;
	if (!b->whole && n > BRANCHES_FROM &&
	    whole->n > BRANCHES_FROM_BYTES / n) {
		b->whole = whole;
		return plant(b, members, n);
	}
	for (unsigned i = 0; i < n; i++)
		b->o.send(b->o.arg, members[i], whole);
	msgbuf_drop(whole);
	return 0;
}

/* PORT; 0: it can't. */
void branches_serves(struct branches *b, unsigned inner, const char *data)
{
	char ip[IP_TEXT_SIZE], text[IP_TEXT_SIZE + DIGEST_SIZE + 16];
	struct msgbuf *where;
	long port;

	if (!b->waits[inner])
		return;
	if (message_number(&data, 1, UINT16_MAX, &port) < 0 ||
	    b->o.address(b->o.arg, inner, ip) < 0) {
		give_branch(b, inner);
		return;
	}
	b->waits[inner] = false;
	snprintf(text, sizeof(text), "%ld %s %s", port, b->digest, ip);
	where = msgbuf_new(MSG_FETCH, text, strlen(text));
	for (unsigned i = 0; i < b->o.n && where; i++) {
		struct place *p = &b->place[i];

		if (i == inner || p->inner != inner || p->sent_there ||
		    !b->o.here(b->o.arg, i))
			continue;
		p->sent_there = true;
		b->o.send(b->o.arg, i, where);
	}
	msgbuf_drop(where);
}

void branches_asks(struct branches *b, unsigned member)
{
	if (b->place[member].sent_there && b->place[member].inner != NOT_INNER)
		give_whole(b, member);
}

/* Who has been sent to it and hasn't the text yet will ask. */
void branches_lost(struct branches *b, unsigned member)
{
	if (b->waits[member])
		give_branch(b, member);
	b->place[member] = (struct place){.inner = NOT_INNER};
}

struct branches *branches_new(const struct branches_options *options)
{
	struct branches *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->o = *options;
	b->patience = (struct loop_timer){.expired = on_patience, .arg = b};
	b->place = calloc(b->o.n, sizeof(*b->place));
	b->waits = calloc(b->o.n, sizeof(*b->waits));
	for (unsigned i = 0; i < b->o.n && b->place; i++)
		b->place[i].inner = NOT_INNER;
	if (b->place && b->waits)
		return b;
	branches_free(b);
	return NULL;
}

void branches_free(struct branches *b)
{
	if (!b)
		return;
	loop_disarm(b->o.loop, &b->patience);
	msgbuf_drop(b->whole);
	free(b->place);
	free(b->waits);
	free(b);
}
