/* SPDX-License-Identifier: Apache-2.0 */
/* What seldom happens to a step that loses nodes, on a clock of the test's. */
#include "tests/fixtures/recovery_five.h"

/* It loses all others as it loses its office: that isn't the step's end, and
 * it becomes a spare. */
static void centre_hears_nothing(void **state)
{
	(void)state;
	begin("timeout=60,grace=1");
	pass(3000);
	nodes[0].s.cut = CUT_IN;
	pass_until_run(4, 1, 2 * LEASE_MS);
	pass(LEASE_MS);
	assert_false(nodes[0].left);
	stepped_heal(&nodes[0].s);
	pass(10000);
	assert_true(nodes[0].session->recovery->is == ROLE_MEMBER);
	well();
}

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
	has_said(0, "restart 1 of 1");
	nodes[2].dead = true;
	node_ends(2);
	pass_until_run(4, 1, 8000);
	fails(1, 137);
	pass_until_run(4, 2, 8000);
	fails(1, 137);
	leave_with(137, 10000);
	nodes_free();
}

/* Leases count from when it was said that was answered. */
static void leases(void **state)
{
	struct recovery *v;
	char text[24];

	(void)state;
	begin("timeout=60");
	pass(5300);
	v = nodes[0].session->recovery;
	assert_int_equal(v->claim.held_ms, v->claim.ok_ms);
	assert_true(v->claim.held_ms < virtual_now);
	v = nodes[1].session->recovery;
	snprintf(text, sizeof(text), "%lu", (unsigned long)v->ok_ms + 7);
	recovery_message(nodes[1].session, MSG_ECHO, text, strlen(text));
	assert_int_equal(v->ok_ms, strtoul(text, NULL, 10));
	well();
}

/* A centre of a term that is over isn't followed. */
static void old_term(void **state)
{
	static const char text[] = "0 0 3 0-4";

	(void)state;
	begin("timeout=60");
	pass(3000);
	recovery_message(nodes[1].session, MSG_CANDIDATES, text, strlen(text));
	assert_true(nodes[1].session->recovery->is == ROLE_SEEKER);
	pass_until_run(4, 1, 5000);
	well();
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
	assert_string_equal(srun.last, "N");
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
	assert_null(strstr(nodes[0].said, "a spare, is lost"));
	pass(1000);
	has_said(0, "a spare, is lost: 0 spares are left");
	well();
}

/* The step has ended meanwhile: who has no door, and so claims nothing, finds
 * out that srun is gone, too. */
static void second_launcher_comes_back(void **state)
{
	(void)state;
	begin("timeout=60");
	nodes[2].s.cut = CUT_IN | CUT_OUT;
	nodes[2].job.localid = 1;
	pass_until_run(4, 1, 2 * LEASE_MS);
	finish();
	pass(2000);
	assert_true(nodes[0].left);
	assert_int_equal(srun.listening.fd, -1);
	stepped_heal(&nodes[2].s);
	pass(5 * LEASE_MS);
	assert_true(nodes[2].left);
	nodes_free();
}

/* All is done, and the centre goes with another one, who never comes to the
 * next centre. */
static void done_and_two_are_lost(void **state)
{
	(void)state;
	begin("timeout=60");
	pass(3000);
	for (unsigned i = 0; i < 4; i++)
		node_tells(&nodes[i], MSG_IDLE, "0");
	pass(1000);
	nodes[3].dead = true;
	node_ends(3);
	nodes[0].dead = true;
	node_ends(0);
	leave_with(0, 3000 * LEASE_S);
	nodes_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_spare),
		cmocka_unit_test(done_and_two_are_lost),
		cmocka_unit_test(centre_hears_nothing),
		cmocka_unit_test(lost_while_some_are_ready),
		cmocka_unit_test(loss_takes_the_restart),
		cmocka_unit_test(leases),
		cmocka_unit_test(old_term),
		cmocka_unit_test(spare_lost),
		cmocka_unit_test(second_launcher_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
