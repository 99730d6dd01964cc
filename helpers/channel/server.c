/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/server.h"

#include "core/base/hostlist.h"
#include "sys/net.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define GUESTS_MAX 256	 /* who have connected and not proved the secret */
#define GUEST_MS   10000 /* the time they have to say who they are */
#define YOUNG_MS   1000	 /* that even a full house gives them */
#define NOBODY	   (~0U)
#define PAUSE_MS   20	/* in which nobody is let in, when all are young */
#define LEAVE_MS   2000 /* for members to take their last message */

/* A connection, which begins as that of a guest. */
struct guest {
	struct hub *hub;
	struct link *link;
	struct guest *next, **prev;
	struct loop_timer hello;
	uint64_t since_ms;
	bool proved;	 /* it has the secret */
	unsigned member; /* or NOBODY */
	char node[HOSTLIST_NAME_MAX];
};

struct hub {
	struct hub_options o;
	struct link_step step;
	struct referee *referee;
	struct guest **member; /* by number; NULL: not here; 0: ourselves */
	struct guest *guests;  /* all connections */
	unsigned nguests;      /* those that haven't proved the secret */
	struct loop_watch listening;
	struct loop_timer last_wait, pause;
	bool ending; /* all have been told to end their processes */
	bool leaving;
	char leave_code[16];
};

struct referee *hub_referee(struct hub *hub)
{
	return hub->referee;
}

bool hub_has(const struct hub *hub, unsigned member)
{
	return member == 0 || hub->member[member];
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int hub_nodes(const struct hub *hub, struct hub_nodes *ret)
{
	const char **name = calloc(hub->o.n, sizeof(*name));
	size_t n = 0;

	if (!name)
		return -1;
	name[n++] = hub->o.node;
	for (unsigned i = 1; i < hub->o.n; i++)
		if (hub->member[i])
			name[n++] = hub->member[i]->node;
	qsort(name, n, sizeof(*name), compare);
	*ret = (struct hub_nodes){name, n};
	return 0;
}

bool hub_nodes_have(const struct hub_nodes *nodes, const char *node)
{
	return bsearch(&node, nodes->name, nodes->n, sizeof(node), compare);
}

/* Our own launcher leaves last, when all others have had their word. */
static void leave_too(void *arg)
{
	struct hub *hub = arg;

	loop_disarm(hub->step.loop, &hub->last_wait);
	hub->o.message(hub->o.arg, MSG_LEAVE, hub->leave_code,
		       strlen(hub->leave_code));
}

static bool is_empty(const struct hub *hub)
{
	for (unsigned i = 1; i < hub->o.n; i++)
		if (hub->member[i])
			return false;
	return true;
}

static void forget(struct guest *g)
{
	struct hub *hub = g->hub;

	loop_disarm(hub->step.loop, &g->hello);
	link_close(g->link);
	*g->prev = g->next;
	if (g->next)
		g->next->prev = g->prev;
	hub->nguests -= !g->proved;
	if (g->member != NOBODY)
		hub->member[g->member] = NULL;
	free(g);
}

static void guest_lost(void *arg, int why)
{
	struct guest *g = arg;
	struct hub *hub = g->hub;
	unsigned member = g->member;
	char node[HOSTLIST_NAME_MAX];

	memcpy(node, g->node, sizeof(node));
	forget(g);
	if (member == NOBODY)
		return;
	if (!hub->leaving)
		referee_lost(hub->referee, member, node, why,
			     hub->step.lease_s);
	else if (is_empty(hub))
		leave_too(hub);
}

static void guest_opened(void *arg)
{
	struct guest *g = arg;

	g->proved = true; /* the next message is its MSG_HELLO */
	g->hub->nguests--;
}

static void too_slow(void *arg)
{
	guest_lost(arg, ETIMEDOUT);
}

/* Who it is. Returns 0, or -1 when that makes no sense, or is said twice. */
static int take_hello(struct guest *g, const char *data)
{
	struct hub *hub = g->hub;
	unsigned version, member;
	char node[HOSTLIST_NAME_MAX];

	if (g->member != NOBODY ||
	    sscanf(data, "%u %u %255s", &version, &member, node) != 3 ||
	    version != MESSAGE_VERSION || member == 0 || member >= hub->o.n ||
	    hub->member[member])
		return -1;
	memcpy(g->node, node, sizeof(node));
	g->member = member;
	hub->member[member] = g;
	loop_disarm(hub->step.loop, &g->hello);
	return 0;
}

static void send_to(struct guest *g, struct parcel *parcel)
{
	if (g && parcel)
		link_send(g->link, parcel);
}

static void send_one(struct guest *g, char type, const char *data, size_t n)
{
	struct parcel *parcel = parcel_new(type, data, n);

	send_to(g, parcel);
	parcel_drop(parcel);
}

/* Who comes late has missed what all have been told. */
static void welcome(struct guest *g)
{
	const struct hub *hub = g->hub;

	if (hub->leaving)
		send_one(g, MSG_LEAVE, hub->leave_code,
			 strlen(hub->leave_code));
	else if (hub->ending)
		send_one(g, MSG_END, "0", 1);
}

static void guest_message(void *arg, char type, const char *data, size_t n)
{
	struct guest *g = arg;
	struct hub *hub = g->hub;

	if (g->member == NOBODY && type != MSG_HELLO) {
		forget(g);
		return;
	}
	if (type == MSG_HELLO && take_hello(g, data) < 0) {
		guest_lost(g, EPROTO);
		return;
	}
	if (type == MSG_HELLO)
		welcome(g);
	else if (type == MSG_UP)
		hub->o.up(hub->o.arg, (unsigned)strtoul(data, NULL, 10));
	else
		referee_hear(hub->referee, g->member, type, data, n);
}

static void let_in(struct hub *hub, int fd)
{
	struct guest *g = calloc(1, sizeof(*g));
	struct link_events events = {
		.opened = guest_opened,
		.message = guest_message,
		.lost = guest_lost,
		.arg = g,
	};
	struct err err;

	if (!g) {
		close(fd);
		return;
	}
	*g = (struct guest){
		.hub = hub,
		.member = NOBODY,
		.since_ms = loop_now_ms(),
		.next = hub->guests,
		.prev = &hub->guests,
		.hello = {.expired = too_slow, .arg = g},
		.link = link_new(&hub->step, fd, false, &events, &err),
	};
	if (!g->link) {
		free(g);
		return;
	}
	if (g->next)
		g->next->prev = &g->next;
	hub->guests = g;
	hub->nguests++;
	loop_arm(hub->step.loop, &g->hello, GUEST_MS);
}

/* Strangers must not keep members out: the oldest guest goes, unless it is
 * still young, as a thousand members who come at once are. Returns whether one
 * went. */
static bool make_room(struct hub *hub)
{
	struct guest *oldest = NULL;

	for (struct guest *g = hub->guests; g; g = g->next)
		if (!g->proved)
			oldest = g;
	if (!oldest || loop_now_ms() - oldest->since_ms < YOUNG_MS)
		return false;
	forget(oldest);
	return true;
}

static void listen_again(void *arg)
{
	struct hub *hub = arg;
	struct err err;

	loop_watch(hub->step.loop, &hub->listening, EPOLLIN, &err);
}

static void knocked(void *arg, uint32_t events)
{
	struct hub *hub = arg;
	int fd = -1;

	(void)events;
	if (hub->nguests < GUESTS_MAX || make_room(hub))
		fd = accept4(hub->listening.fd, NULL, NULL,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0) {
		let_in(hub, fd);
	} else if (!make_room(hub)) {
		loop_remove(hub->step.loop, &hub->listening);
		loop_arm(hub->step.loop, &hub->pause, PAUSE_MS);
	}
}

/* Our own launcher hears it last; MSG_LEAVE when the others are gone. */
static void send_all(struct hub *hub, char type, const char *data, size_t n)
{
	struct parcel *parcel = parcel_new(type, data, n);

	for (unsigned i = 1; i < hub->o.n; i++)
		send_to(hub->member[i], parcel);
	parcel_drop(parcel);
	if (type == MSG_END || type == MSG_GO)
		hub->ending = type == MSG_END;
	if (type != MSG_LEAVE) {
		hub->o.message(hub->o.arg, type, data, n);
		return;
	}
	hub->leaving = true;
	snprintf(hub->leave_code, sizeof(hub->leave_code), "%s", data);
	loop_arm(hub->step.loop, &hub->last_wait, is_empty(hub) ? 0 : LEAVE_MS);
}

static void referee_sends(void *arg, unsigned member, char type,
			  const char *data, size_t n)
{
	struct hub *hub = arg;

	if (member == REFEREE_ALL)
		send_all(hub, type, data, n);
	else if (member == 0)
		hub->o.message(hub->o.arg, type, data, n);
	else
		send_one(hub->member[member], type, data, n);
}

static void referee_says(void *arg, const char *line)
{
	struct hub *hub = arg;

	hub->o.say(hub->o.arg, line);
}

static bool is_here(const void *arg, unsigned member)
{
	return hub_has(arg, member);
}

static int start_listening(struct hub *hub, struct err *err)
{
	unsigned port, try = 0;

	for (; (port = hub->o.port(hub->o.port_arg, try)) != 0; try++) {
		hub->listening.fd = net_listen(port);
		if (hub->listening.fd >= 0)
			return loop_watch(hub->step.loop, &hub->listening,
					  EPOLLIN, err);
		if (errno != EADDRINUSE)
			return err_printf(err,
					  "port %u can't be listened on: "
					  "%s",
					  port, strerror(errno));
	}
	return err_printf(err,
			  "%u ports for the launchers were tried, and all "
			  "are in use",
			  try);
}

struct hub *hub_open(const struct hub_options *options,
		     const struct referee_options *referee, struct err *err)
{
	struct hub *hub = calloc(1, sizeof(*hub));
	struct referee_options o = *referee;

	if (!hub) {
		err_memory(err);
		return NULL;
	}
	hub->o = *options;
	hub->step = *options->step;
	hub->listening =
		(struct loop_watch){.fd = -1, .ready = knocked, .arg = hub};
	hub->last_wait = (struct loop_timer){.expired = leave_too, .arg = hub};
	hub->pause = (struct loop_timer){.expired = listen_again, .arg = hub};
	hub->member = calloc(options->n, sizeof(struct guest *));
	o.send = referee_sends;
	o.say = referee_says;
	o.here = is_here;
	o.arg = hub;
	o.n = options->n;
	hub->referee = hub->member ? referee_new(&o, err) : NULL;
	if (hub->referee && (o.n == 1 || start_listening(hub, err) == 0))
		return hub;
	if (!hub->member)
		err_memory(err);
	hub_close(hub);
	return NULL;
}

void hub_close(struct hub *hub)
{
	if (!hub)
		return;
	while (hub->guests)
		forget(hub->guests);
	loop_disarm(hub->step.loop, &hub->last_wait);
	loop_disarm(hub->step.loop, &hub->pause);
	loop_remove(hub->step.loop, &hub->listening);
	if (hub->listening.fd >= 0)
		close(hub->listening.fd);
	referee_free(hub->referee);
	free(hub->member);
	free(hub);
}
