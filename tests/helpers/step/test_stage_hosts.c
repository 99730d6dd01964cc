/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/step/stage_hosts.h"

#include "core/base/text.h"
#include "tests/fixtures/unit.h"

#define N 1000

static struct stage_hosts *centre;
static char told[8192];
static bool nowhere;

/* A crowd of launchers that do what they are told, one move after the other */
static char said[N][64];
static bool crowd;

static void on_tell(void *arg, unsigned member, const char *text)
{
	(void)arg;
	if (crowd)
		snprintf(said[member], sizeof(said[member]), "%s", text);
	else
		text_add(told, sizeof(told), "|", "%u:%s", member, text);
}

static int on_address(void *arg, unsigned member, char ret[IP_TEXT_SIZE])
{
	(void)arg;
	snprintf(ret, IP_TEXT_SIZE, "10.0.0.%u", member % 250);
	return nowhere ? -1 : 0;
}

/* 0 and 1 are on a node, 2 and 3 are, ... */
static bool pairs;

static bool on_same_node(void *arg, unsigned a, unsigned b)
{
	(void)arg;
	return pairs ? a / 2 == b / 2 : a == b;
}

static void begin(unsigned n)
{
	const struct stage_hosts_options options = {
		.n = n,
		.tell = on_tell,
		.address = on_address,
		.same_node = on_same_node,
	};

	crowd = nowhere = pairs = false;
	*told = '\0';
	centre = stage_hosts_new(&options);
	assert_non_null(centre);
}

static void end(void)
{
	stage_hosts_free(centre);
}

/* A member tells something, and this is what is told to whom. */
static void move(unsigned member, const char *text, const char *expected)
{
	*told = '\0';
	stage_hosts_note(centre, member, text);
	if (strcmp(told, expected) != 0)
		fail_msg("after %u:%s: '%s', not '%s'", member, text, told,
			 expected);
}

static void the_plan_is_made_once(void **state)
{
	(void)state;
	begin(3);
	move(1, "ask", "1:look");
	move(2, "ask", "");
	move(2, "plan\nforged", "");
	move(1, "plan\nx", "1:plan\nx|2:plan\nx");
	move(0, "ask", "0:plan\nx");
	move(1, "plan\ny", "");
	end();
}

static void who_looks_is_lost(void **state)
{
	(void)state;
	begin(3);
	move(0, "ask", "0:look");
	move(2, "ask", "");
	*told = '\0';
	stage_hosts_lost(centre, 0);
	assert_string_equal(told, "2:look");
	move(2, "plan", "2:plan");
	end();
}

static void one_reads_and_others_take(void **state)
{
	(void)state;
	begin(5);
	move(0, "lack 0", "0:read 0");
	move(1, "lack 0", "");
	move(2, "lack 0", "");
	move(3, "lack 0", "");
	move(0, "have 0 7000", "1:from 0 7000 10.0.0.0|2:from 0 7000 10.0.0.0");
	move(4, "lack 0", "");
	move(1, "have 0 7001", "3:from 0 7001 10.0.0.1|4:from 0 7000 10.0.0.0");
	end();
}

/* Each gives it on while it comes, and none to whom it comes from. */
static void it_is_passed_on_while_it_comes(void **state)
{
	(void)state;
	begin(7);
	for (unsigned i = 0; i < 7; i++)
		move(i, "lack 0", i ? "" : "0:read 0");
	move(0, "fills 0 7000",
	     "1:from 0 7000 10.0.0.0|2:from 0 7000 10.0.0.0");
	move(1, "fills 0 7001",
	     "3:from 0 7001 10.0.0.1|4:from 0 7001 10.0.0.1");
	move(3, "fills 0 7003",
	     "5:from 0 7003 10.0.0.3|6:from 0 7003 10.0.0.3");
	/* It is broken off at 1, from which 3 has it, and 5 from that */
	move(1, "fills 0 0", "");
	move(1, "lack 0", "1:from 0 7000 10.0.0.0");
	move(2, "fills 0 7002", "");
	move(5, "lack 0", "5:from 0 7002 10.0.0.2");
	move(0, "have 0 7000", "");
	move(2, "have 0 7002", "");
	move(3, "lack 0", "3:from 0 7000 10.0.0.0");
	end();
}

/* With whoever reads it fails what it has given. */
static void what_has_come_in_part(void **state)
{
	(void)state;
	begin(3);
	move(0, "lack 0", "0:read 0");
	move(1, "lack 0", "");
	move(0, "fills 0 7000", "1:from 0 7000 10.0.0.0");
	move(1, "fills 0 7001", "");
	move(2, "lack 0", "2:from 0 7000 10.0.0.0");
	move(0, "fail 0", "");
	move(2, "lack 0", "");
	move(1, "lack 0", "1:read 0");
	move(1, "fills 0 7001", "2:from 0 7001 10.0.0.1");
	end();
}

static void who_has_it_is_lost(void **state)
{
	(void)state;
	begin(4);
	move(0, "have 0 7000", "");
	move(1, "lack 0", "1:from 0 7000 10.0.0.0");
	move(2, "lack 0", "2:from 0 7000 10.0.0.0");
	stage_hosts_lost(centre, 0);
	/* one of those that were his guests reads it, the other takes it */
	move(1, "lack 0", "");
	move(2, "lack 0", "1:read 0");
	move(1, "have 0 7001", "2:from 0 7001 10.0.0.1");
	end();
}

static void the_reader_fails(void **state)
{
	(void)state;
	begin(3);
	move(0, "lack 1", "0:read 1");
	move(1, "lack 1", "");
	move(2, "lack 1", "");
	move(0, "fail 1", "1:read 1");
	*told = '\0';
	stage_hosts_lost(centre, 1);
	assert_string_equal(told, "2:read 1");
	end();
}

static void after_three_tries_it_reads_itself(void **state)
{
	(void)state;
	begin(3);
	move(0, "have 0 7000", "");
	for (int i = 0; i < STAGE_TRIES; i++)
		move(1, "lack 0", "1:from 0 7000 10.0.0.0");
	move(1, "lack 0", "1:read 0");
	move(2, "have 0 7002", "");
	end();
}

static void another_host_than_the_one_that_failed(void **state)
{
	(void)state;
	begin(3);
	move(0, "have 0 7000", "");
	move(1, "have 0 7001", "");
	move(2, "lack 0", "2:from 0 7000 10.0.0.0");
	move(2, "lack 0", "2:from 0 7001 10.0.0.1");
	move(2, "lack 0", "2:from 0 7000 10.0.0.0");
	end();
}

static void what_has_changed_is_for_nobody(void **state)
{
	(void)state;
	begin(3);
	move(0, "lack 0", "0:read 0");
	move(1, "lack 0", "");
	move(0, "void 0 it has changed", "1:none 0 it has changed");
	move(2, "lack 0", "2:none 0 it has changed");
	end();
}

/* Its node has the file system's answers. */
static void who_has_looked_reads(void **state)
{
	(void)state;
	begin(3);
	move(1, "ask", "1:look");
	move(1, "plan", "1:plan");
	move(0, "lack 0", "");
	move(1, "lack 0", "1:read 0");
	move(0, "lack 1", "");
	move(1, "fail 1", "0:read 1");
	move(2, "lack 2", "");
	*told = '\0';
	stage_hosts_lost(centre, 1);
	assert_non_null(strstr(told, "2:read 2"));
	end();
}

/* It waits for the lock of that one. */
static void who_is_on_its_node_reads(void **state)
{
	(void)state;
	begin(4);
	pairs = true;
	move(1, "ask", "1:look");
	move(1, "plan", "1:plan");
	move(2, "lack 0", "");
	move(0, "lack 0", "0:read 0");
	move(0, "have 0 7000", "2:from 0 7000 10.0.0.0");
	end();
}

/* How far it is, as launchers tell. */
static void far_is(const char *expected)
{
	struct stage_sum s;
	char text[1024];

	stage_hosts_sum(centre, &s);
	snprintf(text, sizeof(text), "%u of %u, %llu of %llu, best %llu%s %s",
		 s.done, s.asked, s.bytes, s.of, s.best, s.any ? " any" : "",
		 s.path);
	assert_string_equal(text, expected);
}

static void how_far_it_is(void **state)
{
#define SUM "0123456789abcdef0123456789abcdef"
	(void)state;
	begin(3);
	far_is("0 of 0, 0 of 0, best 0 ");
	move(0, "ask", "0:look");
	stage_hosts_note(centre, 1, "ask");
	stage_hosts_note(centre, 0,
			 "plan\n" SUM " " SUM " 100 2 /a/b\n! /x: gone\n" SUM
			 " " SUM " 20 1 /a/c");
	far_is("0 of 2, 0 of 120, best 0 ");
	stage_hosts_note(centre, 0, "lack 0");
	stage_hosts_note(centre, 1, "lack 0");
	move(0, "came 0 30", "");
	far_is("0 of 2, 30 of 120, best 30 /a/b");
	stage_hosts_note(centre, 0, "have 0 7000");
	move(1, "came 0 70", "");
	far_is("0 of 2, 170 of 120, best 100 any /a/b");
	stage_hosts_note(centre, 0, "have 1 7000");
	stage_hosts_note(centre, 0, "done");
	stage_hosts_note(centre, 1, "fail 0");
	far_is("1 of 2, 120 of 120, best 100 any ");
	stage_hosts_lost(centre, 1);
	far_is("1 of 1, 120 of 120, best 100 any ");
	end();
}

static void nonsense(void **state)
{
	static const char *const texts[] = {
		"",
		"lack",
		"lack ",
		"lack -1",
		"lack 16",
		"lack x",
		"have 0 65536",
		"have 0",
		"ask 3",
		"void",
		"lack 99999999999999999999",
		"hello 0 1",
		"came 0 x",
		"came -1 7",
		"fills 0",
		"fills 0 65536",
	};

	(void)state;
	begin(2);
	for (size_t i = 0; i < COUNT(texts); i++)
		move(0, texts[i], "");
	move(9, "ask", "");
	stage_hosts_lost(centre, 9);
	nowhere = true;
	move(0, "have 0 7000", "");
	move(1, "lack 0", "1:read 0");
	end();
}

/* Each move all who are told to do: 1 reads, and the tree is low. */
static void a_thousand(void **state)
{
	unsigned nreads = 0, nhave = 0, nfirst = 0, moves = 0;
	static char now[N][64];
	char text[32];

	(void)state;
	begin(N);
	crowd = true;
	memset(said, 0, sizeof(said));
	for (unsigned i = 0; i < N; i++)
		stage_hosts_note(centre, i, "lack 0");
	while (nhave < N && moves++ < N) {
		memcpy(now, said, sizeof(now));
		memset(said, 0, sizeof(said));
		for (unsigned i = 0; i < N; i++) {
			if (!*now[i])
				continue;
			nreads += !strncmp(now[i], "read", 4);
			nfirst += !strncmp(now[i], "from 0 1000 ", 12);
			nhave++;
			snprintf(text, sizeof(text), "have 0 %u", 1000 + i);
			stage_hosts_note(centre, i, text);
		}
	}
	assert_int_equal(nhave, N);
	assert_int_equal(nreads, 1);
	assert_in_range(nfirst, 2, 2 * moves);
	assert_in_range(moves, 5, 12);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_plan_is_made_once),
		cmocka_unit_test(who_looks_is_lost),
		cmocka_unit_test(one_reads_and_others_take),
		cmocka_unit_test(it_is_passed_on_while_it_comes),
		cmocka_unit_test(what_has_come_in_part),
		cmocka_unit_test(who_has_it_is_lost),
		cmocka_unit_test(the_reader_fails),
		cmocka_unit_test(after_three_tries_it_reads_itself),
		cmocka_unit_test(another_host_than_the_one_that_failed),
		cmocka_unit_test(what_has_changed_is_for_nobody),
		cmocka_unit_test(who_has_looked_reads),
		cmocka_unit_test(who_is_on_its_node_reads),
		cmocka_unit_test(how_far_it_is),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(a_thousand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
