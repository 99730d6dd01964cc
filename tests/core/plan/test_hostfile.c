/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a step for launchers: their order and slots. */
#include "core/facts/taskmap.h"
#include "core/plan/procmap.h"

#include "tests/fixtures/plan_fixture.h"

struct layout {
	const char *nodes, *tasks, *taskmap, *procs, *addrs;
	unsigned ntasks, nnodes;
};

static struct facts first_task(const struct layout *l)
{
	struct facts f = facts_task(l->ntasks, l->nnodes, 0, 0, 0, "0");

	facts_handover(&f);
	facts_set(&f, "SLURM_STEP_NODELIST", l->nodes);
	facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", l->tasks);
	if (l->taskmap)
		facts_set(&f, "SLURM_DIST_TRAIN_TASKMAP", l->taskmap);
	if (l->procs)
		facts_set(&f, "SLURM_DIST_TRAIN_PROCS", l->procs);
	if (l->addrs)
		facts_set(&f, "SLURM_DIST_TRAIN_ADDRS", l->addrs);
	return f;
}

static const struct {
	const char *option;
	struct layout layout;
	const char *text;
	unsigned long total;
} lists_of[] = {
	/* one task per node: the devices that srun has counted */
	{"mpi,run-on=first",
	 {"node[1-3]", "1(x3)", NULL, "8(x2),4", NULL, 3, 3},
	 "node1:8,node2:8,node3:4",
	 20},
	{"mpi,run-on=first",
	 {"node[1-2]", "1(x2)", NULL, "0,2", NULL, 2, 2},
	 "node1:1,node2:2",
	 3},
	{"mpi,run-on=first",
	 {"node[1-2]", "1(x2)", NULL, NULL, NULL, 2, 2},
	 "node1:1,node2:1",
	 2},
	/* what was asked for */
	{"mpi,run-on=first,procs=3",
	 {"node[1-2]", "1(x2)", NULL, "8(x2)", NULL, 2, 2},
	 "node1:3,node2:3",
	 6},
	{"mpi,run-on=first,procs=task",
	 {"node[1-2]", "1(x2)", NULL, "8(x2)", NULL, 2, 2},
	 "node1:1,node2:1",
	 2},
	/* several tasks on a node are its slots */
	{"mpi,run-on=first",
	 {"node[1-2]", "3,2", NULL, NULL, NULL, 5, 2},
	 "node1:3,node2:2",
	 5},
	{"mpi,run-on=first",
	 {"node[1-3]", "2,1(x2)", TASKMAP_CYCLIC, NULL, NULL, 4, 3},
	 "node1:2,node2:1,node3:1",
	 4},
	/* nodes come in the order of their first tasks */
	{"mpi,run-on=first",
	 {"node[1-3]", "1(x3)", "2,0,1", "8,4,2", NULL, 3, 3},
	 "node3:8,node1:4,node2:2",
	 14},
	/* by address, in the order of the names */
	{"mpi,run-on=first",
	 {"node[1-2]", "1(x2)", "1,0", NULL, "10.0.0.1,10.0.0.2", 2, 2},
	 "10.0.0.2:1,10.0.0.1:1",
	 2},
};

static void lists(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(lists_of); i++) {
		struct facts f = first_task(&lists_of[i].layout);
		struct hostfile nodes;
		struct err err;
		struct task t;
		char *text;

		plan_ok(&t, lists_of[i].option, &f);
		if (hostfile_find(&t.plan, &nodes, &err) < 0)
			fail_msg("%s: %s", lists_of[i].text, err.text);
		text = hostfile_text(&nodes, ":", ",", &err);
		assert_string_equal(text, lists_of[i].text);
		assert_int_equal(nodes.total, lists_of[i].total);
		assert_int_equal(nodes.n, lists_of[i].layout.nnodes);
		free(text);
		hostfile_clear(&nodes);
		assert_null(nodes.host);
		clear(&t);
	}
}

static void hosts_alone(void **state)
{
	struct facts f = first_task(&(struct layout){"node[1-2]", "1(x2)",
						     .ntasks = 2, .nnodes = 2});
	struct hostfile nodes;
	struct err err;
	struct task t;
	char *text;

	(void)state;
	plan_ok(&t, "mpi,run-on=first", &f);
	assert_int_equal(hostfile_find(&t.plan, &nodes, &err), 0);
	text = hostfile_text(&nodes, NULL, "\n", &err);
	assert_string_equal(text, "node1\nnode2");
	free(text);
	hostfile_clear(&nodes);
	clear(&t);
}

static void not_known(void **state)
{
	static const struct {
		struct layout layout;
		const char *why;
	} cases[] = {
		{{"node[1-3]", "1(x2)", NULL, NULL, NULL, 2, 2},
		 "isn't a list of 2 nodes"},
		{{"node[1-2]", "2,1", NULL, NULL, NULL, 2, 2},
		 "contradicts SLURM_STEP_TASKS_PER_NODE"},
		{{"node[1-2]", "1(x2)", NULL, NULL, "10.0.0.1", 2, 2},
		 "the list of addresses doesn't have one for each of 2 nodes"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct facts f = first_task(&cases[i].layout);
		struct hostfile nodes;
		struct err err = {""};
		struct task t;

		plan_ok(&t, "mpi,run-on=first", &f);
		assert_int_equal(hostfile_find(&t.plan, &nodes, &err), -1);
		if (!strstr(err.text, cases[i].why))
			fail_msg("'%s' isn't in '%s'", cases[i].why, err.text);
		clear(&t);
	}
}

/* GPU_NUM_PER_NODE and the like, of the task's own node: as the list has it */
static void own_slots(void **state)
{
	static const struct {
		const char *option;
		unsigned tasks, devices, slots;
	} cases[] = {
		{"mpi,run-on=first", 1, 0, 1},
		{"mpi,run-on=first", 1, 4, 4},
		{"mpi,run-on=first,procs=2", 1, 4, 2},
		{"mpi,run-on=first,procs=task", 1, 4, 1},
		{"mpi,run-on=first,procs=device", 1, 4, 4},
		{"mpi,run-on=first", 3, 0, 3},
		{"mpi,run-on=first", 3, 4, 3},
		{"mpi,run-on=first,procs=task", 3, 4, 3},
		{"mpi,run-on=first,procs=2", 3, 4, 2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct facts f = first_task(&(struct layout){
			"node[1-2]", cases[i].tasks == 1 ? "1(x2)" : "3(x2)",
			.procs = cases[i].devices ? "4(x2)" : NULL,
			.ntasks = 2 * cases[i].tasks, .nnodes = 2});
		struct hostfile nodes;
		struct err err;
		struct task t;

		if (cases[i].tasks == 3)
			facts_set(&f, "SLURM_GTIDS", "0,1,2");
		if (cases[i].devices)
			facts_set(&f, "SLURM_DIST_TRAIN_GPUS", "0-3");
		plan_ok(&t, cases[i].option, &f);
		assert_case(cases[i].option,
			    hostfile_own_slots(&t.plan) == cases[i].slots);
		assert_int_equal(hostfile_find(&t.plan, &nodes, &err), 0);
		assert_case(cases[i].option, nodes.slots[0] == cases[i].slots);
		hostfile_clear(&nodes);
		clear(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(hosts_alone),
		cmocka_unit_test(not_known),
		cmocka_unit_test(own_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
