/* SPDX-License-Identifier: Apache-2.0 */
/* Histories of what three launchers tell, and when that is a reason to look:
 * with a limit of 10 s. Times are in seconds. */
#include "helpers/step/hang_clock.h"

#include "tests/fixtures/unit.h"

static const struct history {
	const char *name;
	/* "TIME MEMBER STATE [FOR]": g gone, m moves, q quiet for so long; at
	 * TIME "- w" a look shows work, "- s" a start, "- k" a hang */
	const char *events;
	long due; /* -1: never */
} histories[] = {
	{"nobody has begun", "", -1},
	{"one works", "0 0 m; 5 1 q 5; 5 2 q 5", -1},
	{"all are quiet, the last one from 3 on",
	 "0 0 m; 0 1 m; 0 2 m; 5 0 q 5; 6 1 q 5; 8 2 q 5", 13},
	{"who hasn't come doesn't count", "0 0 m; 5 0 q 5", 10},
	{"who has ended doesn't count", "0 0 m; 0 1 m; 5 0 q 5; 6 1 g", 10},
	{"all have ended", "0 0 m; 0 1 m; 5 0 g; 6 1 g", -1},
	{"they work again", "0 0 m; 5 0 q 5; 7 0 m", -1},
	{"a short gap is no lesson", "0 0 m; 5 0 q 5; 6 0 m; 20 0 q 5", 25},
	{"a gap of 40 s is one: 60 s from now on",
	 "0 0 m; 5 0 q 5; 40 0 m; 50 0 q 5", 105},
	{"only a gap of all",
	 "0 0 m; 0 1 m; 5 0 q 5; 40 0 m; 50 0 q 5; 50 1 q 5", 55},
	{"the longest counts",
	 "0 0 m; 5 0 q 5; 40 0 m; 45 0 q 5; 60 0 m; 70 0 q 5", 125},
	{"a look that shows work begins anew", "0 0 m; 5 0 q 5; 12 - w", 22},
	{"and the gap is learned from its begin",
	 "0 0 m; 5 0 q 5; 12 - w; 24 - w; 40 0 m; 50 0 q 5", 105},
	{"a start has twice the time", "0 0 m; 5 0 q 5; 11 - s", 20},
	{"once", "0 0 m; 5 0 q 5; 11 - s; 16 0 m; 25 0 q 5", 44},
	{"what is known isn't said again", "0 0 m; 5 0 q 5; 10 - k", -1},
	{"until it has moved", "0 0 m; 5 0 q 5; 10 - k; 12 0 m; 22 0 q 5", 35},
	{"a restart is no gap that ended by itself",
	 "0 0 m; 5 0 q 5; 60 - k; 60 0 g; 62 0 m; 70 0 q 5", 75},
	{"a hostile number", "0 9 q 5", -1},
};

static void apply(struct hang_clock *c, const char *event)
{
	unsigned long at, ago = 0;
	unsigned member;
	char state;

	if (sscanf(event, "%lu - %c", &at, &state) == 2) {
		if (state == 'w')
			hang_clock_works(c, at * 1000);
		else if (state == 's')
			hang_clock_starts(c);
		else
			c->known = true;
		return;
	}
	assert_true(sscanf(event, "%lu %u %c %lu", &at, &member, &state,
			   &ago) >= 3);
	hang_clock_note(c, member,
			state == 'g'   ? RANKS_GONE
			: state == 'm' ? RANKS_WORK
				       : RANKS_QUIET,
			ago * 1000, at * 1000);
}

static void every_history(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(histories); i++) {
		const struct history *h = &histories[i];
		struct hang_clock c;
		struct err err;
		uint64_t due;

		assert_int_equal(hang_clock_open(&c, 3, 10000, &err), 0);
		for (const char *at = h->events; *at;
		     at += strcspn(at, ";"), at += *at ? 2 : 0)
			apply(&c, at);
		due = hang_clock_due(&c);
		if (h->due < 0 ? due != HANG_NEVER
			       : due != (uint64_t)h->due * 1000)
			fail_msg("%s: due at %lld ms", h->name, (long long)due);
		hang_clock_close(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
