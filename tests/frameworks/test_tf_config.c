/* SPDX-License-Identifier: Apache-2.0 */
/* TF_CONFIG of steps large and small. */
#include "core/plan/framework.h"

#include "core/env/process_env.h"
#include "core/plan/plan.h"
#include "tests/fixtures/plan_fixture.h"

#include <time.h>

static struct facts large_step(unsigned ntasks, unsigned nnodes)
{
	struct facts f = facts_task(ntasks, nnodes, 0, 0, 0, "0,1,2,3");
	char text[64];

	facts_handover(&f);
	snprintf(text, sizeof(text), "node[1-%u]", nnodes);
	facts_set(&f, "SLURM_STEP_NODELIST", text);
	snprintf(text, sizeof(text), "%u(x%u)", ntasks / nnodes, nnodes);
	facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", text);
	return f;
}

/* The environment of the task's process, or why there is none. */
static int environment(const char *text, struct facts *f, struct envset *set,
		       struct err *err)
{
	struct process p;
	struct task t;
	int rc;

	plan_ok(&t, text, f);
	rc = plan_process(&t.plan, 0, &p, err);
	if (rc == 0)
		rc = process_env(&t.plan, &p, set, err);
	clear(&t);
	return rc;
}

static char *config_of(const char *text, struct facts *f)
{
	struct envset set = {0};
	struct err err;
	char *value;

	if (environment(text, f, &set, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	value = strdup(envset_find(&set, "TF_CONFIG")->value);
	envset_clear(&set);
	return value;
}

static void ip_version_6(void **state)
{
	struct facts f = large_step(2, 2);
	char *value;

	(void)state;
	facts_set(&f, "SLURM_GTIDS", "0");
	facts_set(&f, "SLURM_DIST_TRAIN_ADDRS", "fe80::1,10.0.0.2");
	value = config_of("tf,port=7000", &f);
	assert_string_equal(value,
			    "{\"cluster\":{\"worker\":[\"[fe80::1]:7000\","
			    "\"10.0.0.2:7000\"]},\"task\":{\"type\":"
			    "\"worker\",\"index\":0}}");
	free(value);
	facts_unset(&f, "SLURM_DIST_TRAIN_ADDRS");
}

static void four_thousand(void **state)
{
	struct facts f = large_step(4000, 1000);
	char *value = config_of("tf", &f);
	unsigned n = 0;

	(void)state;
	for (const char *p = value; (p = strstr(p, "\"node")); p++)
		n++;
	assert_int_equal(n, 4000);
	assert_non_null(strstr(value, "\"node1000:"));
	assert_true(strlen(value) < 80000);
	free(value);
}

static void too_many(void **state)
{
	struct facts f = large_step(20000, 5000);
	struct envset set = {0};
	struct err err;

	(void)state;
	assert_int_equal(environment("tf", &f, &set, &err), -1);
	assert_non_null(strstr(err.text, "bytes for 20000 processes"));
	envset_clear(&set);
	/* a chief has to know all */
	assert_int_equal(environment("tf-ps,ps=100,chief=1", &f, &set, &err),
			 -1);
	envset_clear(&set);
}

/* Without a chief a worker is told itself and all ps. */
static void sparse(void **state)
{
	struct facts f = large_step(20000, 5000);
	char *value = config_of("tf-ps,ps=2,port=7000", &f);

	(void)state;
	assert_string_equal(
		value, "{\"cluster\":{\"ps\":[\"node4999:7003\","
		       "\"node5000:7003\"],\"worker\":{\"0\":\"node1:7000\"}},"
		       "\"task\":{\"type\":\"worker\",\"index\":0}}");
	free(value);
}

static double seconds(unsigned ntasks)
{
	struct facts f = large_step(ntasks, ntasks / 4);
	struct timespec a, b;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (int i = 0; i < 20; i++)
		free(config_of("tf-ps,ps=2", &f));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	return (double)(b.tv_sec - a.tv_sec) +
	       (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

/* Ten times the processes cost about ten times as much, not a hundred. */
static void cost(void **state)
{
	double few = seconds(2000), many = seconds(20000);

	(void)state;
	print_message("2000 processes: %.2f ms, 20000: %.2f ms\n", few * 50,
		      many * 50);
	assert_true(many < 40 * few);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ip_version_6), cmocka_unit_test(four_thousand),
		cmocka_unit_test(too_many),	cmocka_unit_test(sparse),
		cmocka_unit_test(cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
