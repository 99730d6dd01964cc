/* SPDX-License-Identifier: Apache-2.0 */
/* Who is silent in a step that loses nodes, and who only seems to be, on a
 * clock of the test's. */
#include "tests/fixtures/recovery_five.h"

/* The others' processes get the rest of the lease for their end. */
static void silent_member(void **state)
{
	(void)state;
	begin("timeout=60");
	nodes[2].stopped = true;
	pass(recovery_fence_ms(LEASE_S) - 500);
	assert_true(all_run(3));
	pass(2000);
	assert_true(all_run(0));
	pass_until_run(4, 1, LEASE_MS - recovery_fence_ms(LEASE_S));
	assert_true(nodes[4].runs);
	has_said("no sign of life from node2 for 15 s");
	has_said("node2 is lost: node4, a spare, takes its place");
	nodes[2].stopped = false;
	pass(3000);
	well();
}

/* ... and if it is back before, the next round begins soon. */
static void silent_and_back(void **state)
{
	(void)state;
	begin("timeout=60");
	nodes[2].s.cut = CUT_IN | CUT_OUT;
	pass(recovery_fence_ms(LEASE_S) + 1500);
	assert_true(all_run(0));
	stepped_heal(&nodes[2].s);
	pass_until_run(4, 1, 2000);
	well();
}

/* Nobody can take its place: the others go on until it is lost. */
static void silent_without_spare(void **state)
{
	(void)state;
	kill_ms = 0;
	gathers = false;
	nodes_make(3, 0, "shrink:3+fail", "timeout=60,grace=1", LEASE_S);
	for (unsigned i = 0; i < 3; i++)
		node_begin(i);
	pass_until_run(3, 0, 5000);
	nodes[2].stopped = true;
	pass(recovery_fence_ms(LEASE_S) + 2000);
	assert_true(all_run(2));
	nodes[2].stopped = false;
	pass(500);
	nodes[2].dead = true;
	leave_with(137, 2 * LEASE_MS);
	nodes_free();
}

static void dies(unsigned i)
{
	nodes[i].dead = true;
	node_ends(i);
}

/* The others have given its node up, and trained on: it is a spare. */
static void late_launcher(void **state)
{
	(void)state;
	kill_ms = dying_ms = 0;
	gathers = false;
	nodes_make(5, 1, "replace+fail", "timeout=20", LEASE_S);
	nodes[2].dead = true;
	for (unsigned i = 0; i < 5; i++)
		if (i != 2)
			node_begin(i);
	pass_until_run(4, 1, 25000);
	nodes[2].dead = false;
	node_begin(2);
	pass(5000);
	assert_true(all_run(4) && !nodes[2].runs);
	dies(3);
	pass_until_run(4, 2, 3000);
	assert_true(nodes[2].runs);
	well();
}

/* A launcher whose line breaks while both ends live ends its processes by
 * SIGKILL: the controller doesn't wait for it. It is no spare before they are
 * gone. */
static void line_breaks(void **state)
{
	(void)state;
	begin("timeout=60");
	pass(3000);
	kill_ms = 4000;
	dying_ms = 3000;
	lost_fence(nodes[1].session);
	assert_false(nodes[1].runs);
	nodes[1].s.cut = CUT_IN | CUT_OUT;
	kill_ms = 0;
	pass_until_run(4, 1, 2000);
	assert_true(nodes[4].runs);
	stepped_heal(&nodes[1].s);
	pass(1000); /* it isn't told of the round yet */
	assert_true(nodes[1].ends.armed);
	pass(3000);
	dying_ms = 0;
	dies(2);
	pass_until_run(4, 2, 3000);
	assert_true(nodes[1].runs);
	well();
}

/* A node of which one launcher is lost has no place, nor is it a spare. */
static void two_tasks_per_node(void **state)
{
	(void)state;
	kill_ms = 0;
	gathers = false;
	tasks_per_node = 2;
	nodes_make(12, 2, "replace+fail", "timeout=60,grace=1", LEASE_S);
	for (unsigned i = 0; i < 12; i++)
		node_begin(i);
	pass_until_run(8, 0, 5000);
	dies(3);
	pass_until_run(8, 1, 3000);
	assert_true(nodes[8].runs && nodes[9].runs);
	assert_false(nodes[2].runs);
	has_said("node1 is lost: node4, a spare, takes its place");
	pass(3000);
	dies(0);
	dies(1);
	pass_until_run(8, 2, 3000);
	assert_true(nodes[10].runs && nodes[11].runs);
	pass(3000);
	dies(7);
	leave_with(137, 20000);
	has_said("node3 is lost, and nothing can take its place");
	nodes_free();
	tasks_per_node = 1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silent_member),
		cmocka_unit_test(silent_and_back),
		cmocka_unit_test(silent_without_spare),
		cmocka_unit_test(late_launcher),
		cmocka_unit_test(line_breaks),
		cmocka_unit_test(two_tasks_per_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
