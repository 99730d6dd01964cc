/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that lose nodes, one story each, on a clock of the test's. */
#include "tests/fixtures/recovery_clock.h"

#define LEASE_S	 15
#define LEASE_MS (LEASE_S * 1000UL)

static void begin(unsigned n, unsigned nspares, const char *ladder,
		  const char *keys)
{
	kill_ms = 0;
	gathers = false;
	nodes_make(n, nspares, ladder, keys, LEASE_S);
	for (unsigned i = 0; i < n; i++)
		node_begin(i);
	pass_until_run(n - nspares, 0, 5000);
}

static void kill_node(unsigned i)
{
	nodes[i].dead = true;
	node_ends(i);
}

static void no_loss(void **state)
{
	(void)state;
	begin(5, 1, "replace+fail", "timeout=60");
	pass(120000);
	assert_int_equal(running_round(), 0);
	finish();
	leave_with(0, 5000);
	assert_string_equal(host.last, "N");
	nodes_free();
}

static void killed(void **state)
{
	(void)state;
	begin(5, 1, "replace+fail", "timeout=60");
	kill_node(2);
	pass_until_run(4, 1, 3000);
	assert_true(nodes[4].runs);
	finish();
	leave_with(0, 5000);
	assert_string_equal(host.last, "W");
	nodes_free();
}

/* As any other one. */
static void first_node_killed(void **state)
{
	(void)state;
	begin(5, 1, "replace+fail", "timeout=60");
	pass(5000);
	kill_node(0);
	pass_until_run(4, 1, 3000);
	assert_true(nodes[4].runs);
	finish();
	leave_with(0, 5000);
	assert_string_equal(host.last, "W");
	nodes_free();
}

static void well(const char *word)
{
	finish();
	leave_with(0, 5000);
	assert_string_equal(host.last, word);
	nodes_free();
}

static void two_at_once(void **state)
{
	(void)state;
	begin(6, 2, "replace+fail", "timeout=60");
	pass(5000);
	kill_node(0);
	kill_node(1);
	pass_until_run(4, 1, LEASE_MS + 5000);
	assert_true(nodes[4].runs && nodes[5].runs);
	well("W");
}

static void first_lost_in_replacement(void **state)
{
	(void)state;
	begin(6, 2, "replace+fail", "timeout=60");
	pass(5000);
	kill_ms = 3000;
	kill_node(2);
	pass(600);
	kill_node(0);
	pass_until_run(4, 1, LEASE_MS + 8000);
	well("W");
}

/* It is stopped, and when it wakes its processes die before anything else. */
static void stopped_first_node(void **state)
{
	(void)state;
	begin(5, 1, "replace+fail", "timeout=60");
	nodes[0].stopped = true;
	pass_until_run(4, 1, LEASE_MS + 3000);
	assert_true(nodes[0].runs);
	nodes[0].stopped = false;
	settle();
	assert_false(nodes[0].runs);
	pass(10000);
	kill_node(3);
	pass_until_run(4, 2, 3000);
	assert_true(nodes[0].runs);
	well("W");
}

static void stopped_member(void **state)
{
	(void)state;
	begin(5, 1, "replace+fail", "timeout=60");
	nodes[2].stopped = true;
	pass_until_run(4, 1, LEASE_MS + 3000);
	has_said("no sign of life from node2 for 15 s");
	nodes[2].stopped = false;
	settle();
	assert_false(nodes[2].runs);
	pass(3000);
	kill_node(1);
	pass_until_run(4, 2, 3000);
	assert_true(nodes[2].runs);
	well("W");
}

/* A machine that is busy isn't lost, nor are the others for the one. */
static void late_is_not_lost(void **state)
{
	(void)state;
	begin(5, 1, "replace+fail", "timeout=60");
	for (unsigned i = 0; i < 5; i++) {
		nodes[i].stopped = true;
		pass(4000);
		nodes[i].stopped = false;
		pass(500);
	}
	pass(60000);
	assert_int_equal(running_round(), 0);
	well("N");
}

/* Who can't be heard hears the others: it fences itself all the same. */
static void cut_one_way(void **state)
{
	(void)state;
	begin(5, 1, "replace+fail", "timeout=60");
	nodes[2].s.cut = CUT_OUT;
	pass(recovery_fence_ms(LEASE_S) + 700);
	assert_false(nodes[2].runs);
	assert_int_equal(running_round(), 0);
	pass_until_run(4, 1, 8000);
	stepped_heal(&nodes[2].s);
	pass(10000);
	well("W");
}

static void no_spare(void **state)
{
	(void)state;
	begin(4, 1, "replace+fail", "timeout=60,grace=1");
	kill_node(1);
	pass_until_run(3, 1, 3000);
	kill_node(2);
	leave_with(137, 20000);
	has_said("nothing can take its place: the step fails");
	assert_string_equal(host.last, "M");
	nodes_free();

	begin(3, 0, "replace+shrink:2+requeue", "timeout=60,grace=1");
	kill_node(1);
	pass_until_run(2, 1, 3000);
	kill_node(2);
	leave_with(137, 20000);
	assert_string_equal(host.last, "R");
	nodes_free();
}

static void condemned(void **state)
{
	(void)state;
	begin(6, 2, "replace+fail", "timeout=60");
	node_tells(&nodes[4], MSG_CONDEMNED, "has 3 of 4 GPUs");
	node_tells(&nodes[2], MSG_CONDEMNED, "has no /dev/shm");
	pass_until_run(4, 1, 3000);
	assert_true(nodes[5].runs);
	has_said("node2 has no /dev/shm: node5, a spare, takes its place");
	assert_null(strstr(strstr(host.said, "no /dev/shm") + 1,
			   "no /dev/shm")); /* once */
	pass(2000);
	kill_node(0); /* nobody is left to take its place */
	leave_with(137, 40000);
	nodes_free();
}

/* A program's failure beside a loss is the loss's; by itself it is one of the
 * restarts, and the last one ends the step. */
static void failures(void **state)
{
	(void)state;
	begin(5, 1, "replace+fail", "timeout=60,restarts=1,grace=2");
	nodes[2].s.cut = CUT_IN | CUT_OUT;
	pass(300);
	fails(1, 1);
	pass(3000);
	assert_true(nodes[0].runs); /* it isn't known yet who is lost */
	pass_until_run(4, 1, LEASE_MS + 3000);
	has_said("node2 is lost");
	fails(1, 137);
	pass_until_run(4, 2, 3000);
	has_said("restart 1 of 1 of the step's processes");
	stepped_heal(&nodes[2].s);
	pass(5000);
	fails(1, 3);
	leave_with(3, 10000);
	nodes_free();
}

/* Found in the grace of a failure, which it may have caused. */
static void loss_in_grace(void **state)
{
	(void)state;
	begin(5, 1, "replace+fail", "timeout=60,grace=30");
	fails(1, 1);
	pass(2000);
	kill_node(2);
	pass_until_run(4, 1, 12000);
	well("W");
}

static void told_to_end(void **state)
{
	(void)state;
	begin(5, 1, "replace+fail", "timeout=60");
	for (unsigned i = 0; i < 5; i++)
		session_told_to_end(nodes[i].session);
	for (unsigned i = 0; i < 4; i++)
		node_tells(&nodes[i], MSG_TOLD, "");
	settle();
	kill_node(2);
	for (unsigned i = 0; i < 4; i++)
		if (!nodes[i].dead)
			fails(i, 143);
	leave_with(143, 60000);
	nodes_free();
}

static void late_begin(unsigned absent)
{
	kill_ms = 0;
	gathers = false;
	nodes_make(5, 1, "replace+fail", "timeout=20", LEASE_S);
	for (unsigned i = 0; i < 5; i++)
		if (i == absent)
			nodes[i].dead = true;
		else
			node_begin(i);
}

static void absent(void **state)
{
	(void)state;
	late_begin(2);
	pass_until_run(4, 1, 25000);
	assert_true(nodes[4].runs);
	has_said("node2 hasn't come in time: node4, a spare, takes its place");
	well("W");
}

/* Without task 0's launcher nobody leads: the others wait for it as long again,
 * and leave. */
static void first_is_absent(void **state)
{
	(void)state;
	late_begin(0);
	leave_with(137, 60000);
	assert_non_null(strstr(nodes[1].said, "controller doesn't answer"));
	assert_string_equal(nodes[2].said, ""); /* one says it */
	nodes_free();
}

/* All tell their rows once, in order; who is lost before is left out. */
static void exchange(void **state)
{
	(void)state;
	kill_ms = 0;
	gathers = true;
	nodes_make(5, 1, "replace+fail", "timeout=60", LEASE_S);
	for (unsigned i = 0; i < 5; i++)
		if (i != 3)
			node_begin(i);
	pass(1000);
	kill_node(0);
	pass(3000);
	node_begin(3);
	pass_until_run(4, 1, 5000);
	for (unsigned i = 1; i < 5; i++)
		assert_true(nodes[i].session->recovery->gathered);
	well("W");
}

/* Processes end at once; the launchers look for it until Slurm ends them. */
static void controller_is_killed(void **state)
{
	(void)state;
	begin(5, 1, "replace+fail", "timeout=60");
	pass(3000);
	host_ends();
	settle();
	assert_true(all_run(0));
	pass(30000);
	assert_false(nodes[1].left);
	for (unsigned i = 0; i < 5; i++)
		session_told_to_end(nodes[i].session);
	leave_with(143, 1000);
	nodes_free();
}

static void srun_is_gone(void **state)
{
	(void)state;
	begin(5, 1, "replace+fail", "timeout=60");
	pass(3000);
	srun_ends();
	leave_with(137, 30000);
	has_said("srun has ended");
	nodes_free();
}

/* Nothing stays on its host for who doesn't answer, or never came. */
static void srun_is_gone_and_one_is_stopped(void **state)
{
	(void)state;
	late_begin(4);
	pass_until_run(4, 0, 5000);
	nodes[2].stopped = true;
	srun_ends();
	pass(8100);
	assert_true(host.over);
	nodes[2].stopped = false;
	nodes_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_loss),
		cmocka_unit_test(killed),
		cmocka_unit_test(first_node_killed),
		cmocka_unit_test(two_at_once),
		cmocka_unit_test(first_lost_in_replacement),
		cmocka_unit_test(stopped_first_node),
		cmocka_unit_test(stopped_member),
		cmocka_unit_test(late_is_not_lost),
		cmocka_unit_test(cut_one_way),
		cmocka_unit_test(no_spare),
		cmocka_unit_test(condemned),
		cmocka_unit_test(failures),
		cmocka_unit_test(loss_in_grace),
		cmocka_unit_test(told_to_end),
		cmocka_unit_test(absent),
		cmocka_unit_test(first_is_absent),
		cmocka_unit_test(exchange),
		cmocka_unit_test(controller_is_killed),
		cmocka_unit_test(srun_is_gone),
		cmocka_unit_test(srun_is_gone_and_one_is_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
