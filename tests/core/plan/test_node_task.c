/* SPDX-License-Identifier: Apache-2.0 */
/* The plans of a node's other tasks are those that they make themselves. */
#include "core/plan/plan.h"

#include "tests/fixtures/plan_fixture.h"

/* The tasks 1, 3 and 5 are on the node; this is the `local`-th of them. */
static struct facts cyclic_task(unsigned local)
{
	struct facts f = facts_task(6, 2, 2 * local + 1, local, 1, "1,3,5");

	facts_handover(&f);
	return f;
}

static void is_its_own(void **state)
{
	struct facts first = cyclic_task(0);
	struct node_task its;
	struct err err = {""};
	struct task t, own;

	(void)state;
	plan_ok(&t, "ddp,supervise=yes", &first);
	for (unsigned i = 0; i < 3; i++) {
		struct facts f = cyclic_task(i);

		plan_ok(&own, "ddp,supervise=yes", &f);
		assert_int_equal(
			node_task_make(&t.plan, &t.config, i, &its, &err), 0);
		assert_int_equal(its.plan.first_rank, own.plan.first_rank);
		assert_int_equal(its.plan.first_rank, 2 * i + 1);
		assert_int_equal(its.plan.node_rank, own.plan.node_rank);
		assert_int_equal(its.plan.world_size, own.plan.world_size);
		assert_int_equal(its.job.localid, i);
		assert_ptr_equal(its.plan.job, &its.job);
		clear(&own);
	}
	clear(&t);
}

static void bad_list(const char *gtids, unsigned localid, const char *why)
{
	struct facts f = cyclic_task(0);
	struct node_task its;
	struct err err = {""};
	struct task t;

	plan_ok(&t, "ddp,supervise=yes", &f);
	free(t.job.gtids);
	t.job.gtids = gtids ? strdup(gtids) : NULL;
	assert_int_equal(
		node_task_make(&t.plan, &t.config, localid, &its, &err), -1);
	if (!strstr(err.text, why))
		fail_msg("'%s' isn't in '%s'", why, err.text);
	clear(&t);
}

static void no_list_of_tasks(void **state)
{
	(void)state;
	bad_list(NULL, 1, "for task 1 of node");
	bad_list("1", 1, "SLURM_GTIDS has no task below 6");
	bad_list("1,,5", 1, "'1,,5'");
	bad_list("1,x,5", 1, "'1,x,5'");
	bad_list("1,6,5", 1, "below 6");
	bad_list("1,3x,5", 1, "'1,3x,5'");
	bad_list("1,3,5", 3, "for task 3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_its_own),
		cmocka_unit_test(no_list_of_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
