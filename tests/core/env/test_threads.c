/* SPDX-License-Identifier: Apache-2.0 */
/* The number of threads that the libraries of a worker take. */
#include "core/plan/framework.h"

#include "core/env/process_env.h"
#include "tests/fixtures/plan_fixture.h"

static const char *const names[] = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
				    "GOTO_NUM_THREADS"};

/* The environment of a process of the task, met with the task's own. */
static void make(struct task *t, const char *text, struct facts *f,
		 unsigned cores, struct envset *set)
{
	struct process p;
	struct err err;

	plan_ok(t, text, f);
	t->job.cores = cores;
	process(t, 0, &p);
	assert_int_equal(process_env(&t->plan, &p, set, &err), 0);
	envset_resolve(set, facts_lookup, f,
		       request_word(&t->request, KEY_OVERWRITE) == YES, false);
}

static void expect(const char *text, struct facts *f, unsigned cores,
		   const char *const expected[3])
{
	struct envset set = {0};
	struct task t;

	make(&t, text, f, cores, &set);
	for (size_t i = 0; i < COUNT(names); i++) {
		const struct env_entry *e = envset_find(&set, names[i]);
		const char *value = e && env_entry_applies(e) ? e->value : NULL;

		assert_case(names[i], !value == !expected[i]);
		if (value)
			assert_string_equal(value, expected[i]);
		assert_case(names[i], !e || e->kind == ENV_HINT);
	}
	envset_clear(&set);
	clear(&t);
}

#define EXPECT(text, f, cores, ...)                                            \
	expect(text, f, cores, (const char *const[3]){__VA_ARGS__})

/* A marker of srun's doesn't stay where there is nothing to put into it. */
static void expect_gone(const char *text, struct facts *f, unsigned cores,
			const char *name)
{
	const struct env_entry *e;
	struct envset set = {0};
	struct task t;

	make(&t, text, f, cores, &set);
	e = envset_find(&set, name);
	assert_case(name, e && env_entry_applies(e) && !e->value);
	envset_clear(&set);
	clear(&t);
}

static void by_mode(void **state)
{
	struct facts one = device_task(2, 1, NULL, 0);
	struct facts eight = device_task(2, 1, "8(x2)", 8);

	(void)state;
	EXPECT("ddp", &one, 16, "16", "16", "16");
	EXPECT("env", &one, 1, "1", "1", "1");
	EXPECT("ddp", &one, 0, NULL, NULL, NULL);
	EXPECT("ddp", &eight, 64, "8", "8", "8");
	EXPECT("ddp", &eight, 4, "1", "1", "1");
	EXPECT("torchrun", &eight, 64, NULL, NULL, NULL);
}

/* Of the ranks that the program starts, which have its environment. */
static void of_a_launchers_ranks(void **state)
{
	struct facts eight = device_task(2, 0, "8(x2)", 8);
	struct facts four = facts_task(8, 2, 0, 0, 0, "0,1,2,3");

	(void)state;
	facts_handover(&four);
	EXPECT("mpi,run-on=first", &eight, 64, "8", "8", "8");
	EXPECT("mpi,run-on=first,procs=2", &eight, 64, "32", "32", "32");
	EXPECT("horovod,run-on=first", &eight, 4, "1", "1", "1");
	EXPECT("mpi,run-on=first", &eight, 0, NULL, NULL, NULL);
	/* a task's cores are its own, and its node has as many slots as tasks
	 */
	EXPECT("mpi,run-on=first", &four, 16, "16", "16", "16");
	EXPECT("mpi,run-on=first,procs=8", &four, 16, "8", "8", "8");
	facts_set(&eight, "OMP_NUM_THREADS", "1");
	EXPECT("mpi,run-on=first", &eight, 64, NULL, NULL, NULL);
}

/* The user's stay, and his OMP_NUM_THREADS holds for all. */
static void the_users(void **state)
{
	struct facts f = device_task(2, 1, NULL, 0);

	(void)state;
	facts_set(&f, "OPENBLAS_NUM_THREADS", "2");
	EXPECT("ddp", &f, 16, "16", NULL, "16");
	facts_unset(&f, "OPENBLAS_NUM_THREADS");
	facts_set(&f, "OMP_NUM_THREADS", "4");
	EXPECT("ddp", &f, 16, NULL, NULL, NULL);
	EXPECT("ddp,overwrite=yes", &f, 16, "16", "16", "16");
	facts_set(&f, "OMP_NUM_THREADS", ENV_PLUGIN_MISSING);
	EXPECT("ddp", &f, 16, "16", "16", "16");
	expect_gone("ddp", &f, 0, "OMP_NUM_THREADS");
	facts_set(&f, "OPENBLAS_NUM_THREADS", ENV_PLUGIN_MISSING);
	expect_gone("ddp", &f, 0, "OPENBLAS_NUM_THREADS");
	facts_set(&f, "OMP_NUM_THREADS", "4");
	expect_gone("ddp", &f, 16, "OPENBLAS_NUM_THREADS");
}

static void from_slurm(void **state)
{
	struct facts f = device_task(1, 0, NULL, 0);
	struct task t;

	(void)state;
	facts_set(&f, "SLURM_CPUS_PER_TASK", "4");
	facts_set(&f, "SLURM_CPUS_ON_NODE", "64");
	plan_ok(&t, "ddp", &f);
	assert_int_equal(t.job.cpus_per_task, 4);
	assert_int_equal(t.job.cpus_on_node, 64);
	clear(&t);
	facts_set(&f, "SLURM_CPUS_PER_TASK", "0");
	facts_set(&f, "SLURM_CPUS_ON_NODE", "64(x2)");
	plan_ok(&t, "ddp", &f);
	assert_int_equal(t.job.cpus_per_task, 0);
	assert_int_equal(t.job.cpus_on_node, 0);
	clear(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_mode),
		cmocka_unit_test(of_a_launchers_ranks),
		cmocka_unit_test(the_users),
		cmocka_unit_test(from_slurm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
