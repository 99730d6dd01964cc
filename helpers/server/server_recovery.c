/* SPDX-License-Identifier: Apache-2.0 */
/* The server where a step outlives a lost node: who gives no sign of life, and
 * an exchange that members may be lost from. */
#include "helpers/server/server_state.h"

#include "core/option/ladder.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define TOO_LATE "came after the nodes had told each other their facts"

/* --- signs of life --- */

long beats_silence_s(const struct server *server, unsigned member,
		     long silent_s)
{
	long s = (long)(loop_now_ms() - server->heard_ms[member]) / 1000;

	return s > silent_s ? s : silent_s;
}

static uint64_t look_ms(const struct server *server)
{
	return recovery_interval_ms(server->o.lease_s) / 2;
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
	uint64_t lease = recovery_lease_ms(server->o.lease_s);
	uint64_t fence = recovery_fence_ms(server->o.lease_s);

	if (now > server->look.at_ms)
		forgive(server, now);
	loop_arm(server->connections.step.loop, &server->look, look_ms(server));
	for (unsigned i = 0; i < server->o.n && !server->leaving; i++) {
		if (!server->member[i])
			continue;
		if (now - server->heard_ms[i] >= lease)
			server->connections.lost(server->member[i], ETIMEDOUT);
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
	       gather_has(server->gather, member) && server->member[member];
}

static bool is_needed(const struct server *server)
{
	for (unsigned i = 0; i < server->o.n; i++)
		if (needs_all(server, i))
			return true;
	return false;
}

/* Returns 0, or -1 when out of memory. */
static int tell_gathered(struct server *server, const char *all, size_t n)
{
	cleanup_free unsigned *members = calloc(server->o.n, sizeof(*members));
	unsigned nmembers = 0;

	for (unsigned i = 0; i < server->o.n && members; i++) {
		if (!needs_all(server, i))
			continue;
		server->has_gathered[i] = true;
		members[nmembers++] = i;
	}
	return members ? server_give_gathered(server, members, nmembers, all, n)
		       : -1;
}

void beats_look(struct server *server)
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
		beats_look(server);
	else if (server->gathered)
		refuse_piece(server, member);
	else if (gather_add(server->gather, member, data, n) < 0)
		arbiter_stop(server->arbiter, LINE_TOO_MUCH, EXIT_FAILURE, 0);
	else
		beats_look(server);
}

/* --- members --- */

/* ROUND GATHERED ...: the second is for us. */
static void note_state(struct server *server, unsigned member, const char *data)
{
	long round, gathered;

	if (message_number(&data, 0, INT_MAX, &round) == 0 &&
	    message_number(&data, 0, 1, &gathered) == 0)
		server->has_gathered[member] = gathered;
}

bool beats_handle(struct server *server, unsigned member, char type,
		  const char *data, size_t n)
{
	switch ((enum message)type) {
	case MSG_GATHER:
		if (!server->leaving)
			take_piece(server, member, data, n);
		return true;
	case MSG_STATE:
		note_state(server, member, data);
		arbiter_handle(server->arbiter, member, type, data, n);
		beats_look(server);
		return true;
	default:
		return false;
	}
}

void beats_welcome(struct server *server, unsigned member)
{
	server->heard_ms[member] = loop_now_ms();
	server->has_gathered[member] = false;
	if (!server->leaving)
		arbiter_came(server->arbiter, member);
}

bool beats_are_awaited(const struct server *server)
{
	for (unsigned i = 0; i < server->o.n; i++)
		if (!server->member[i] && !server->heard_ms[i] &&
		    arbiter_expects(server->arbiter, i))
			return true;
	return false;
}

/* --- begin and end --- */

int beats_begin(struct server *server)
{
	server->has_gathered =
		calloc(server->o.n, sizeof(*server->has_gathered));
	if (!server->has_gathered)
		return -1;
	server->look = (struct loop_timer){.expired = look, .arg = server};
	loop_arm(server->connections.step.loop, &server->look, look_ms(server));
	return 0;
}

void beats_end(struct server *server)
{
	loop_disarm(server->connections.step.loop, &server->look);
	free(server->has_gathered);
}
