/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a step's nodes, on a clock of the test's. */
#include "helpers/step/node_check.h"

#include "core/base/text.h"
#include "helpers/check/node_look.h"
#include "helpers/check/pair_talk.h"
#include "tests/fixtures/unit.h"
#include "tests/fixtures/virtual_loop.h"

#include <time.h>

#define NODES 4

static const char *const name[NODES] = {"n0", "n1", "n2", "n3"};
static struct loop loop;
static struct node_check *check;
static char happened[4096];
static bool absent[NODES];

static bool is_here(void *arg, unsigned node)
{
	(void)arg;
	return !absent[node];
}

static void on_tell(void *arg, unsigned node, const char *text)
{
	(void)arg;
	text_add(happened, sizeof(happened), "|", "%u:%s", node, text);
}

static void on_remark(void *arg, const char *line)
{
	(void)arg;
	text_add(happened, sizeof(happened), "|", "remark %s", line);
}

static void on_condemn(void *arg, unsigned node, const char *why)
{
	(void)arg;
	text_add(happened, sizeof(happened), "|", "condemn %u %s", node, why);
}

static void on_refuse(void *arg, const char *why)
{
	(void)arg;
	text_add(happened, sizeof(happened), "|", "refuse %s", why);
}

static void on_over(void *arg)
{
	(void)arg;
	text_add(happened, sizeof(happened), "|", "over");
}

/* All that has happened since the last question; it begins with `start`. */
static void begins(const char *start)
{
	if (strncmp(happened, start, strlen(start)) != 0)
		assert_string_equal(happened, start);
	*happened = '\0';
}

static void is(const char *expected)
{
	assert_string_equal(happened, expected);
	*happened = '\0';
}

static void begin(bool full, unsigned nnodes, unsigned self)
{
	const struct check_options o = {
		.loop = &loop,
		.nnodes = nnodes,
		.name = name,
		.self = self,
		.full = full,
		.look_ms = NODE_LOOK_MS,
		.here = is_here,
		.tell = on_tell,
		.remark = on_remark,
		.condemn = on_condemn,
		.refuse = on_refuse,
		.over = on_over,
	};
	struct err err;

	loop.timers = (struct heap){0};
	memset(absent, 0, sizeof(absent));
	*happened = '\0';
	check = node_check_open(&o, &err);
	assert_non_null(check);
}

/* A node that is new, or isn't, tells facts; its clock is off by so much. */
static void tell_as(unsigned node, bool is_new, long clock_s, const char *facts)
{
	struct timespec now;
	char text[600];

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(text, sizeof(text), "0 %d %lld 10.0.0.%u %u\n%s", is_new,
		 ((long long)now.tv_sec + clock_s) * 1000, node, 100 + node,
		 facts);
	node_check_note(check, node, text);
}

static void tell(unsigned node, const char *facts)
{
	tell_as(node, true, 0, facts);
}

static void end(void)
{
	node_check_close(check);
	assert_null(loop.timers.first);
}

static void all_are_well(void **state)
{
	(void)state;
	begin(false, NODES, 0);
	for (unsigned i = 0; i < NODES - 1; i++)
		tell(i, "shm 4000 4000\n");
	tell(0, "shm 4000 4000\n"); /* twice */
	is("");
	tell(3, "\n\nshm 4000 4000");
	is("0:0|1:0|2:0|3:0|over");
	tell(3, "shm -\n");
	is("");
	end();
}

static void one_is_unfit(void **state)
{
	(void)state;
	begin(true, NODES, 0);
	tell(0, "shm 4000 4000\n");
	tell(1, "shm 4000 4000\n");
	tell(2, "shm -\nrun-dir-fault /x: Read-only file system\n");
	tell(3, "shm 4000 4000\nrun-dir 10 -1 /x");
	is("remark n3: only 10 MiB are free in /x, the folder for the step's "
	   "files|condemn 2 /dev/shm doesn't exist|over");
	end();
}

static void remarks_only(void **state)
{
	(void)state;
	begin(false, 2, 0);
	tell(0, "shm 4000 4000\n");
	tell_as(1, true, 20, "gpu-note the driver hangs\n");
	begins("remark n1: the driver hangs|remark n1: the clock is ");
	end();
	/* A message that was late says nothing of a clock */
	begin(false, 2, 0);
	tell(0, "");
	tell_as(1, true, -20, "");
	is("0:0|1:0|over");
	end();
}

/* --- who is silent --- */

static void silence(void **state)
{
	(void)state;
	begin(false, NODES, 0);
	for (unsigned i = 0; i < 3; i++)
		tell(i, "shm 4000 4000\n");
	absent[3] = true;
	virtual_pass(&loop, 50000);
	is(""); /* who hasn't come is the session's business */
	absent[3] = false;
	virtual_pass(&loop, NODE_LOOK_MS + CHECK_SLACK_MS - 500);
	is("");
	virtual_pass(&loop, 2000);
	begins("condemn 3 its launcher doesn't answer: nothing has come "
	       "within 6 s in the check|over");
	virtual_pass(&loop, 60000);
	is("");
	end();
}

/* Where most are silent, it is this node that can't hear them. */
static void most_are_silent(void **state)
{
	(void)state;
	begin(false, NODES, 1);
	tell(1, "");
	tell(2, "");
	virtual_pass(&loop, 60000);
	begins("condemn 1 2 of the 3 other nodes can't be heard here");
	end();
}

/* --- pairs --- */

static void figure(unsigned node, unsigned stage, double rate)
{
	char text[64];

	snprintf(text, sizeof(text), "%u %.0f 0", stage, rate);
	node_check_note(check, node, text);
}

/* Node 1 is slow. */
static void pairs_measure(void **state)
{
	(void)state;
	begin(true, NODES, 0);
	for (unsigned i = 0; i < NODES; i++)
		tell_as(i, i == 2, 0, "");
	is("0:1 1|1:1 0 10.0.0.0 100|2:1 3|3:1 2 10.0.0.2 102");
	figure(0, 1, 5e7);
	figure(1, 1, 4e7);
	figure(2, 2, 1e9); /* of no stage */
	figure(2, 1, 1e9);
	is("");
	figure(3, 1, 1e9);
	is("0:2 3|3:2 0 10.0.0.0 100|1:2 2|2:2 1 10.0.0.1 101");
	figure(0, 2, 1e9);
	figure(3, 2, 1e9);
	figure(2, 2, 5e7);
	figure(1, 2, 5e7);
	begins("condemn 1 its network is slow: 40.0 MB/s with n0 and 50.0 "
	       "MB/s with n2; 1000.0 MB/s");
	end();
}

static void pairs_are_well(void **state)
{
	(void)state;
	begin(true, 2, 2); /* the check has no place */
	tell(0, "");
	tell(1, "");
	is("0:1 1|1:1 0 10.0.0.0 100");
	figure(0, 1, 1e9);
	figure(1, 1, 1e9);
	is("0:0|1:0|over");
	end();
	/* Nobody is new: nothing is measured again */
	begin(true, 2, 0);
	tell_as(0, false, 0, "");
	tell_as(1, false, 0, "");
	is("0:0|1:0|over");
	end();
}

/* Stages of four nodes in which nothing comes through but for two of them. */
static void measure_nothing(double rate_of_two)
{
	begin(true, NODES, 0);
	for (unsigned i = 0; i < NODES; i++)
		tell(i, "");
	for (unsigned stage = 1; stage <= 2; stage++)
		for (unsigned i = 0; i < NODES; i++)
			figure(i, stage, i < 2 && stage == 1 ? rate_of_two : 0);
}

/* It is no node's fault: one line. */
static void nothing_comes_through(void **state)
{
	(void)state;
	measure_nothing(0);
	assert_non_null(strstr(happened,
			       "|refuse no pair of nodes can exchange data: "));
	assert_null(strstr(happened, "condemn"));
	assert_string_equal(happened + strlen(happened) - 5, "|over");
	end();
	measure_nothing(1e9);
	assert_null(strstr(happened, "refuse"));
	assert_null(strstr(happened, "condemn 0"));
	assert_null(strstr(happened, "condemn 1"));
	assert_non_null(strstr(happened, "|condemn 2 its network lets no data "
					 "through: 0.0 MB/s with n3 and "));
	assert_non_null(strstr(happened, "|condemn 3 "));
	end();
}

/* Its launcher stops while it measures. */
static void one_hangs(void **state)
{
	(void)state;
	begin(true, NODES, 0);
	for (unsigned i = 0; i < NODES; i++)
		tell(i, "");
	*happened = '\0';
	figure(0, 1, 1e9);
	figure(1, 1, 1e9);
	figure(2, 1, 0);
	virtual_pass(&loop, PAIR_MS + CHECK_SLACK_MS - 500);
	is("");
	virtual_pass(&loop, 2000);
	begins("condemn 3 its launcher doesn't answer");
	end();
}

/* They couldn't be sorted. */
static void rates_that_are_none(void **state)
{
	(void)state;
	begin(true, 2, 2);
	tell(0, "");
	tell(1, "");
	is("0:1 1|1:1 0 10.0.0.0 100");
	node_check_note(check, 0, "1 nan 0");
	node_check_note(check, 1, "1 -1e9 0");
	node_check_note(check, 1, "1 inf 0");
	is("");
	figure(0, 1, 1e9);
	figure(1, 1, 1e9);
	is("0:0|1:0|over");
	end();
}

static void nonsense(void **state)
{
	static const char *const texts[] = {
		"",
		"x",
		"0",
		"0 1",
		"0 1 5 - 0",
		"0 1 5 -\n",
		"9 1 1",
		"-1 1 1",
		"0 a 5 - 0\n",
		"0 1 9223372036854775807 - 0\n",
		"0 1 5 - 70000\n",
	};

	(void)state;
	begin(true, 1, 0);
	for (size_t i = 0; i < COUNT(texts); i++)
		node_check_note(check, 0, texts[i]);
	node_check_note(check, 1, "0 1 5 - 0\n");
	is("");
	tell(0, "no-such-key x\n \nshm\n");
	is("0:0|over");
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_well),
		cmocka_unit_test(one_is_unfit),
		cmocka_unit_test(remarks_only),
		cmocka_unit_test(silence),
		cmocka_unit_test(most_are_silent),
		cmocka_unit_test(pairs_measure),
		cmocka_unit_test(pairs_are_well),
		cmocka_unit_test(nothing_comes_through),
		cmocka_unit_test(one_hangs),
		cmocka_unit_test(rates_that_are_none),
		cmocka_unit_test(nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
