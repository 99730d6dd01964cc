/* SPDX-License-Identifier: Apache-2.0 */
/* The referee on a clock of the test's; what it sends and says is one text:
 * "2R" to member 2, "*E30" to all, "! line" for the user. */
#ifndef DT_TESTS_GAME_H
#define DT_TESTS_GAME_H

#include "helpers/channel/arbiter.h"

#include "helpers/launch/procs.h"
#include "tests/unit/unit.h"
#include "tests/unit/virtual_loop.h"

#include <errno.h>

#define GRACE_S	  30
#define TIMEOUT_S 60
#define LATEST_MS ((GRACE_S + KILL_AFTER_S + 3) * 1000)

struct game {
	struct loop loop;
	struct referee *referee;
	char log[4096];
	unsigned absent;  /* the member that hasn't come; 0: none */
	int restart_code; /* worth a restart; 0: all */
	const char *idle; /* the hub's own launcher: nothing runs, so that it
			     answers MSG_END with this before it returns */
};

static inline void record(struct game *g, const char *text)
{
	size_t n = strlen(g->log);

	snprintf(g->log + n, sizeof(g->log) - n, "%s%s", n ? " " : "", text);
}

static inline void sends(void *arg, unsigned member, char type,
			 const char *data, size_t n)
{
	struct game *g = arg;
	char text[256], who[12] = "*";

	if (member != REFEREE_ALL)
		snprintf(who, sizeof(who), "%u", member);
	snprintf(text, sizeof(text), "%s%c%.*s", who, type, (int)n, data);
	record(arg, text);
	if (type == MSG_END && g->idle)
		referee_hear(g->referee, 0, MSG_ENDED, g->idle,
			     strlen(g->idle));
}

static inline void says(void *arg, const char *line)
{
	char text[600];

	assert_true(*line && line[strlen(line) - 1] == '\n');
	snprintf(text, sizeof(text), "! %.*s", (int)strlen(line) - 1, line);
	record(arg, text);
}

static inline bool here(const void *arg, unsigned member)
{
	const struct game *g = arg;

	return member == 0 || member != g->absent;
}

static inline bool restarts_on(const void *arg, int code)
{
	const struct game *g = arg;

	return !g->restart_code || g->restart_code == code;
}

static inline void begin_as(struct game *g, unsigned n, unsigned rounds,
			    unsigned round, bool patient)
{
	struct referee_options o = {
		.loop = &g->loop,
		.n = n,
		.grace_s = GRACE_S,
		.timeout_s = TIMEOUT_S,
		.rounds = rounds,
		.round = round,
		.patient = patient,
		.restarts_on = restarts_on,
		.restart_arg = g,
		.send = sends,
		.say = says,
		.here = here,
		.arg = g,
	};
	struct err err;

	memset(g, 0, sizeof(*g));
	virtual_now = 1000000;
	g->referee = referee_new(&o, &err);
	assert_non_null(g->referee);
}

static inline void begin_in(struct game *g, unsigned n, unsigned rounds,
			    unsigned round)
{
	begin_as(g, n, rounds, round, false);
}

static inline void begin_patient(struct game *g, unsigned n)
{
	begin_as(g, n, 0, 0, true);
}

static inline void begin(struct game *g, unsigned n, unsigned rounds)
{
	begin_in(g, n, rounds, 0);
}

/* Nothing waits any more when it is over. */
static inline void done(struct game *g)
{
	assert_null(g->loop.timers);
	referee_free(g->referee);
}

static inline void abandon(struct game *g)
{
	referee_free(g->referee);
	assert_null(g->loop.timers);
}

static inline void hear(struct game *g, unsigned member, char type,
			const char *data)
{
	referee_hear(g->referee, member, type, data, strlen(data));
}

static inline void ends(struct game *g, unsigned first, unsigned last,
			const char *data)
{
	for (unsigned i = first; i <= last; i++)
		hear(g, i, MSG_ENDED, data);
}

/* What has come since the last question. */
static inline void is(struct game *g, const char *expected)
{
	assert_string_equal(g->log, expected);
	g->log[0] = '\0';
}

static inline void has(struct game *g, const char *part)
{
	if (!strstr(g->log, part))
		fail_msg("'%s' isn't in '%s'", part, g->log);
	g->log[0] = '\0';
}

#endif
