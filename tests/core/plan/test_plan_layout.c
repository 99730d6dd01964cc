/* SPDX-License-Identifier: Apache-2.0 */
/* Who runs where, in both modes, and what is refused. */
#include "tests/fixtures/plan_fixture.h"

/* A distribution: the node of each task by SLURM_PROCID. */
struct layout {
	const char *name;
	unsigned ntasks, nnodes;
	unsigned node[8];
	bool uniform;
};

static const struct layout layouts[] = {
	{"block", 4, 2, {0, 0, 1, 1}, true},
	{"cyclic", 4, 2, {0, 1, 0, 1}, true},
	{"irregular", 5, 4, {0, 0, 1, 2, 3}, false},
	{"irregular, cyclic", 5, 2, {0, 1, 0, 1, 0}, false},
	{"plane=2", 7, 2, {0, 0, 1, 1, 0, 0, 1}, false},
	{"arbitrary", 5, 3, {2, 0, 2, 1, 2}, false},
	{"one", 1, 1, {0}, true},
};

/* The facts of one task of a layout. */
static struct facts layout_task(const struct layout *l, unsigned procid)
{
	unsigned local = 0, seen = 0;
	char gtids[32] = "";

	for (unsigned i = 0; i < l->ntasks; i++) {
		size_t used = strlen(gtids);

		if (l->node[i] != l->node[procid])
			continue;
		if (i == procid)
			local = seen;
		seen++;
		snprintf(gtids + used, sizeof(gtids) - used, "%s%u",
			 used ? "," : "", i);
	}
	return facts_task(l->ntasks, l->nnodes, procid, local, l->node[procid],
			  gtids);
}

/* Any two tasks of a node have different local ranks below its size. */
static void check_task(const struct layout *l, unsigned procid,
		       bool taken[8][8])
{
	struct facts f = layout_task(l, procid);
	unsigned node = l->node[procid];
	struct process p;
	struct task t;

	facts_handover(&f);
	plan_ok(&t, "ddp", &f);
	assert_case(l->name, !t.plan.resolved.device_mode);
	assert_case(l->name, t.plan.nprocs == 1);
	assert_case(l->name, t.plan.world_size == l->ntasks);
	assert_case(l->name, t.plan.node_rank == node);
	assert_case(l->name, t.plan.nnodes == l->nnodes);
	assert_case(l->name, t.plan.uniform == l->uniform);
	process(&t, 0, &p);
	assert_case(l->name, p.rank == procid);
	assert_case(l->name, p.local_rank < t.plan.nodes_procs);
	assert_case(l->name, p.local_rank_shown == p.local_rank);
	assert_case(l->name, !taken[node][p.local_rank]);
	taken[node][p.local_rank] = true;
	clear(&t);
}

static void task_mode(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(layouts); i++) {
		bool taken[8][8] = {{false}};

		for (unsigned k = 0; k < layouts[i].ntasks; k++)
			check_task(&layouts[i], k, taken);
	}
}

/* Ranks of all nodes together: each once, contiguous per node. */
static void check_device_mode(const char *text, const char *procs,
			      const unsigned *devices, const unsigned *nprocs,
			      unsigned nnodes, bool uniform)
{
	unsigned world = 0, rank = 0;

	for (unsigned i = 0; i < nnodes; i++)
		world += nprocs[i];
	for (unsigned i = 0; i < nnodes; i++) {
		struct facts f = device_task(nnodes, i, procs, devices[i]);
		struct process p;
		struct task t;

		plan_ok(&t, text, &f);
		assert_true(t.plan.resolved.device_mode);
		assert_int_equal(t.plan.nprocs, nprocs[i]);
		assert_int_equal(t.plan.nodes_procs, nprocs[i]);
		assert_int_equal(t.plan.world_size, world);
		assert_int_equal(t.plan.node_rank, i);
		assert_int_equal(t.plan.uniform, uniform);
		for (unsigned k = 0; k < nprocs[i]; k++) {
			process(&t, k, &p);
			assert_int_equal(p.rank, rank++);
			assert_int_equal(p.local_rank, k);
			assert_int_equal(p.role, ROLE_WORKER);
		}
		clear(&t);
	}
	assert_int_equal(rank, world);
}

static void device_mode(void **state)
{
	static const unsigned equal[] = {4, 4, 4}, unequal[] = {8, 2, 4};
	static const unsigned none[] = {0, 0, 0}, three[] = {3, 3, 3};
	static const unsigned first_alone[] = {1, 2, 1};

	(void)state;
	check_device_mode("ddp", "4(x3)", equal, equal, 3, true);
	check_device_mode("ddp,procs=device", "4,4,4", equal, equal, 3, true);
	check_device_mode("ddp", "8,2,4", unequal, unequal, 3, false);
	check_device_mode("ddp", "1,2,1", first_alone, first_alone, 3, false);
	check_device_mode("ddp,procs=3", "8,2,4", unequal, three, 3, true);
	check_device_mode("ddp,procs=3", NULL, none, three, 3, true);
	check_device_mode("env,procs=device", "8,2,4", unequal, unequal, 3,
			  false);
}

/* When auto is task mode, and what turns device mode off. */
static void task_mode_by_choice(void **state)
{
	static const struct {
		const char *text, *procs;
		unsigned devices;
	} cases[] = {
		{"ddp", NULL, 4},
		{"ddp", "1(x2)", 1},
		{"ddp", "0(x2)", 0},
		{"ddp,procs=task", "4(x2)", 4},
		{"torchrun", "4(x2)", 4},
		{"torchrun,procs=4", NULL, 0},
		{"torchrun,procs=device", "4(x2)", 4},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct facts f =
			device_task(2, 1, cases[i].procs, cases[i].devices);
		struct task t;

		plan_ok(&t, cases[i].text, &f);
		assert_case(cases[i].text, !t.plan.resolved.device_mode);
		assert_int_equal(t.plan.first_rank, 1);
		assert_int_equal(t.plan.world_size, 2);
		clear(&t);
	}
}

static void several_tasks_are_task_mode(void **state)
{
	struct facts f = facts_task(4, 2, 3, 1, 1, "2,3");
	struct task t;

	(void)state;
	facts_handover(&f);
	facts_set(&f, "SLURM_DIST_TRAIN_PROCS", "4(x4)");
	plan_ok(&t, "ddp", &f);
	assert_false(t.plan.resolved.device_mode);
	clear(&t);
	refused("ddp,procs=device", &f,
		"procs=device needs one task per node, but this step has 4 on "
		"2 nodes; use --ntasks-per-node=1");
	refused("ddp,procs=2", &f, "procs=N needs one task per node");
	refused("torchrun", &f, "torchrun needs one task per node");
	/* As many tasks as nodes, but not one each. */
	f = facts_task(2, 2, 1, 1, 0, "0,1");
	facts_handover(&f);
	refused("ddp,procs=device", &f, "needs one task per node");
}

static void device_mode_refusals(void **state)
{
	struct facts f = device_task(2, 1, NULL, 4);

	(void)state;
	/* it has some, and nobody has told how many the others have */
	refused("ddp,procs=device", &f, "set it with procs=N");
	f = device_task(2, 1, NULL, 0);
	refused("ddp,procs=device", &f, "add --gpus-per-node=N");
	f = device_task(2, 1, "4,0", 0);
	refused("ddp", &f,
		"some node of the step has none (devices by node: "
		"'4,0'); ask for them with --gpus-per-node=N");
	f = device_task(2, 1, "4,4", 2);
	refused("ddp", &f,
		"gave this step 2 devices on node node2, but its "
		"controller counts 4");
	f = device_task(2, 1, "4(x3)", 4);
	refused("ddp", &f, "no count for task 1 in '4(x3)'");
	f = device_task(2, 1, "4,\x1b[2J", 4);
	refused("ddp,procs=device", &f, "in '4,\\x1b[2J'");
	f = device_task(2, 1, "4,8", 8);
	refused("vllm", &f, "vllm starts the same number of workers");
}

static void too_many_processes(void **state)
{
	struct facts f = facts_task(4194304, 4194304, 0, 0, 0, "0");

	(void)state;
	facts_handover(&f);
	refused("ddp,procs=1024", &f, "too many processes");
}

/* Unequal nodes suit torchrun where it doesn't start one per device. */
static void torchrun_with_unequal_nodes(void **state)
{
	struct facts f = device_task(2, 1, "4,8", 8);
	struct task t;

	(void)state;
	plan_ok(&t, "torchrun,procs=4", &f);
	assert_int_equal(t.plan.role, ROLE_LAUNCHER);
	clear(&t);
	plan_ok(&t, "torchrun,procs=task", &f);
	clear(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(task_mode),
		cmocka_unit_test(device_mode),
		cmocka_unit_test(task_mode_by_choice),
		cmocka_unit_test(several_tasks_are_task_mode),
		cmocka_unit_test(device_mode_refusals),
		cmocka_unit_test(too_many_processes),
		cmocka_unit_test(torchrun_with_unequal_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
