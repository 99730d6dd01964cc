/* SPDX-License-Identifier: Apache-2.0 */
/* The hub and its members in one process, over loopback. */
#ifndef DT_TESTS_MEETING_H
#define DT_TESTS_MEETING_H

#include "helpers/channel/client.h"
#include "helpers/channel/server.h"

#include "tests/unit/channel.h"

#define PORT_MIN 21500
#define NTRIES	 4

/* A launcher: the hub's own or a member. */
struct launcher {
	struct member *member;
	char hello[64];
	char log[256]; /* what the referee sent to it */
	bool left, lost, was_there;
	int why;
};

static struct hub *hub;
static struct launcher launchers[4];
static char said[1024];
static unsigned first_port, up;
static bool all_left;

static inline unsigned port_to_try(const void *arg, unsigned try)
{
	(void)arg;
	return try < NTRIES ? first_port +
	try:
		0;
}

static inline bool no_restart(const void *arg, int code)
{
	(void)arg;
	(void)code;
	return false;
}

static inline void heard(void *arg, char type, const char *data, size_t n)
{
	struct launcher *l = arg;
	size_t at = strlen(l->log);

	snprintf(l->log + at, sizeof(l->log) - at, "%c%.*s ", type, (int)n,
		 data);
	l->left = l->left || type == MSG_LEAVE;
	all_left = true;
	for (size_t i = 0; i < COUNT(launchers); i++)
		if ((launchers[i].member || i == 0) && !launchers[i].left)
			all_left = false;
}

static inline void hub_lost(void *arg, bool was_there, int why)
{
	struct launcher *l = arg;

	l->lost = true;
	l->was_there = was_there;
	l->why = why;
}

static inline void say(void *arg, const char *line)
{
	(void)arg;
	strncat(said, line, sizeof(said) - strlen(said) - 1);
}

static inline void came_up(void *arg, unsigned n)
{
	(void)arg;
	up += n;
}

static inline void hub_begin(unsigned n)
{
	struct referee_options referee = {
		.loop = &loop, .grace_s = 0, .restarts_on = no_restart};
	struct hub_options o = {
		.step = &step,
		.n = n,
		.node = "node1",
		.port = port_to_try,
		.message = heard,
		.up = came_up,
		.say = say,
		.arg = &launchers[0],
	};
	struct err err;

	memset(launchers, 0, sizeof(launchers));
	*said = '\0';
	up = 0;
	all_left = false;
	if (!first_port)
		first_port = PORT_MIN + (unsigned)getpid() % 1000 * NTRIES;
	hub = hub_open(&o, &referee, &err);
	if (!hub)
		fail_msg("%s", err.text);
}

static inline void join_as(unsigned i, const struct link_step *as,
			   long timeout_s)
{
	struct launcher *l = &launchers[i];
	struct member_options o = {
		.step = as,
		.ip = "127.0.0.1",
		.hello = l->hello,
		.timeout_s = timeout_s,
		.port = port_to_try,
		.message = heard,
		.lost = hub_lost,
		.arg = l,
	};
	struct err err;

	snprintf(l->hello, sizeof(l->hello), "%d %u node%u", MESSAGE_VERSION, i,
		 i + 1);
	l->member = member_open(&o, &err);
	assert_non_null(l->member);
}

static inline void join(unsigned i)
{
	join_as(i, &step, 60);
}

static inline void tell(unsigned i, char type, const char *text)
{
	if (i)
		member_send(launchers[i].member, type, text, strlen(text));
	else
		referee_hear(hub_referee(hub), 0, type, text, strlen(text));
}

static inline void wait_for(unsigned member)
{
	for (int i = 0; i < PATIENCE_MS && !hub_has(hub, member); i++)
		run_for(1);
	assert_true(hub_has(hub, member));
}

static inline void shut(void)
{
	for (size_t i = 1; i < COUNT(launchers); i++)
		member_close(launchers[i].member);
	hub_close(hub);
}

#endif
