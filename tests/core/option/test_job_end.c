/* SPDX-License-Identifier: Apache-2.0 */
/* The keys end-signal and requeue. */
#include "core/option/key_forms.h"
#include "core/option/ladder.h"

#include "tests/fixtures/option_fixture.h"

#include <signal.h>

static void signals_and_times(void **state)
{
	static const struct {
		const char *text;
		int number;
		long seconds;
	} takes[] = {
		{"600", SIGUSR1, 600},	   {"USR2@10m", SIGUSR2, 600},
		{"SIGTERM@1", SIGTERM, 1}, {"hup@86400s", SIGHUP, 86400},
		{"int@1h", SIGINT, 3600},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(takes); i++) {
		struct request r;
		struct end_signal e;
		char text[64];

		snprintf(text, sizeof(text), "ddp,end-signal=%s",
			 takes[i].text);
		parse_ok(text, &r);
		end_signal_of(&r, &e);
		assert_case(text, e.number == takes[i].number);
		assert_case(text, e.seconds == takes[i].seconds);
		request_clear(&r);
	}
}

static void no_signal(void **state)
{
	static const char *const bad[] = {
		"0s", "86401", "USR1",	 "USR1@", "@10",      "KILL@10",
		"-1", "10@",   "SIG@10", "9@10",  "USR11@10", "1@USR1",
	};
	struct end_signal e;
	struct request r;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		refused_value("end-signal", bad[i],
			      "must be none, or a number of seconds from 1 to "
			      "86400, or with s, m, h, and before it nothing, "
			      "USR1@, USR2@, TERM@, INT@ or HUP@");
	parse_ok("ddp,end-signal=none", &r);
	end_signal_of(&r, &e);
	assert_int_equal(e.number, 0);
	request_clear(&r);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(end_signal_name(SIGUSR1), "USR1");
	assert_string_equal(end_signal_name(SIGKILL), "");
	assert_string_equal(requeue_word(REQUEUE_NODE_LOSS), "node-loss");
}

static void causes(void **state)
{
	static const struct {
		const char *text;
		unsigned causes;
	} takes[] = {
		{"ddp", 0},
		{"ddp,requeue=none", 0},
		{"ddp,requeue=time-limit", REQUEUE_TIME_LIMIT},
		{"ddp,requeue=Preemption+FAILURE",
		 REQUEUE_PREEMPTION | REQUEUE_FAILURE},
		{"ddp,requeue=failure+node-loss+time-limit+preemption", 15},
	};
	static const char *const bad[] = {
		"timelimit",	   "time-limit+", "+failure",
		"failure+failure", "any",	  "failure++node-loss",
	};
	struct request r;

	(void)state;
	for (size_t i = 0; i < COUNT(takes); i++) {
		parse_ok(takes[i].text, &r);
		assert_case(takes[i].text, requeue_of(&r) == takes[i].causes);
		request_clear(&r);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		refused_value("requeue", bad[i],
			      "must be none, or some of time-limit, "
			      "preemption, node-loss and failure, each once, "
			      "joined by +");
}

/* A lost node requeues instead of the failure. */
static void ladders(void **state)
{
	static const char *const rows[][2] = {
		{"ddp,requeue=failure", "fail"},
		{"ddp,requeue=node-loss", "requeue+fail"},
		{"ddp,requeue=node-loss,on-node-loss=fail", "requeue+fail"},
		{"ddp,requeue=node-loss,spares=1", "replace+requeue+fail"},
		{"ddp,requeue=node-loss,on-node-loss=shrink:2+requeue",
		 "shrink:2+requeue+fail"},
	};
	char text[LADDER_SIZE];
	struct ladder ladder;
	struct request r;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		parse_ok(rows[i][0], &r);
		ladder_of(&r, &ladder);
		assert_string_equal(ladder_text(&ladder, text), rows[i][1]);
		request_clear(&r);
	}
}

/* Without the key requeue they would do nothing. */
static void need_requeue(void **state)
{
	struct request r;

	(void)state;
	parse_ok("ddp,requeue=failure,requeues=3,progress-file=done", &r);
	assert_int_equal(request_number(&r, KEY_REQUEUES), 3);
	assert_string_equal(request_text(&r, KEY_PROGRESS_FILE), "done");
	request_clear(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_and_times),
		cmocka_unit_test(no_signal),
		cmocka_unit_test(names),
		cmocka_unit_test(causes),
		cmocka_unit_test(ladders),
		cmocka_unit_test(need_requeue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
