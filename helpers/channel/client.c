/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/client.h"

#include "helpers/channel/message.h"
#include "sys/net.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Between two rounds over all ports: at first often, because all launchers of
 * a step start together, then ever less. */
#define RETRY_MS     10
#define RETRY_MAX_MS 1000
#define TRY_MS	     3000 /* for one port to answer: it may be a stranger's */

/* What is to be said when the hub is there. */
struct kept {
	struct kept *next;
	struct parcel *parcel;
};

struct member {
	struct member_options o;
	struct link_step step;
	struct link *link; /* NULL: between two tries */
	bool there;	   /* the hub has proved itself */
	unsigned try, retry_ms;
	int why; /* of the last try */
	struct loop_timer retry, deadline;
	struct kept *first, **last;
};

static void drop_kept(struct member *m)
{
	while (m->first) {
		struct kept *k = m->first;

		m->first = k->next;
		parcel_drop(k->parcel);
		free(k);
	}
	m->last = &m->first;
}

static void give_up(struct member *m, int why)
{
	loop_disarm(m->step.loop, &m->retry);
	loop_disarm(m->step.loop, &m->deadline);
	link_close(m->link);
	m->link = NULL;
	drop_kept(m);
	m->o.lost(m->o.arg, m->there, why);
}

static void too_late(void *arg)
{
	struct member *m = arg;

	give_up(m, m->why ? m->why : ETIMEDOUT);
}

static void opened(void *arg)
{
	struct member *m = arg;

	m->there = true;
	loop_disarm(m->step.loop, &m->deadline);
	loop_disarm(m->step.loop, &m->retry);
	for (struct kept *k = m->first; k; k = k->next)
		link_send(m->link, k->parcel);
	drop_kept(m);
}

static void message(void *arg, char type, const char *data, size_t n)
{
	struct member *m = arg;

	m->o.message(m->o.arg, type, data, n);
}

static void try_next(void *arg);

static void lost(void *arg, int why)
{
	struct member *m = arg;

	if (m->there) {
		give_up(m, why);
		return;
	}
	link_close(m->link);
	m->link = NULL;
	m->why = why;
	loop_arm(m->step.loop, &m->retry, 0);
}

/* The ports are used up: from the beginning, after a pause. */
static void pause_then_retry(struct member *m)
{
	m->try = 0;
	loop_arm(m->step.loop, &m->retry, m->retry_ms);
	if (m->retry_ms < RETRY_MAX_MS)
		m->retry_ms *= 2;
}

static void try_next(void *arg)
{
	struct member *m = arg;
	unsigned port = m->o.port(m->o.port_arg, m->try);
	struct link_events events = {
		.opened = opened,
		.message = message,
		.lost = lost,
		.arg = m,
	};
	struct err err;
	int fd;

	link_close(m->link);
	m->link = NULL;
	if (!port) {
		pause_then_retry(m);
		return;
	}
	m->try++;
	fd = net_connect(m->o.ip, port);
	if (fd >= 0)
		m->link = link_new(&m->step, fd, true, &events, &err);
	else
		m->why = errno;
	loop_arm(m->step.loop, &m->retry, m->link ? TRY_MS : 0);
}

bool member_is_there(const struct member *m)
{
	return m->there;
}

void member_send(struct member *m, char type, const char *data, size_t n)
{
	struct parcel *parcel = parcel_new(type, data, n);
	struct kept *k;

	if (parcel && m->there && m->link) {
		link_send(m->link, parcel);
	} else if (parcel && (k = malloc(sizeof(*k)))) {
		*k = (struct kept){.parcel = parcel};
		*m->last = k;
		m->last = &k->next;
		return;
	}
	parcel_drop(parcel);
}

struct member *member_open(const struct member_options *options,
			   struct err *err)
{
	struct member *m = calloc(1, sizeof(*m));

	if (!m) {
		err_memory(err);
		return NULL;
	}
	m->o = *options;
	m->step = *options->step;
	m->last = &m->first;
	m->retry_ms = RETRY_MS;
	m->retry = (struct loop_timer){.expired = try_next, .arg = m};
	m->deadline = (struct loop_timer){.expired = too_late, .arg = m};
	loop_arm(m->step.loop, &m->deadline,
		 (unsigned long)options->timeout_s * 1000);
	loop_arm(m->step.loop, &m->retry, 0);
	member_send(m, MSG_HELLO, options->hello, strlen(options->hello));
	return m;
}

void member_close(struct member *m)
{
	if (!m)
		return;
	loop_disarm(m->step.loop, &m->retry);
	loop_disarm(m->step.loop, &m->deadline);
	link_close(m->link);
	drop_kept(m);
	free(m);
}
