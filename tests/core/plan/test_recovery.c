/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of steps that go on without a lost node, round by round. */
#include "core/plan/recovery.h"

#include "core/env/process_env.h"
#include "core/facts/places.h"
#include "tests/fixtures/plan_fixture.h"

/* One node's single task of five, with this number of devices on each. */
static struct facts task_on(unsigned node, unsigned devices)
{
	char procs[16];
	struct facts f;

	snprintf(procs, sizeof(procs), "%u(x5)", devices);
	f = device_task(5, node, procs, devices);
	facts_set(&f, "SLURM_STEP_NODELIST", "node[1-5]");
	facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", "1(x5)");
	facts_set(&f, "SLURM_DIST_TRAIN_ADDRS",
		  "10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4,10.0.0.5");
	facts_set(&f, "SLURM_STEP_RESV_PORTS", "21000-21001");
	return f;
}

/* A task with the plan of its world. */
struct member {
	struct task task; /* its job is the step's */
	struct job world;
	struct plan plan;
};

static void begin(struct member *m, const char *text, struct facts *f)
{
	const struct job *job;

	memset(m, 0, sizeof(*m));
	if (config_parse(0, NULL, &m->task.config, &m->task.err) < 0 ||
	    request_parse(text, NULL, NULL, &m->task.request, &m->task.err) <
		    0 ||
	    job_read(facts_lookup, f, false, &m->task.job, &m->task.err) < 0)
		fail_msg("%s: %s", text, m->task.err.text);
	job = first_world(&m->task.request, &m->task.job, &m->world,
			  &m->task.err);
	if (!job || plan_make(&m->task.request, &m->task.config, job, &m->plan,
			      &m->task.err) < 0)
		fail_msg("%s: %s", text, m->task.err.text);
}

/* The next round, with these places. */
static void again(struct member *m, unsigned round, const char *places)
{
	struct places p;

	job_clear(&m->world);
	assert_int_equal(places_parse(places, 5, &p, &m->task.err), 0);
	assert_int_equal(job_world(&m->task.job, &p, &m->world, &m->task.err),
			 0);
	places_clear(&p);
	m->world.round = round;
	if (plan_make(&m->task.request, &m->task.config, &m->world, &m->plan,
		      &m->task.err) < 0)
		fail_msg("%s: %s", places, m->task.err.text);
}

static void end(struct member *m)
{
	job_clear(&m->world);
	clear(&m->task);
}

static void is_spare(const struct member *m, unsigned world_size)
{
	assert_true(m->plan.spare);
	assert_true(m->plan.launcher);
	assert_true(m->plan.needs_go);
	assert_int_equal(m->plan.nprocs, 0);
	assert_int_equal(m->plan.world_size, world_size);
	assert_true(m->plan.first_rank >= world_size);
}

static void has_ranks(const struct member *m, unsigned first, unsigned n,
		      unsigned world_size, const char *addr, unsigned port)
{
	assert_false(m->plan.spare);
	assert_true(m->plan.needs_go);
	assert_int_equal(m->plan.first_rank, first);
	assert_int_equal(m->plan.nprocs, n);
	assert_int_equal(m->plan.world_size, world_size);
	assert_string_equal(m->plan.coordinator.addr, addr);
	assert_int_equal(m->plan.coordinator.port, port);
}

/* A spare takes a place, also the first one; the rest keep theirs. */
static void replaced(void **state)
{
	struct facts spare = task_on(4, 2), third = task_on(2, 2);
	struct member a, b;

	(void)state;
	begin(&a, "ddp,spares=1", &spare);
	begin(&b, "ddp,spares=1", &third);
	is_spare(&a, 8);
	has_ranks(&b, 4, 2, 8, "10.0.0.1", 21000);
	again(&a, 1, "0,4,2-3");
	again(&b, 1, "0,4,2-3");
	has_ranks(&a, 2, 2, 8, "10.0.0.1", 21001);
	has_ranks(&b, 4, 2, 8, "10.0.0.1", 21001);
	again(&a, 2, "4,1-3");
	again(&b, 2, "4,1-3");
	has_ranks(&a, 0, 2, 8, "10.0.0.5", 21000);
	has_ranks(&b, 4, 2, 8, "10.0.0.5", 21000);
	end(&a);
	end(&b);
}

static void shrunk(void **state)
{
	struct facts f = task_on(2, 2);
	struct member m;

	(void)state;
	begin(&m, "ddp,on-node-loss=shrink:1", &f);
	has_ranks(&m, 4, 2, 10, "10.0.0.1", 21000);
	again(&m, 1, "1-2,4");
	has_ranks(&m, 2, 2, 6, "10.0.0.2", 21001);
	again(&m, 2, "4");
	is_spare(&m, 2);
	again(&m, 3, "2");
	has_ranks(&m, 0, 2, 2, "127.0.0.1", 21001);
	end(&m);
}

/* What a process sees of Slurm. */
static void view_is(const struct member *m, const char *name, const char *value)
{
	struct envset set = {0};
	const struct env_entry *e;
	struct process p;
	struct err err;

	assert_int_equal(plan_process(&m->plan, 0, &p, &err), 0);
	assert_int_equal(process_env(&m->plan, &p, &set, &err), 0);
	e = envset_find(&set, name);
	assert_case(name, !e == !value);
	if (e && strcmp(e->value, value) != 0)
		fail_msg("%s is %s, not %s", name, e->value, value);
	envset_clear(&set);
}

static void view_of_the_world(void **state)
{
	/* the first task of the fourth node of five, two tasks each, cyclic */
	struct facts f = facts_task(10, 5, 3, 0, 3, "3,8");
	struct member m;

	(void)state;
	facts_handover(&f);
	facts_set(&f, "SLURM_STEP_NODELIST", "node[1-5]");
	facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", "2(x5)");
	facts_set(&f, "SLURM_DIST_TRAIN_TASKMAP", "cyclic");
	begin(&m, "jax,spares=1", &f);
	view_is(&m, "SLURM_PROCID", "6");
	view_is(&m, "SLURM_LOCALID", "0");
	view_is(&m, "SLURM_GTIDS", "6,7");
	view_is(&m, "SLURM_NODEID", "3");
	view_is(&m, "SLURM_NTASKS", "8");
	view_is(&m, "SLURM_NTASKS_PER_NODE", "2");
	view_is(&m, "SLURM_STEP_TASKS_PER_NODE", "2(x4)");
	view_is(&m, "SLURM_NNODES", "4");
	view_is(&m, "SLURM_JOB_NUM_NODES", "4");
	view_is(&m, "SLURM_STEP_NODELIST", "node[1-4]");
	view_is(&m, "SLURM_JOB_NODELIST", NULL);
	view_is(&m, "DIST_TRAIN_NNODES", "4");
	again(&m, 1, "3,1,4,0");
	view_is(&m, "SLURM_PROCID", "0");
	view_is(&m, "SLURM_STEP_NODELIST", "node[4,2,5,1]");
	view_is(&m, "DIST_TRAIN_RESTART", "1");
	end(&m);
	/* and of a plain step nothing */
	begin(&m, "jax,on-node-loss=requeue", &f);
	assert_false(m.plan.needs_go);
	assert_int_equal(m.plan.first_rank, 3);
	view_is(&m, "SLURM_PROCID", NULL);
	view_is(&m, "SLURM_NNODES", NULL);
	end(&m);
}

/* Device mode is of the whole step, though a spare alone makes it one. */
static void device_mode_stays(void **state)
{
	struct facts f = task_on(0, 1);
	struct member m;

	(void)state;
	facts_set(&f, "SLURM_DIST_TRAIN_PROCS", "1(x4),2");
	begin(&m, "ddp,spares=1", &f);
	assert_true(m.plan.resolved.device_mode);
	has_ranks(&m, 0, 1, 4, "10.0.0.1", 21000);
	again(&m, 1, "0-2,4");
	assert_true(m.plan.resolved.device_mode);
	has_ranks(&m, 0, 1, 5, "10.0.0.1", 21001);
	end(&m);
}

static void refuses(const char *text, const char *why)
{
	struct facts f = task_on(0, 2);
	struct task t = {.err = {""}};
	const struct job *job;
	struct job own;
	struct plan p;

	if (config_parse(0, NULL, &t.config, &t.err) < 0 ||
	    request_parse(text, NULL, NULL, &t.request, &t.err) < 0 ||
	    job_read(facts_lookup, &f, false, &t.job, &t.err) < 0)
		fail_msg("%s: %s", text, t.err.text);
	job = first_world(&t.request, &t.job, &own, &t.err);
	if (job && plan_make(&t.request, &t.config, job, &p, &t.err) == 0)
		fail_msg("%s is accepted", text);
	if (!strstr(t.err.text, why))
		fail_msg("'%s' isn't in '%s'", why, t.err.text);
	job_clear(&own);
	clear(&t);
}

static void refused_layouts(void **state)
{
	static const struct {
		const char *tasks, *why;
		bool het;
	} bad[] = {
		{"2,1(x4)", "but this step has 2,1(x4) tasks per node", false},
		{"1(x5)", "heterogeneous step; use one component", true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct facts f = task_on(0, 1);
		struct task t = {.err = {""}};
		struct job own;

		facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", bad[i].tasks);
		if (config_parse(0, NULL, &t.config, &t.err) < 0 ||
		    request_parse("ddp,spares=1", NULL, NULL, &t.request,
				  &t.err) < 0 ||
		    job_read(facts_lookup, &f, bad[i].het, &t.job, &t.err) < 0)
			fail_msg("%s", t.err.text);
		assert_null(first_world(&t.request, &t.job, &own, &t.err));
		assert_case(t.err.text, strstr(t.err.text, bad[i].why));
		clear(&t);
	}
}

/* What depends on the number of nodes; tests/registry/test_request.c has the
 * rest. */
static void refused_numbers(void **state)
{
	(void)state;
	refuses("ddp,spares=5", "spares=5: the step has 5 nodes");
	refuses("ddp,on-node-loss=shrink:6", "the world has only 5 nodes");
	refuses("ddp,spares=2,on-node-loss=replace+shrink:4",
		"shrink:4: the world has only 3 nodes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replaced),
		cmocka_unit_test(shrunk),
		cmocka_unit_test(view_of_the_world),
		cmocka_unit_test(device_mode_stays),
		cmocka_unit_test(refused_layouts),
		cmocka_unit_test(refused_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
