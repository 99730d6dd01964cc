/* SPDX-License-Identifier: Apache-2.0 */
/* The server where a step outlives a lost node: a door that becomes the
 * centre's, and back; who gives no sign of life; an exchange that members may
 * be lost from. */
#include "helpers/arbiter/arbiter_lines.h"
#include "helpers/channel/server_state.h"

#include "core/base/cleanup.h"
#include "core/option/recovery_times.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define TOO_LATE "came after the nodes had told each other their facts"

unsigned server_port(const struct server *server)
{
	return server->connections.step.port;
}

bool office_is_held(const struct server *server)
{
	const struct server_recovery *o = server->o.recovery;

	return server->arbiter && o->in_office(o->arg);
}

/* --- signs of life --- */

bool office_heard(const void *arg, unsigned member, uint64_t since_ms)
{
	const struct server *server = arg;
	const struct server_recovery *o = server->o.recovery;

	if (member == ARBITER_ALL)
		return o->confirmed(o->arg, since_ms);
	return member == server->o.self || server->heard_ms[member] >= since_ms;
}

void office_ask(void *arg)
{
	struct server *server = arg;

	for (unsigned i = 0; i < server->o.n; i++)
		if (server->member[i])
			server_tell(server, i, MSG_ECHO, "", 0);
	server->o.recovery->ask(server->o.recovery->arg);
}

long office_silence_s(const struct server *server, unsigned member,
		      long silent_s)
{
	long s = (long)(loop_now_ms() - server->heard_ms[member]) / 1000;

	return s > silent_s ? s : silent_s;
}

static uint64_t look_ms(const struct server *server)
{
	return recovery_interval_ms(server->o.recovery->lease_s) / 2;
}

/* Time in which this process didn't run isn't silence of the others. */
static void forgive(struct server *server, uint64_t now)
{
	uint64_t late_ms = now - server->look.at_ms;

	for (unsigned i = 0; i < server->o.n; i++) {
		if (!server->member[i])
			continue;
		server->heard_ms[i] += late_ms;
		if (server->heard_ms[i] > now)
			server->heard_ms[i] = now;
	}
}

static void look(void *arg)
{
	struct server *server = arg;
	uint64_t now = loop_now_ms();
	uint64_t lease = recovery_lease_ms(server->o.recovery->lease_s);
	uint64_t fence = recovery_fence_ms(server->o.recovery->lease_s);

	if (!office_is_held(server))
		return;
	if (now > server->look.at_ms)
		forgive(server, now);
	loop_arm(server->connections.step.loop, &server->look, look_ms(server));
	for (unsigned i = 0; i < server->o.n && !server->leaving; i++) {
		if (!server->member[i])
			continue;
		if (now - server->heard_ms[i] >= lease)
			server_lost(server->member[i], ETIMEDOUT);
		else if (now - server->heard_ms[i] >= fence)
			arbiter_silent(server->arbiter, i);
	}
}

/* --- the exchange --- */

/* Somebody who may still tell its piece hasn't yet. */
static bool is_gathering(const struct server *server)
{
	for (unsigned i = 0; i < server->o.n; i++)
		if (!gather_has(server->gather, i) &&
		    arbiter_expects(server->arbiter, i))
			return true;
	return false;
}

static bool needs_all(const struct server *server, unsigned member)
{
	return !server->has_gathered[member] &&
	       gather_has(server->gather, member) && server_has(server, member);
}

static bool is_needed(const struct server *server)
{
	for (unsigned i = 0; i < server->o.n; i++)
		if (needs_all(server, i))
			return true;
	return false;
}

/* Our own launcher is told last. Returns 0, or -1 when out of memory. */
static int tell_gathered(struct server *server, const char *all, size_t n)
{
	cleanup_free unsigned *members = calloc(server->o.n, sizeof(*members));
	unsigned self = server->o.self, nmembers = 0;
	bool own = self != MEMBER_NONE && needs_all(server, self);

	for (unsigned i = 0; i < server->o.n && members; i++) {
		if (i == self || !needs_all(server, i))
			continue;
		server->has_gathered[i] = true;
		members[nmembers++] = i;
	}
	if (!members ||
	    server_give_gathered(server, members, nmembers, all, n) < 0)
		return -1;
	if (!own)
		return 0;
	server->has_gathered[self] = true;
	server->o.message(server->o.arg, MSG_GATHERED, all, n);
	return 0;
}

static void look_at_exchange(struct server *server)
{
	cleanup_free char *all = NULL;
	size_t n;

	if (server->leaving || !is_needed(server) || is_gathering(server))
		return;
	server->gathered = true;
	all = gather_copy(server->gather, &n);
	if (!all || tell_gathered(server, all, n) < 0)
		arbiter_stop(server->arbiter, LINE_TOO_MUCH, EXIT_FAILURE, 0);
}

/* The others have gone on without its piece. */
static void refuse_piece(struct server *server, unsigned member)
{
	arbiter_handle(server->arbiter, member, MSG_CONDEMNED, TOO_LATE,
		       strlen(TOO_LATE));
}

static void take_piece(struct server *server, unsigned member, const char *data,
		       size_t n)
{
	if (gather_has(server->gather, member))
		look_at_exchange(server);
	else if (server->gathered)
		refuse_piece(server, member);
	else if (gather_add(server->gather, member, data, n) < 0)
		arbiter_stop(server->arbiter, LINE_TOO_MUCH, EXIT_FAILURE, 0);
	else
		look_at_exchange(server);
}

/* --- members --- */

/* TERM ROUND DONE GATHERED ...: the fourth is for us. */
static void note_state(struct server *server, unsigned member, const char *data)
{
	long n;

	for (unsigned i = 0; i < 4; i++)
		if (message_number(&data, 0, INT_MAX, &n) < 0)
			return;
	server->has_gathered[member] = n;
}

static void note_door(struct server *server, unsigned member, const char *data)
{
	const struct server_recovery *o = server->o.recovery;
	long port;

	if (message_number(&data, 1, UINT16_MAX, &port) == 0)
		o->door(o->arg, member, (unsigned)port);
}

bool office_handle(struct server *server, unsigned member, char type,
		   const char *data, size_t n)
{
	server->heard_ms[member] = loop_now_ms();
	switch ((enum message)type) {
	case MSG_BEAT:
		server_tell(server, member, MSG_ECHO, data, n);
		return true;
	case MSG_DOOR:
		note_door(server, member, data);
		return true;
	case MSG_GATHER:
		if (!server->leaving)
			take_piece(server, member, data, n);
		return true;
	case MSG_STATE:
		note_state(server, member, data);
		arbiter_handle(server->arbiter, member, type, data, n);
		look_at_exchange(server);
		server->o.recovery->changed(server->o.recovery->arg);
		return true;
	default:
		return false;
	}
}

void office_welcome(struct server *server, unsigned member)
{
	server->heard_ms[member] = loop_now_ms();
	server->has_gathered[member] = false;
	if (!server->leaving)
		arbiter_came(server->arbiter, member);
}

void office_lost(struct server *server, unsigned member)
{
	(void)member;
	if (server->arbiter)
		look_at_exchange(server);
	server->o.recovery->changed(server->o.recovery->arg);
}

bool office_is_awaiting(const struct server *server)
{
	for (unsigned i = 0; i < server->o.n; i++)
		if (!server_has(server, i) && !server->heard_ms[i] &&
		    arbiter_expects(server->arbiter, i))
			return true;
	return false;
}

void server_wait_no_more(struct server *server)
{
	if (server->leaving)
		loop_arm(server->connections.step.loop, &server->last_wait, 0);
	arbiter_wait_no_more(server->arbiter);
	look_at_exchange(server);
}

/* --- the office --- */

int server_take_office(struct server *server,
		       const struct arbiter_options *arbiter, struct err *err)
{
	unsigned n = server->o.n;

	server->heard_ms = calloc(n, sizeof(*server->heard_ms));
	server->has_gathered = calloc(n, sizeof(*server->has_gathered));
	if (!server->heard_ms || !server->has_gathered)
		return err_memory(err);
	if (server_begin(server, arbiter, err) < 0)
		return -1;
	if (server->o.self != MEMBER_NONE)
		arbiter_came(server->arbiter, server->o.self);
	server->connections.shut = false;
	server->look = (struct loop_timer){.expired = look, .arg = server};
	loop_arm(server->connections.step.loop, &server->look, look_ms(server));
	return 0;
}

void server_leave_office(struct server *server)
{
	struct loop *loop = server->connections.step.loop;

	server->connections.shut = true;
	while (server->connections.first) {
		if (server->connections.first->visits)
			server_visitor_lost(server->connections.first);
		connection_drop(server->connections.first);
	}
	memset(server->member, 0, server->o.n * sizeof(*server->member));
	loop_disarm(loop, &server->look);
	loop_disarm(loop, &server->last_wait);
	arbiter_free(server->arbiter);
	server_gather_end(server);
	free(server->heard_ms);
	free(server->has_gathered);
	server->arbiter = NULL;
	server->heard_ms = NULL;
	server->has_gathered = NULL;
	server->gathered = server->ending = server->leaving = false;
}
