/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/share_cores.h"
#include "core/plan/plan.h"
#include "tests/fixtures/plan_fixture.h"

static void addresses(void **state)
{
	static const struct {
		const char *text;
		unsigned nnodes;
		bool node, ip; /* what srun handed over */
		const char *addr, *source;
	} cases[] = {
		{"ddp", 1, true, true, "127.0.0.1", "a step on one node"},
		{"ddp", 1, false, false, "127.0.0.1", "a step on one node"},
		{"ddp,addr=ip", 1, true, true, "10.0.0.1",
		 "address of rank 0's node"},
		{"ddp,addr=name", 1, true, true, "node1",
		 "name of rank 0's node"},
		{"ddp", 2, true, true, "10.0.0.1", "address of rank 0's node"},
		{"ddp", 2, true, false, "node1", "name of rank 0's node"},
		{"ddp,addr=name", 2, true, true, "node1",
		 "name of rank 0's node"},
		{"ddp,addr=nic:ib0", 1, true, true, "10.1.0.1", "key addr"},
		{"ddp,addr=nic:ib0", 2, true, true, "10.1.0.1", "key addr"},
		{"ddp,addr=ip", 2, true, false, NULL, NULL},
		{"ddp,addr=nic:ib0", 1, true, false, NULL, NULL},
		{"ddp,addr=nic:ib0", 2, true, false, "ib0",
		 "the interface of rank 0's node; its address is sent when the "
		 "step starts"},
		{"tf,addr=nic:ib0", 2, true, true, NULL, NULL},
		{"ddp,addr=name", 2, false, true, NULL, NULL},
		{"ddp", 2, false, false, NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct facts f = device_task(cases[i].nnodes, 0, NULL, 0);
		struct task t;

		if (!cases[i].node)
			facts_unset(&f, "SLURM_DIST_TRAIN_NODE");
		if (!cases[i].ip)
			facts_unset(&f, "SLURM_DIST_TRAIN_ADDR");
		else
			facts_set(&f, "SLURM_DIST_TRAIN_NIC_ADDR", "10.1.0.1");
		if (!cases[i].addr) {
			refused(cases[i].text, &f,
				cases[i].ip && cases[i].node
					? "of all processes, not of rank 0"
					: "isn't known here");
			continue;
		}
		plan_ok(&t, cases[i].text, &f);
		assert_string_equal(t.plan.coordinator.addr, cases[i].addr);
		assert_string_equal(t.plan.coordinator.addr_source,
				    cases[i].source);
		clear(&t);
	}
}

static void ports(void **state)
{
	struct facts f = device_task(2, 1, NULL, 0);
	struct task t;

	(void)state;
	plan_ok(&t, "ddp", &f);
	assert_int_equal(t.plan.coordinator.port_kind, PORT_DERIVED);
	assert_in_range(t.plan.coordinator.port, 20000, 28999);
	clear(&t);
	facts_set(&f, "SLURM_STEP_RESV_PORTS", "21007,21009-21010");
	plan_ok(&t, "ddp", &f);
	assert_int_equal(t.plan.coordinator.port_kind, PORT_RESERVED);
	assert_int_equal(t.plan.coordinator.port, 21007);
	clear(&t);
	plan_ok(&t, "ddp,port=29500", &f);
	assert_int_equal(t.plan.coordinator.port_kind, PORT_ASKED);
	assert_int_equal(t.plan.coordinator.port, 29500);
	assert_string_equal(coordinator_port_source(&t.plan.coordinator),
			    "key port");
	clear(&t);
}

static void procs_by_task(void **state)
{
	char procs[120] = "8", buf[8];
	struct facts f = device_task(2, 1, "4(x2)", 4);
	struct task t;

	(void)state;
	plan_ok(&t, "ddp", &f);
	assert_string_equal(plan_procs_by_task(&t.plan, buf, sizeof(buf)),
			    "4(x2)");
	clear(&t);
	plan_ok(&t, "ddp,procs=task", &f);
	assert_null(plan_procs_by_task(&t.plan, buf, sizeof(buf)));
	clear(&t);
	plan_ok(&t, "ddp,procs=3", &f);
	assert_string_equal(plan_procs_by_task(&t.plan, buf, sizeof(buf)),
			    "3(x2)");
	clear(&t);
	f = device_task(1, 0, NULL, 0);
	plan_ok(&t, "ddp,procs=3", &f);
	assert_string_equal(plan_procs_by_task(&t.plan, buf, sizeof(buf)), "3");
	clear(&t);
	/* However long the step's own text is. */
	for (unsigned i = 1; i < 50; i++)
		strcat(procs, i % 2 ? ",4" : ",8");
	f = device_task(50, 0, procs, 8);
	plan_ok(&t, "ddp", &f);
	assert_string_equal(plan_procs_by_task(&t.plan, buf, sizeof(buf)),
			    procs);
	clear(&t);
}

static void local_rank_of_the_device(void **state)
{
	struct facts f = facts_task(2, 1, 1, 1, 0, "0,1");
	struct process p;
	struct task t;

	(void)state;
	facts_set(&f, "SLURM_DIST_TRAIN_VISIBLE", "CUDA_VISIBLE_DEVICES=0,1");
	facts_set(&f, "CUDA_VISIBLE_DEVICES", "1");
	plan_ok(&t, "ddp,local-rank=device", &f);
	process(&t, 0, &p);
	assert_int_equal(p.local_rank, 1);
	assert_int_equal(p.local_rank_shown, 0);
	clear(&t);
	/* Without devices there is only the process's number. */
	facts_unset(&f, "SLURM_DIST_TRAIN_VISIBLE");
	plan_ok(&t, "ddp,local-rank=device", &f);
	process(&t, 0, &p);
	assert_int_equal(p.local_rank_shown, 1);
	clear(&t);
}

/* How many of a node's tasks remark, where each sees `visible`. */
static unsigned remarks(const char *text, unsigned ntasks, unsigned node,
			const char *visible, char *line, unsigned size)
{
	static const char *const gtids[] = {"", "0", "0,1", "0,1,2", "0,1,2,3"};
	unsigned n = 0;

	for (unsigned i = 0; i < ntasks; i++) {
		struct facts f = facts_task(2 * ntasks, 2, node * ntasks + i, i,
					    node, gtids[ntasks]);
		struct process p;
		struct task t;

		facts_handover(&f);
		facts_set(&f, "SLURM_DIST_TRAIN_VISIBLE",
			  "CUDA_VISIBLE_DEVICES=0,1,2,3");
		facts_set(&f, "CUDA_VISIBLE_DEVICES", visible);
		plan_ok(&t, text, &f);
		process(&t, 0, &p);
		n += plan_remark(&t.plan, &p, line, size);
		clear(&t);
	}
	return n;
}

/* What rank 0 says where its task has `cpus` CPUs of more; "": nothing. */
static const char *rank0_remark(const char *text, struct facts *f,
				unsigned cpus, unsigned round)
{
	static char line[256];
	struct process p;
	struct task t;

	plan_ok(&t, text, f);
	t.job.cpus_bound = cpus;
	t.job.cores = share_of_task(&t.job, cpus);
	t.job.round = round;
	process(&t, 0, &p);
	if (!plan_remark(&t.plan, &p, line, sizeof(line)))
		*line = '\0';
	clear(&t);
	return line;
}

static void cpus(void **state)
{
	struct facts f = facts_task(2, 2, 0, 0, 0, "0");

	(void)state;
	facts_handover(&f);
	assert_string_equal(
		rank0_remark("ddp,procs=8", &f, 1, 0),
		"the 8 processes of a node share 1 core; srun "
		"--cpus-per-task=N (in a batch script sbatch's alone isn't "
		"enough) gives them more");
	assert_string_equal(rank0_remark("ddp,procs=8", &f, 1, 1), "");
	assert_string_equal(rank0_remark("ddp,procs=8", &f, 0, 0), "");
	assert_string_equal(rank0_remark("ddp,procs=8", &f, 8, 0), "");
	assert_string_equal(rank0_remark("ddp,procs=task", &f, 1, 0), "");
	facts_set(&f, "SLURM_STEP_GPUS", "0-3");
	facts_set(&f, "SLURM_DIST_TRAIN_GPUS", "0-3");
	assert_non_null(strstr(rank0_remark("torchrun", &f, 2, 0),
			       "the 4 processes of a node share 2 cores;"));
	assert_non_null(strstr(rank0_remark("ddp,procs=task", &f, 1, 0),
			       "each process has 1 core for its threads and "
			       "data loaders; srun --cpus-per-task=N"));
	assert_string_equal(rank0_remark("ddp,procs=task", &f, 2, 0), "");
	facts_set(&f, "SLURM_CPUS_PER_TASK", "1");
	assert_string_equal(rank0_remark("ddp,procs=task", &f, 1, 0), "");
	facts_set(&f, "SLURM_CPUS_PER_TASK", "16");
	assert_string_equal(
		rank0_remark("ddp,procs=task", &f, 1, 0),
		"each task has 1 of the 16 CPUs that --cpus-per-task=16 asked "
		"for: since Slurm 22.05 srun doesn't take it from sbatch; "
		"write srun --cpus-per-task=16, or export "
		"SRUN_CPUS_PER_TASK=16");
	assert_string_equal(rank0_remark("ddp,procs=task", &f, 16, 0), "");
	/* tasks that share what the step has on the node */
	f = facts_task(16, 2, 0, 0, 0, "0,1,2,3,4,5,6,7");
	facts_handover(&f);
	facts_set(&f, "SLURM_CPUS_ON_NODE", "1");
	assert_non_null(strstr(rank0_remark("ddp", &f, 1, 0),
			       "the 8 processes of a node share 1 core;"));
	facts_set(&f, "SLURM_CPUS_ON_NODE", "8");
	assert_string_equal(rank0_remark("ddp", &f, 1, 0), "");
}

static void remark(void **state)
{
	struct facts none = facts_task(2, 2, 0, 0, 0, "0");
	char line[256];

	(void)state;
	facts_handover(&none);
	assert_int_equal(remarks("ddp", 4, 0, "1", line, sizeof(line)), 1);
	assert_string_equal(line,
			    "each process sees only 1 device, so "
			    "set_device(LOCAL_RANK) fails from local rank 1 "
			    "on; local-rank=device makes LOCAL_RANK the index "
			    "of the process's own device");
	assert_int_equal(remarks("ddp", 4, 0, "0,1", line, sizeof(line)), 1);
	assert_non_null(strstr(line, "only 2 devices, so"));
	assert_int_equal(remarks("ddp", 4, 1, "1", line, sizeof(line)), 0);
	assert_int_equal(remarks("jax", 4, 0, "1", line, sizeof(line)), 0);
	assert_int_equal(remarks("ddp", 4, 0, "0,1,2,3", line, sizeof(line)),
			 0);
	assert_int_equal(remarks("ddp", 1, 0, "1", line, sizeof(line)), 0);
	assert_int_equal(remarks("ddp", 4, 0, "", line, sizeof(line)), 0);
	assert_string_equal(rank0_remark("ddp,visible=one", &none, 0, 0),
			    "visible=one has no effect: Slurm has given this "
			    "step no devices; ask for them, as with srun "
			    "--gpus-per-node=N");
	assert_int_equal(
		remarks("ddp,visible=all", 4, 0, "1", line, sizeof(line)), 0);
	assert_int_equal(
		remarks("ddp,local-rank=device", 4, 0, "1", line, sizeof(line)),
		0);
}

/* Whether a task with these devices has NPUs. */
static bool has_npus(const char *text, const char *name, const char *value)
{
	struct facts f = facts_task(2, 2, 1, 0, 1, "1");
	struct task t;
	bool found;

	facts_handover(&f);
	facts_set(&f, "SLURM_DIST_TRAIN_GPUS", "0-3");
	if (name)
		facts_set(&f, name, value);
	plan_ok(&t, text, &f);
	found = t.plan.resolved.npu;
	assert_int_equal(t.plan.resolved.table, found && !strstr(text, "none"));
	clear(&t);
	return found;
}

static void npus(void **state)
{
	static const char gpus[] = "SLURM_DIST_TRAIN_VISIBLE";
	static const char visible[] = "CUDA_VISIBLE_DEVICES=0,1,2,3";

	(void)state;
	assert_true(has_npus("mindspore", NULL, NULL));
	assert_true(has_npus("mindspore,table=none", NULL, NULL));
	assert_false(has_npus("mindspore", gpus, visible));
	assert_true(has_npus("mindspore,table=1.2", gpus, visible));
	assert_false(has_npus("mindspore,run-on=first", NULL, NULL));
	assert_true(has_npus("ascend", gpus, visible));
	assert_false(has_npus("ddp", NULL, NULL));
	/* Another node has some, this one has none: said by its launcher */
	assert_true(
		has_npus("mindspore", "SLURM_DIST_TRAIN_GRES", "node1:0-7"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses),
		cmocka_unit_test(ports),
		cmocka_unit_test(procs_by_task),
		cmocka_unit_test(local_rank_of_the_device),
		cmocka_unit_test(cpus),
		cmocka_unit_test(remark),
		cmocka_unit_test(npus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
