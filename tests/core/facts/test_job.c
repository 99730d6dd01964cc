/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "core/facts/job.h"

#include "tests/fixtures/job_fixture.h"

static void read_ok(struct facts *f, bool het, struct job *job)
{
	struct err err = {""};

	if (job_read(facts_lookup, f, het, job, &err) < 0)
		fail_msg("%s", err.text);
}

static void refused(struct facts *f, const char *why)
{
	struct err err = {""};
	struct job job;

	assert_int_equal(job_read(facts_lookup, f, false, &job, &err), -1);
	if (!strstr(err.text, why))
		fail_msg("'%s' isn't in '%s'", why, err.text);
	job_clear(&job);
}

static void whole(void **state)
{
	struct facts f = facts_task(5, 2, 4, 1, 1, "2,4");
	char step[JOB_STEP_SIZE];
	struct job job;

	(void)state;
	facts_set(&f, "SLURM_RESTART_COUNT", "2");
	facts_set(&f, "SLURM_STEP_RESV_PORTS", "21000-21003");
	facts_set(&f, "SLURM_DIST_TRAIN_NIC", "ib0");
	facts_set(&f, "SLURM_DIST_TRAIN_PROCS", "8,4");
	facts_handover(&f);
	read_ok(&f, false, &job);
	assert_int_equal(job.job_id, 4711);
	assert_int_equal(job.step_id, 3);
	assert_int_equal(job.restart, 2);
	assert_int_equal(job.ntasks, 5);
	assert_int_equal(job.nnodes, 2);
	assert_int_equal(job.procid, 4);
	assert_int_equal(job.localid, 1);
	assert_int_equal(job.nodeid, 1);
	assert_int_equal(job.local_ntasks, 2);
	assert_string_equal(job.node_name, "node2");
	assert_string_equal(job.resv_ports, "21000-21003");
	assert_string_equal(job.rank0_node, "node1");
	assert_string_equal(job.rank0_addr, "10.0.0.1");
	assert_string_equal(job.procs, "8,4");
	assert_string_equal(job.nic, "ib0");
	assert_string_equal(job_step(&job, step), "4711.3.2");
	job_clear(&job);
}

static void least(void **state)
{
	struct facts f = facts_task(1, 1, 0, 0, 0, "0");
	char step[JOB_STEP_SIZE];
	struct job job;

	(void)state;
	read_ok(&f, false, &job);
	assert_int_equal(job.local_ntasks, 1);
	assert_null(job.resv_ports);
	assert_null(job.rank0_addr);
	assert_null(job.procs);
	assert_null(job.nic);
	assert_int_equal(device_count(&job.devices), 0);
	assert_string_equal(job_step(&job, step), "4711.3.0");
	job_clear(&job);
}

static void missing_or_bad(void **state)
{
	static const char *const needed[] = {
		"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS",
		"SLURM_PROCID", "SLURM_LOCALID", "SLURM_STEP_NUM_NODES",
		"SLURM_NODEID",
	};
	struct facts f;
	char why[64];

	(void)state;
	for (size_t i = 0; i < COUNT(needed); i++) {
		f = facts_task(1, 1, 0, 0, 0, "0");
		facts_unset(&f, needed[i]);
		snprintf(why, sizeof(why), "%s isn't set", needed[i]);
		refused(&f, why);
		facts_set(&f, needed[i], "1\n2");
		snprintf(why, sizeof(why), "%s='1\\x0a2' isn't a number",
			 needed[i]);
		refused(&f, why);
		facts_set(&f, needed[i], "99999999999");
		refused(&f, "isn't a number");
		facts_set(&f, needed[i], "-1");
		refused(&f, "isn't a number");
	}
	f = facts_task(1, 1, 0, 0, 0, "0");
	facts_unset(&f, "SLURMD_NODENAME");
	refused(&f, "SLURMD_NODENAME isn't set");
}

static void contradictions(void **state)
{
	struct facts f = facts_task(4, 2, 4, 0, 0, "0,1");

	(void)state;
	refused(&f, "SLURM_PROCID=4 isn't below SLURM_STEP_NUM_TASKS=4");
	f = facts_task(0, 2, 0, 0, 0, "0");
	refused(&f, "isn't below");
	f = facts_task(4, 2, 3, 2, 1, "1,3");
	refused(&f, "SLURM_LOCALID=2 isn't below the 2 tasks of SLURM_GTIDS");
}

static void a_bad_requeue_count_is_none(void **state)
{
	struct facts f = facts_task(1, 1, 0, 0, 0, "0");
	struct job job;

	(void)state;
	facts_set(&f, "SLURM_RESTART_COUNT", "x");
	read_ok(&f, false, &job);
	assert_int_equal(job.restart, 0);
	job_clear(&job);
}

/* Another step's values are as good as none: an srun inside the step. */
static void handover_of_another_step(void **state)
{
	static const char *const ids[] = {"2:4711.4", "2:4712.3", "3:4711.4",
					  "garbage",  "",	  "2:4711"};
	struct job job;

	(void)state;
	for (size_t i = 0; i < COUNT(ids); i++) {
		struct facts f = facts_task(1, 1, 0, 0, 0, "0");

		facts_handover(&f);
		facts_set(&f, "SLURM_DIST_TRAIN_PROCS", "8");
		facts_set(&f, "SLURM_DIST_TRAIN_GRES", "node1:0-7");
		facts_set(&f, "SLURM_DIST_TRAIN_HANDOVER", ids[i]);
		read_ok(&f, false, &job);
		assert_case(ids[i], !job.rank0_node);
		assert_case(ids[i], !job.rank0_addr);
		assert_case(ids[i], !job.procs);
		assert_case(ids[i], device_count(&job.devices) == 0);
		job_clear(&job);
	}
}

static void handover_of_another_version(void **state)
{
	struct facts f = facts_task(1, 1, 0, 0, 0, "0");

	(void)state;
	facts_handover(&f);
	facts_set(&f, "SLURM_DIST_TRAIN_HANDOVER", "3:4711.3");
	facts_set(&f, "SLURM_DIST_TRAIN_RELEASE", "99.0");
	refused(&f, "srun has slurm-dist-train '99.0' with protocol version 3, "
		    "and this node '" PACKAGE_VERSION "' with 2; install");
}

static void het_takes_no_handover(void **state)
{
	struct facts f = facts_task(4, 2, 2, 0, 1, "2,3");
	struct job job;

	(void)state;
	facts_handover(&f);
	facts_set(&f, "SLURM_DIST_TRAIN_PROCS", "8");
	read_ok(&f, true, &job);
	assert_true(job.het);
	assert_null(job.rank0_addr);
	assert_null(job.procs);
	job_clear(&job);
}

/* Without srun's word rank 0 is on the first node: of the first component. */
static void first_node_without_handover(void **state)
{
	struct facts f = facts_task(4, 2, 2, 0, 1, "2,3");
	struct job job;

	(void)state;
	facts_set(&f, "SLURM_STEP_NODELIST", "node[7-8]");
	read_ok(&f, true, &job);
	assert_string_equal(job.rank0_node, "node7");
	job_clear(&job);
	facts_set(&f, "SLURM_JOB_NODELIST_HET_GROUP_0", "node[8-9]");
	read_ok(&f, true, &job);
	assert_string_equal(job.rank0_node, "node8");
	job_clear(&job);
	/* A step without its first node, and without the first component. */
	facts_set(&f, "SLURM_JOB_NODELIST_HET_GROUP_0", "node[6,8-9]");
	read_ok(&f, true, &job);
	assert_string_equal(job.rank0_node, "node8");
	job_clear(&job);
	facts_set(&f, "SLURM_JOB_NODELIST_HET_GROUP_0", "node[03-04]");
	read_ok(&f, true, &job);
	assert_string_equal(job.rank0_node, "node7");
	job_clear(&job);
	facts_set(&f, "SLURM_JOB_NODELIST_PACK_GROUP_1", "node8");
	facts_set(&f, "SLURM_JOB_NODELIST_PACK_GROUP_2", "node7");
	read_ok(&f, true, &job);
	assert_string_equal(job.rank0_node, "node8");
	job_clear(&job);
	facts_handover(&f);
	read_ok(&f, false, &job);
	assert_string_equal(job.rank0_node, "node1");
	job_clear(&job);
}

static void devices_by_index(void **state)
{
	struct facts f = facts_task(2, 1, 1, 1, 0, "0,1");
	struct job job;

	(void)state;
	facts_set(&f, "SLURM_DIST_TRAIN_GPUS", "0-3");
	facts_set(&f, "SLURM_STEP_GPUS", "2");
	read_ok(&f, false, &job);
	assert_int_equal(job.devices.step.n, 4);
	assert_int_equal(job.devices.task.n, 1);
	assert_int_equal(job.devices.task.id[0], 2);
	assert_null(job.devices.variable);
	job_clear(&job);
	facts_set(&f, "SLURM_STEP_GPUS", "a");
	refused(&f, "SLURM_STEP_GPUS isn't a list of device indices");
}

static void devices_by_variable(void **state)
{
	struct facts f = facts_task(2, 1, 1, 1, 0, "0,1");
	struct job job;

	(void)state;
	facts_set(&f, "SLURM_DIST_TRAIN_VISIBLE", "CUDA_VISIBLE_DEVICES=0,1");
	facts_set(&f, "CUDA_VISIBLE_DEVICES", "1");
	read_ok(&f, false, &job);
	assert_string_equal(job.devices.variable, "CUDA_VISIBLE_DEVICES");
	assert_string_equal(job.devices.step_visible, "0,1");
	assert_string_equal(job.devices.task_visible, "1");
	assert_int_equal(device_count(&job.devices), 2);
	job_clear(&job);
	facts_set(&f, "SLURM_DIST_TRAIN_VISIBLE", "LD_PRELOAD=x");
	read_ok(&f, false, &job);
	assert_null(job.devices.variable);
	assert_null(job.devices.step_visible);
	job_clear(&job);
}

/* Generic devices that srun learned from the controller. */
static void devices_by_gres(void **state)
{
	static const char text[] = "node[2-3]:4-7;node1:0,2;node4:";
	static const unsigned expected[] = {2, 4, 4, 0, 0};
	struct job job;

	(void)state;
	for (unsigned node = 0; node < COUNT(expected); node++) {
		struct facts f = facts_task(5, 5, node, 0, node, "0");

		facts_handover(&f);
		facts_set(&f, "SLURM_DIST_TRAIN_GRES", text);
		read_ok(&f, false, &job);
		assert_int_equal(device_count(&job.devices), expected[node]);
		job_clear(&job);
		/* Slurm's own word on this node is the better one. */
		facts_set(&f, "SLURM_DIST_TRAIN_GPUS", "1-3");
		read_ok(&f, false, &job);
		assert_int_equal(device_count(&job.devices), 3);
		job_clear(&job);
	}
}

static void bad_gres(void **state)
{
	struct facts f = facts_task(1, 1, 0, 0, 0, "0");

	(void)state;
	facts_handover(&f);
	facts_set(&f, "SLURM_DIST_TRAIN_GRES", "node1");
	refused(&f, "'node1' isn't NODES:INDICES");
	facts_set(&f, "SLURM_DIST_TRAIN_GRES", "node1:x");
	refused(&f, "'x' isn't a list of indices");
}

static void stale(void **state)
{
	struct facts f = facts_task(1, 1, 0, 0, 0, "0");
	struct job job;

	(void)state;
	read_ok(&f, false, &job);
	assert_false(job_is_stale(&job, NULL));
	assert_false(job_is_stale(&job, "4711.3.0"));
	assert_false(job_is_stale(&job, ENV_PLUGIN_MISSING));
	assert_true(job_is_stale(&job, "4711.3.1"));
	assert_true(job_is_stale(&job, "4711.2.0"));
	assert_true(job_is_stale(&job, ""));
	job_clear(&job);
}

/* A step with roles tells a world's launchers which one it is */
static void world_of_roles(void **state)
{
	struct facts f = facts_task(1, 1, 0, 0, 0, "0");
	struct job job;

	(void)state;
	facts_set(&f, "SLURM_DIST_TRAIN_WORLD", "2 rollout.1");
	read_ok(&f, false, &job);
	assert_string_equal(job.world, "rollout.1");
	assert_int_equal(job.begun, 2);
	job_clear(&job);
	facts_set(&f, "SLURM_DIST_TRAIN_WORLD", "rollout.1");
	read_ok(&f, false, &job);
	assert_null(job.world);
	job_clear(&job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(least),
		cmocka_unit_test(missing_or_bad),
		cmocka_unit_test(contradictions),
		cmocka_unit_test(a_bad_requeue_count_is_none),
		cmocka_unit_test(handover_of_another_step),
		cmocka_unit_test(handover_of_another_version),
		cmocka_unit_test(het_takes_no_handover),
		cmocka_unit_test(first_node_without_handover),
		cmocka_unit_test(devices_by_index),
		cmocka_unit_test(devices_by_variable),
		cmocka_unit_test(devices_by_gres),
		cmocka_unit_test(bad_gres),
		cmocka_unit_test(stale),
		cmocka_unit_test(world_of_roles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
