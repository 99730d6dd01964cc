/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/step/stage_hosts.h"

#include "core/option/option.h"
#include "helpers/conn/message.h"
#include "helpers/copies/stage_plan.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY (~0U)

/* There may be a second one that the first one needs (a Python). */
#define THINGS_MAX (2 * STAGE_PATHS_MAX)

enum place_state {
	PLACE_OUT, /* it hasn't asked, has left, or can't */
	PLACE_WAITS,
	PLACE_READS,
	PLACE_TAKES, /* from another one */
	PLACE_HAS,
};

/* What a launcher is to a thing. */
struct place {
	enum place_state state;
	unsigned from, last; /* NOBODY */
	unsigned port, nguests, tries;
	bool spoke;		  /* it has told anything of the thing */
	unsigned long long bytes; /* that are there */
};

struct thing {
	struct place *place; /* by launcher; NULL: nobody has spoken of it */
	char why[256];	     /* nobody may have it; "" */
	unsigned long long bytes;
	char path[512];
};

struct stage_hosts {
	struct stage_hosts_options o;
	char *plan;	/* NULL: not known */
	unsigned looks; /* who finds out; or NOBODY */
	/* By launcher: it waits for the plan; has ever asked; has all. */
	struct asker {
		bool waits, asked, done;
	} * asker;
	struct thing thing[THINGS_MAX];
};

static void tell(const struct stage_hosts *c, unsigned member, const char *fmt,
		 long thing, const char *more)
{
	char text[512];

	snprintf(text, sizeof(text), "%s %ld%s%s", fmt, thing, *more ? " " : "",
		 more);
	c->o.tell(c->o.arg, member, text);
}

/* --- the plan --- */

static void tell_plan(struct stage_hosts *c, unsigned member)
{
	c->asker[member].waits = false;
	c->o.tell(c->o.arg, member, c->plan);
}

static void let_look(struct stage_hosts *c, unsigned member)
{
	c->looks = member;
	c->o.tell(c->o.arg, member, "look");
}

static void note_ask(struct stage_hosts *c, unsigned member)
{
	c->asker[member].waits = c->asker[member].asked = true;
	if (c->plan)
		tell_plan(c, member);
	else if (c->looks == NOBODY || c->looks == member)
		let_look(c, member);
}

/* Its things, for who asks how far it is. */
static void read_plan(struct stage_hosts *c)
{
	const char *text = c->plan, *remark;
	struct stage_thing t;
	size_t n;
	long i = 0;
	int rc;

	while (i < THINGS_MAX &&
	       (rc = stage_plan_next(&text, &t, &remark, &n)) != 0)
		if (rc == 1) {
			c->thing[i].bytes = t.sum.bytes;
			snprintf(c->thing[i].path, sizeof(c->thing[i].path),
				 "%.500s", t.path);
			i++;
		}
}

static void note_plan(struct stage_hosts *c, unsigned member, const char *text)
{
	if (c->plan || member != c->looks)
		return;
	c->plan = strdup(text);
	if (c->plan)
		read_plan(c);
	for (unsigned i = 0; i < c->o.n && c->plan; i++)
		if (c->asker[i].waits)
			tell_plan(c, i);
}

/* --- who gets a thing from whom --- */

/* It is nobody's guest any more. */
static void release(struct thing *t, unsigned member)
{
	struct place *p = &t->place[member];

	if (p->from != NOBODY && t->place[p->from].nguests)
		t->place[p->from].nguests--;
	p->last = p->from;
	p->from = NOBODY;
}

/* Moves behind each other until it is there. NOBODY: it isn't, and doesn't
 * come. */
static unsigned depth_of(const struct thing *t, unsigned member)
{
	const struct place *p = &t->place[member];
	unsigned depth = 0;

	for (; p->state == PLACE_TAKES; p = &t->place[p->from])
		depth++;
	return p->state == PLACE_READS || p->state == PLACE_HAS ? depth
								: NOBODY;
}

/* The one that has it soonest, with fewer guests; not the one that has just
 * failed, where there is another. NOBODY: all have enough, or there is none. */
static unsigned find_host(const struct stage_hosts *c, const struct thing *t,
			  const struct place *guest)
{
	unsigned best = NOBODY, best_rank = NOBODY;

	for (unsigned i = 0; i < c->o.n; i++) {
		const struct place *p = &t->place[i];
		unsigned rank;

		if (!p->port || p->nguests >= STAGE_GUESTS)
			continue;
		rank = depth_of(t, i);
		if (rank == NOBODY)
			continue;
		rank = rank * STAGE_GUESTS + p->nguests +
		       (i == guest->last ? NOBODY / 2 : 0);
		if (rank < best_rank) {
			best = i;
			best_rank = rank;
		}
	}
	return best;
}

/* One that will give it to others. */
static bool is_coming(const struct stage_hosts *c, const struct thing *t)
{
	for (unsigned i = 0; i < c->o.n; i++) {
		const struct place *p = &t->place[i];

		if (p->state == PLACE_READS || p->state == PLACE_TAKES ||
		    (p->state == PLACE_HAS && p->port))
			return true;
	}
	return false;
}

/* Who has looked at it reads it, whose node knows its files by now, or another
 * one of that node, for whose lock that one waits: nobody else before it has
 * said that it has or can't have it. */
static bool is_the_lookers(const struct stage_hosts *c, const struct thing *t,
			   unsigned member)
{
	const struct place *p = c->looks == NOBODY ? NULL : &t->place[c->looks];

	return p && !c->o.same_node(c->o.arg, c->looks, member) &&
	       c->asker[c->looks].asked &&
	       (!p->spoke || p->state == PLACE_WAITS);
}

static void let_read(struct stage_hosts *c, long thing, unsigned member)
{
	c->thing[thing].place[member].state = PLACE_READS;
	tell(c, member, "read", thing, "");
}

static void let_take(struct stage_hosts *c, long thing, unsigned member,
		     unsigned host)
{
	struct place *p = &c->thing[thing].place[member];
	char ip[IP_TEXT_SIZE], where[IP_TEXT_SIZE + 16];

	if (c->o.address(c->o.arg, host, ip) < 0) {
		let_read(c, thing, member);
		return;
	}
	p->state = PLACE_TAKES;
	p->from = host;
	c->thing[thing].place[host].nguests++;
	snprintf(where, sizeof(where), "%u %s",
		 c->thing[thing].place[host].port, ip);
	tell(c, member, "from", thing, where);
}

static void serve(struct stage_hosts *c, long thing, unsigned member)
{
	struct thing *t = &c->thing[thing];
	struct place *p = &t->place[member];
	unsigned host = find_host(c, t, p);

	if (*t->why) {
		p->state = PLACE_OUT;
		tell(c, member, "none", thing, t->why);
	} else if (p->tries >= STAGE_TRIES) {
		let_read(c, thing, member);
	} else if (host != NOBODY) {
		let_take(c, thing, member, host);
	} else if (!is_coming(c, t) && !is_the_lookers(c, t, member)) {
		let_read(c, thing, member);
	}
}

static void serve_all(struct stage_hosts *c, long thing)
{
	for (unsigned i = 0; i < c->o.n; i++)
		if (c->thing[thing].place[i].state == PLACE_WAITS)
			serve(c, thing, i);
}

/* --- what launchers tell of it --- */

static void note_lack(struct stage_hosts *c, long thing, unsigned member)
{
	struct place *p = &c->thing[thing].place[member];

	if (p->state == PLACE_TAKES || p->state == PLACE_READS)
		p->tries++;
	release(&c->thing[thing], member);
	p->state = PLACE_WAITS;
	p->port = 0;
}

static void note_port(struct stage_hosts *c, long thing, unsigned member,
		      const char *text, bool has)
{
	struct place *p = &c->thing[thing].place[member];
	long port;

	if (message_number(&text, 0, UINT16_MAX, &port) < 0)
		return;
	p->port = (unsigned)port;
	if (!has)
		return;
	release(&c->thing[thing], member);
	p->state = PLACE_HAS;
}

static void note_out(struct stage_hosts *c, long thing, unsigned member)
{
	release(&c->thing[thing], member);
	c->thing[thing].place[member].state = PLACE_OUT;
}

static int make_places(struct stage_hosts *c, struct thing *t)
{
	if (t->place)
		return 0;
	t->place = calloc(c->o.n, sizeof(*t->place));
	for (unsigned i = 0; t->place && i < c->o.n; i++)
		t->place[i].from = t->place[i].last = NOBODY;
	return t->place ? 0 : -1;
}

/* WORD N ... */
static void note_thing(struct stage_hosts *c, unsigned member, const char *word,
		       const char *text)
{
	long thing;

	if (message_number(&text, 0, THINGS_MAX - 1, &thing) < 0 ||
	    make_places(c, &c->thing[thing]) < 0)
		return;
	c->thing[thing].place[member].spoke = true;
	if (!strncmp(word, "lack ", 5)) {
		note_lack(c, thing, member);
	} else if (!strncmp(word, "came ", 5)) {
		c->thing[thing].place[member].bytes = strtoull(text, NULL, 10);
		return;
	} else if (!strncmp(word, "have ", 5)) {
		note_port(c, thing, member, text, true);
	} else if (!strncmp(word, "fills ", 6)) {
		note_port(c, thing, member, text, false);
	} else if (!strncmp(word, "fail ", 5)) {
		note_out(c, thing, member);
	} else if (!strncmp(word, "void ", 5)) {
		note_out(c, thing, member);
		snprintf(c->thing[thing].why, sizeof(c->thing[thing].why), "%s",
			 *text ? text : "it can't be read");
	} else {
		return;
	}
	serve_all(c, thing);
}

void stage_hosts_note(struct stage_hosts *c, unsigned member, const char *text)
{
	const char *more;

	if (member >= c->o.n)
		return;
	if (!strcmp(text, "done"))
		c->asker[member].done = true;
	else if (!strcmp(text, "ask"))
		note_ask(c, member);
	else if (!strncmp(text, "plan", 4))
		note_plan(c, member, text);
	else if (*(more = text + strcspn(text, " ")))
		note_thing(c, member, text, more + 1);
}

static void sum_thing(const struct stage_hosts *c, const struct thing *t,
		      struct stage_sum *ret)
{
	bool busy = false;

	for (unsigned i = 0; i < c->o.n; i++) {
		const struct place *p = &t->place[i];
		bool has = p->state == PLACE_HAS;
		unsigned long long bytes =
			has || p->bytes > t->bytes ? t->bytes : p->bytes;

		busy = busy || (p->state != PLACE_OUT && !has);
		ret->any = ret->any || has;
		if (p->state == PLACE_OUT)
			continue;
		ret->bytes += bytes;
		ret->best = bytes > ret->best ? bytes : ret->best;
	}
	if (busy && !*ret->path)
		snprintf(ret->path, sizeof(ret->path), "%s", t->path);
}

void stage_hosts_sum(const struct stage_hosts *c, struct stage_sum *ret)
{
	*ret = (struct stage_sum){.asked = 0};
	for (unsigned i = 0; i < c->o.n; i++) {
		ret->asked += c->asker[i].asked;
		ret->done += c->asker[i].done;
	}
	for (long i = 0; i < THINGS_MAX; i++) {
		ret->of += c->thing[i].bytes;
		if (c->thing[i].place)
			sum_thing(c, &c->thing[i], ret);
	}
}

void stage_hosts_lost(struct stage_hosts *c, unsigned member)
{
	if (member >= c->o.n)
		return;
	c->asker[member] = (struct asker){.waits = false};
	for (long i = 0; i < THINGS_MAX; i++)
		if (c->thing[i].place) {
			note_out(c, i, member);
			serve_all(c, i);
		}
	if (c->plan || c->looks != member)
		return;
	c->looks = NOBODY;
	for (unsigned i = 0; i < c->o.n && c->looks == NOBODY; i++)
		if (c->asker[i].waits)
			let_look(c, i);
}

struct stage_hosts *stage_hosts_new(const struct stage_hosts_options *o)
{
	struct stage_hosts *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->o = *o;
	c->looks = NOBODY;
	c->asker = calloc(o->n, sizeof(*c->asker));
	if (c->asker)
		return c;
	free(c);
	return NULL;
}

void stage_hosts_free(struct stage_hosts *c)
{
	if (!c)
		return;
	for (long i = 0; i < THINGS_MAX; i++)
		free(c->thing[i].place);
	free(c->plan);
	free(c->asker);
	free(c);
}
