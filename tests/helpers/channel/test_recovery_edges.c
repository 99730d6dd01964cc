/* SPDX-License-Identifier: Apache-2.0 */
/* What seldom happens to a step that loses nodes, on a clock of the test's. */
#include "tests/fixtures/recovery_five.h"

/* The fixture sees that nobody starts before it is ready. */
static void lost_while_some_are_ready(void **state)
{
	(void)state;
	kill_ms = 0;
	gathers = false;
	nodes_make(5, 1, "replace+fail", "timeout=60", LEASE_S);
	for (unsigned i = 0; i < 5; i++)
		node_begin(i);
	nodes[3].stopped = true;
	pass(1000);
	nodes[2].dead = true;
	node_ends(2);
	pass(100);
	nodes[3].stopped = false;
	pass_until_run(4, 1, 5000);
	well();
}

/* A loss in the middle of a restart: that one doesn't count. */
static void loss_takes_the_restart(void **state)
{
	(void)state;
	begin("timeout=60,restarts=1,grace=1");
	kill_ms = 3000;
	fails(1, 137);
	pass(400);
	has_said("restart 1 of 1");
	nodes[2].dead = true;
	node_ends(2);
	pass_until_run(4, 1, 8000);
	fails(1, 137);
	pass_until_run(4, 2, 8000);
	fails(1, 137);
	leave_with(137, 10000);
	nodes_free();
}

/* The others are done before a spare has come: it hears the end too. */
static void late_spare(void **state)
{
	(void)state;
	kill_ms = 0;
	gathers = false;
	nodes_make(5, 1, "replace+fail", "timeout=60", LEASE_S);
	for (unsigned i = 0; i < 4; i++)
		node_begin(i);
	pass_until_run(4, 0, 5000);
	finish();
	pass(5000);
	assert_false(nodes[0].left);
	node_begin(4);
	leave_with(0, 5000);
	assert_string_equal(host.last, "N");
	nodes_free();
}

/* The loss of a spare is said when it isn't the end of all. */
static void spare_lost(void **state)
{
	(void)state;
	begin("timeout=60");
	nodes[4].dead = true;
	node_ends(4);
	pass(500);
	assert_null(strstr(host.said, "a spare, is lost"));
	pass(1000);
	has_said("a spare, is lost: 0 spares are left");
	well();
}

/* Its lease counts from when it said what was answered. */
static void leases(void **state)
{
	struct recovery *v;
	char text[24];

	(void)state;
	begin("timeout=60");
	pass(5300);
	v = nodes[1].session->recovery;
	assert_true(v->ok_ms < virtual_now);
	snprintf(text, sizeof(text), "%lu", (unsigned long)v->ok_ms + 7);
	lost_note_echo(nodes[1].session, text);
	assert_int_equal(v->ok_ms, strtoul(text, NULL, 10));
	well();
}

/* The step has ended meanwhile, and nobody answers any more. */
static void comes_back_to_nobody(void **state)
{
	(void)state;
	begin("timeout=60");
	nodes[2].s.cut = CUT_IN | CUT_OUT;
	pass_until_run(4, 1, 2 * LEASE_MS);
	finish();
	pass(5000);
	assert_true(host.over);
	host_ends();
	stepped_heal(&nodes[2].s);
	pass(200000);
	assert_false(nodes[2].left);
	pass(101000);
	assert_true(nodes[2].left);
	assert_int_equal(nodes[2].code, 137);
	nodes_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_spare),
		cmocka_unit_test(lost_while_some_are_ready),
		cmocka_unit_test(loss_takes_the_restart),
		cmocka_unit_test(leases),
		cmocka_unit_test(spare_lost),
		cmocka_unit_test(comes_back_to_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
