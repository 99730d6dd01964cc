/* SPDX-License-Identifier: Apache-2.0 */
/* Which process has which role, where, with which port and devices. */
#include "core/facts/port.h"
#include "core/plan/procmap.h"

#include "core/plan/plan.h"
#include "tests/fixtures/plan_fixture.h"

/* One task per node, of which a launcher makes the processes. */
static struct facts node_task(unsigned nnodes, unsigned procid,
			      const char *tasks)
{
	struct facts f = device_task(nnodes, procid, NULL, 0);
	char nodes[32];

	snprintf(nodes, sizeof(nodes), "node[1-%u]", nnodes);
	facts_set(&f, "SLURM_STEP_NODELIST", nodes);
	facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", tasks);
	return f;
}

/* "c w w p" for chief, workers, ps and evaluator in the order of ranks, with
 * "|" where another node begins. */
static void check_roles(const char *text, struct facts *f, const char *expected)
{
	char found[256] = "";
	struct rank_place *peer;
	struct task t;

	plan_ok(&t, text, f);
	peer = procmap_make(&t.plan, &t.err);
	if (!peer)
		fail_msg("%s: %s", text, t.err.text);
	for (unsigned r = 0; r < t.plan.world_size; r++) {
		size_t used = strlen(found);

		snprintf(found + used, sizeof(found) - used, "%s%c%u",
			 r && peer[r].node != peer[r - 1].node ? "|" : "",
			 role_name(peer[r].role)[0], peer[r].index);
	}
	if (strcmp(found, expected) != 0)
		fail_msg("%s: %s, not %s", text, found, expected);
	free(peer);
	clear(&t);
}

static void by_node(void **state)
{
	static const struct {
		const char *text;
		unsigned nnodes;
		const char *tasks, *expected;
	} cases[] = {
		{"tf-ps", 1, "1", "w0p0"},
		{"tf-ps", 2, "1(x2)", "w0p0|w1p1"},
		{"tf-ps,chief=1", 2, "1(x2)", "c0w0p0|w1p1"},
		{"tf-ps,chief=1,ps=2", 3, "1(x3)", "c0w0|w1p0|w2p1"},
		{"tf-ps,chief=1,ps=2,evaluator=1", 3, "1(x3)",
		 "c0w0|w1p0|w2p1e0"},
		{"tf-ps,ps=1,workers=5", 3, "1(x3)", "w0w1|w2w3|w4p0"},
		{"tf-ps,procs=2", 2, "1(x2)", "w0w1p0|w2w3p1"},
		{"tf-ps,procs=2,ps=0", 2, "1(x2)", "w0w1|w2w3"},
		{"tf-ps,ps=5,workers=1", 2, "1(x2)", "w0p0p1|p2p3p4"},
		/* as many as there are tasks: a role each */
		{"tf-ps,ps=1,workers=2", 3, "1(x3)", "w0|w1|p0"},
		{"tf-ps,procs=task,ps=1", 3, "1(x3)", "w0|w1|p0"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		for (unsigned p = 0; p < cases[i].nnodes; p++) {
			struct facts f =
				node_task(cases[i].nnodes, p, cases[i].tasks);

			check_roles(cases[i].text, &f, cases[i].expected);
		}
}

/* Five tasks on four nodes, and the cyclic distribution. */
static void by_task(void **state)
{
	struct facts f = facts_task(5, 4, 0, 0, 0, "0,1");

	(void)state;
	facts_handover(&f);
	facts_set(&f, "SLURM_STEP_NODELIST", "node[1-4]");
	facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", "2,1(x3)");
	check_roles("tf", &f, "w0w1|w2|w3|w4");
	check_roles("tf-ps", &f, "w0p0|p1|p2|p3");
	check_roles("tf-ps,ps=2", &f, "w0w1|w2|p0|p1");
	check_roles("tf-ps,ps=2,chief=1", &f, "c0w0|w1|p0|p1");
	check_roles("tf-ps,ps=1,evaluator=1", &f, "w0w1|w2|p0|e0");
	check_roles("tf-ps,workers=3", &f, "w0w1|w2|p0|p1");

	f = facts_task(6, 3, 0, 0, 0, "0,3");
	facts_handover(&f);
	facts_set(&f, "SLURM_STEP_NODELIST", "node[1-3]");
	facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", "2(x3)");
	facts_set(&f, "SLURM_DIST_TRAIN_TASKMAP", "cyclic");
	check_roles("tf-ps,ps=2,chief=1", &f, "c0|w0|w1|w2|p0|p1");
	facts_unset(&f, "SLURM_DIST_TRAIN_TASKMAP");
}

static void refusals(void **state)
{
	struct facts f = facts_task(3, 2, 0, 0, 0, "0,1"), n;

	(void)state;
	facts_handover(&f);
	facts_set(&f, "SLURM_STEP_NODELIST", "node[1-2]");
	facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", "2,1");
	refused("tf-ps,ps=3", &f, "use -n 4");
	refused("tf-ps,ps=1,workers=1", &f, "3 tasks for 2 processes");
	refused("tf-ps,chief=1", &f, "3 tasks for 4 processes or more");
	refused("tf-ps,supervise=no,server=stock", &f, "server=stock needs");
	refused("tf-ps,procs=2", &f, "needs one task per node");
	refused("tf,port=65535", &f, "a node has 2 processes");
	n = node_task(3, 0, "1(x3)");
	refused("tf-ps,ps=1,workers=1", &n, "leave some of 3 nodes empty");
	refused("tf-ps,procs=device", &n, "workers=N distributes");
}

/* A task that isn't where the facts put it. */
static void other_place(void **state)
{
	struct facts f = facts_task(4, 2, 1, 0, 1, "1,3");
	struct process p;
	struct task t;

	(void)state;
	facts_handover(&f);
	facts_set(&f, "SLURM_STEP_NODELIST", "node[1-2]");
	facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", "2(x2)");
	plan_ok(&t, "tf-ps,ps=1", &f);
	assert_int_equal(plan_process(&t.plan, 0, &p, &t.err), -1);
	assert_non_null(strstr(t.err.text, "task 1 should be on node node1"));
	clear(&t);
}

static void services(void **state)
{
	struct facts f = node_task(2, 0, "1(x2)");
	struct process p[3];
	struct task t;

	(void)state;
	plan_ok(&t, "tf-ps,chief=1", &f);
	for (unsigned i = 0; i < 3; i++)
		process(&t, i, &p[i]);
	assert_true(t.plan.launcher);
	assert_true(!p[0].service && p[1].service && p[2].service);
	clear(&t);
	plan_ok(&t, "tf-ps", &f);
	process(&t, 0, &p[0]);
	process(&t, 1, &p[1]);
	assert_true(!p[0].service && p[1].service);
	clear(&t);
}

static void devices(void **state)
{
	struct facts f = node_task(2, 0, "1(x2)");
	struct process p;
	struct task t;

	(void)state;
	facts_set(&f, "SLURM_DIST_TRAIN_GPUS", "0-3");
	facts_set(&f, "SLURM_DIST_TRAIN_VISIBLE",
		  "CUDA_VISIBLE_DEVICES=0,1,2,3");
	facts_set(&f, "CUDA_VISIBLE_DEVICES", "0,1,2,3");
	plan_ok(&t, "tf-ps,procs=2", &f);
	process(&t, 1, &p);
	assert_string_equal(p.devices.visible, "2,3");
	process(&t, 2, &p);
	assert_int_equal(p.role, ROLE_PS);
	assert_int_equal(p.devices.own.n, 0);
	assert_string_equal(p.devices.variable, "CUDA_VISIBLE_DEVICES");
	assert_string_equal(p.devices.visible, "-1");
	clear(&t);
}

/* Reserved where Slurm has reserved enough for the largest node. */
static void ports(void **state)
{
	struct facts f = facts_task(5, 4, 0, 0, 0, "0,1");
	struct task t;

	(void)state;
	facts_handover(&f);
	facts_set(&f, "SLURM_STEP_NODELIST", "node[1-4]");
	facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", "2,1(x3)");
	facts_set(&f, "SLURM_STEP_RESV_PORTS", "21000,21007-21008");
	plan_ok(&t, "tf", &f);
	assert_int_equal(t.plan.coordinator.port_kind, PORT_RESERVED);
	assert_int_equal(plan_port(&t.plan, 0), 21000);
	assert_int_equal(plan_port(&t.plan, 1), 21007);
	clear(&t);
	facts_set(&f, "SLURM_STEP_RESV_PORTS", "21000");
	plan_ok(&t, "tf", &f);
	assert_int_equal(t.plan.coordinator.port_kind, PORT_DERIVED);
	assert_int_equal(plan_port(&t.plan, 1), t.plan.coordinator.port + 1);
	clear(&t);
	plan_ok(&t, "ddp", &f);
	assert_int_equal(t.plan.coordinator.port_kind, PORT_RESERVED);
	assert_int_equal(t.plan.nports, 1);
	clear(&t);
}

/* Blocks of one width are the same or don't meet, and stay in the range. */
static void blocks(void **state)
{
	(void)state;
	for (unsigned width = 1; width < 40; width += 3)
		for (unsigned step = 0; step < 60; step++) {
			unsigned port = port_derived(4711, step, 0, width,
						     20000, 23999);

			assert_in_range(port, 20000, 24000 - width);
			assert_int_equal((port - 20000) % width, 0);
			for (unsigned s = 0; s < step && width < 30; s++)
				assert_int_not_equal(
					port, port_derived(4711, s, 0, width,
							   20000, 23999));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_node),  cmocka_unit_test(by_task),
		cmocka_unit_test(refusals), cmocka_unit_test(other_place),
		cmocka_unit_test(services), cmocka_unit_test(devices),
		cmocka_unit_test(ports),    cmocka_unit_test(blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
