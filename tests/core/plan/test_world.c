/* SPDX-License-Identifier: Apache-2.0 */
/* Replica groups: who is in which, and where each one meets, round by round. */
#include "core/plan/plan.h"
#include "tests/fixtures/plan_fixture.h"

/* Four nodes, of which some tasks run on each. */
static struct facts task_of(unsigned ntasks, unsigned procid, unsigned localid,
			    unsigned nodeid, const char *gtids,
			    const char *by_node, const char *map)
{
	struct facts f = facts_task(ntasks, 4, procid, localid, nodeid, gtids);

	facts_handover(&f);
	facts_set(&f, "SLURM_STEP_NODELIST", "node[1-4]");
	facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", by_node);
	if (map)
		facts_set(&f, "SLURM_DIST_TRAIN_TASKMAP", map);
	return f;
}

static void groups_are(const struct plan *plan, const char *expected)
{
	char text[64] = "";
	struct err err;
	unsigned *group = world_groups(plan, &err);

	assert_non_null(group);
	for (unsigned i = 0; i < plan->job->ntasks; i++)
		text[i] = (char)('0' + group[i]);
	free(group);
	assert_string_equal(text, expected);
}

static void world_is(const struct task *t, unsigned replica, unsigned rank,
		     unsigned size, unsigned node_rank, const char *addr)
{
	struct process p;

	process(t, 0, &p);
	assert_int_equal(p.world.replica, replica);
	assert_int_equal(p.world.rank, rank);
	assert_int_equal(p.world.size, size);
	assert_int_equal(p.world.node_rank, node_rank);
	assert_int_equal(p.world.nnodes, 4 / t->plan.nreplicas);
	assert_string_equal(p.world.addr, addr);
}

static void blocks(void **state)
{
	struct facts f = task_of(7, 4, 1, 2, "3,4,5", "2,1,3,1", NULL);
	struct task t;

	(void)state;
	plan_ok(&t, "torchft,replicas=2", &f);
	groups_are(&t.plan, "0001111");
	world_is(&t, 1, 1, 4, 0, "node3");
	clear(&t);
	plan_ok(&t, "torchft", &f);
	groups_are(&t.plan, "0012223");
	world_is(&t, 2, 1, 3, 0, "node3");
	clear(&t);
	plan_ok(&t, "torchft,replicas=1", &f);
	groups_are(&t.plan, "0000000");
	world_is(&t, 0, 4, 7, 2, "node1");
	clear(&t);
}

/* Ranks of a group aren't consecutive in the step. */
static void cyclic(void **state)
{
	struct facts f = task_of(8, 6, 1, 2, "2,6", "2(x4)", "cyclic");
	struct task t;

	(void)state;
	plan_ok(&t, "torchft,replicas=2", &f);
	groups_are(&t.plan, "00110011");
	world_is(&t, 1, 2, 4, 0, "node3");
	clear(&t);
}

static void devices(void **state)
{
	struct facts f = device_task(4, 2, "2,1,3,2", 3);
	struct process p, in_group;
	struct plan group;
	struct task t;

	(void)state;
	facts_set(&f, "SLURM_STEP_NODELIST", "node[1-4]");
	facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", "1(x4)");
	plan_ok(&t, "torchft,replicas=2", &f);
	groups_are(&t.plan, "0011");
	process(&t, 2, &p);
	assert_int_equal(p.rank, 5);
	world_view(&t.plan, &p, &group, &in_group);
	assert_int_equal(in_group.rank, 2);
	assert_int_equal(group.world_size, 5);
	assert_int_equal(group.first_rank, 0);
	assert_int_equal(group.nnodes, 2);
	assert_int_equal(group.service_at.port, t.plan.coordinator.port);
	assert_int_equal(group.coordinator.port, t.plan.replica_port);
	clear(&t);
}

static void plan_round(struct task *t, unsigned round)
{
	t->job.round = round;
	assert_int_equal(
		plan_make(&t->request, &t->config, &t->job, &t->plan, &t->err),
		0);
}

/* The lighthouse stays where it is; a group has another port in each round,
 * and never that of the lighthouse. */
static void rounds(void **state)
{
	static const struct {
		const char *reserved, *option;
		unsigned stores; /* different ports in ten rounds */
	} cases[] = {
		{NULL, "torchft", 10},
		{"21000-21003", "torchft", 3},
		{"21000-21001", "torchft", 1},
		{"21000", "torchft", 10}, /* too few: derived */
		{"21000-21003", "torchft,port=7000", 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct facts f = task_of(4, 0, 0, 0, "0", "1(x4)", NULL);
		unsigned lighthouse, seen[10], n = 0;
		struct task t;

		if (cases[i].reserved)
			facts_set(&f, "SLURM_STEP_RESV_PORTS",
				  cases[i].reserved);
		plan_ok(&t, cases[i].option, &f);
		lighthouse = t.plan.coordinator.port;
		for (unsigned round = 0; round < 10; round++) {
			unsigned k = 0;

			plan_round(&t, round);
			assert_int_equal(t.plan.coordinator.port, lighthouse);
			assert_true(t.plan.replica_port);
			assert_int_not_equal(t.plan.replica_port, lighthouse);
			while (k < n && seen[k] != t.plan.replica_port)
				k++;
			seen[k] = t.plan.replica_port;
			n += k == n;
		}
		assert_case(cases[i].option, n == cases[i].stores);
		clear(&t);
	}
}

static void refusals(void **state)
{
	struct facts f = task_of(4, 0, 0, 0, "0", "1(x4)", NULL);

	(void)state;
	refused("torchft,replicas=3", &f,
		"replicas=3: the step's 4 nodes can't be divided into 3 groups "
		"of the same size; numbers that divide them: 1, 2, 4");
	refused("torchft,replicas=8", &f, "into 8 groups");
	refused("torchft,replicas=2,min-replicas=3", &f,
		"min-replicas=3: the step has only 2 replica groups");
	refused("torchft,port=65535", &f, "the last port would be above");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks),   cmocka_unit_test(cyclic),
		cmocka_unit_test(devices),  cmocka_unit_test(rounds),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
