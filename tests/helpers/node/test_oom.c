/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/node/oom.h"

#include "tests/fixtures/tree.h"

#define V1 "/sys/fs/cgroup/memory/slurm/uid_1000/job_7/step_0/task_0"
#define V2 "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/step_0"

static const char controls[] = "oom_kill_disable 0\nunder_oom 0\n";
static const char both[] = "12:cpuset:/\n"
			   "5:memory:/slurm/uid_1000/job_7/step_0/task_0\n"
			   "0::/system.slice/slurmstepd.scope/job_7/step_0\n";

static void first_version(void **state)
{
	struct tree t;

	(void)state;
	tree_open(&t);
	tree_file(&t, both, "/proc/self/cgroup");
	tree_file(&t, "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
		  V1 "/memory.oom_control");
	assert_int_equal(oom_kills(t.root), 3);
	tree_close(&t);
}

static void second_version(void **state)
{
	struct tree t;

	(void)state;
	tree_open(&t);
	tree_file(&t, "0::/system.slice/slurmstepd.scope/job_7/step_0\n",
		  "/proc/self/cgroup");
	tree_file(&t, "low 0\nhigh 9\nmax 4\noom 2\noom_kill 1\n",
		  V2 "/memory.events");
	assert_int_equal(oom_kills(t.root), 1);
	/* Not oom_group_kill, which comes first here */
	tree_file(&t, "oom_group_kill 7\noom_kill 2", V2 "/memory.events");
	assert_int_equal(oom_kills(t.root), 2);
	tree_close(&t);
}

/* Since 26.05 a job's folder has the name of its SLUID. */
static void by_sluid(void **state)
{
	static const char path[] =
		"/system.slice/slurmstepd.scope/sEKNKTV3WPV500/step_0/user/"
		"task_0";
	char text[256];
	struct tree t;

	(void)state;
	tree_open(&t);
	snprintf(text, sizeof(text), "0::%s\n", path);
	tree_file(&t, text, "/proc/self/cgroup");
	snprintf(text, sizeof(text), "/sys/fs/cgroup%s/memory.events", path);
	tree_file(&t, "low 0\nmax 4\noom 2\noom_kill 1\n", "%s", text);
	assert_int_equal(oom_kills(t.root), 1);
	tree_close(&t);
}

/* A kernel before 4.13 counts nothing: what version 2 says holds. */
static void both_versions(void **state)
{
	struct tree t;

	(void)state;
	tree_open(&t);
	tree_file(&t, both, "/proc/self/cgroup");
	tree_file(&t, controls, V1 "/memory.oom_control");
	tree_file(&t, "oom_kill 5\n", V2 "/memory.events");
	assert_int_equal(oom_kills(t.root), 5);
	tree_close(&t);
}

static void unknown(void **state)
{
	static const char *const cgroups[] = {
		"",
		"\n",
		"nonsense",
		"5:memory:/elsewhere\n",
		"0::/elsewhere\n",
		"1:name=systemd:/memory::\n",
		"5:memory",
	};
	struct tree t;

	(void)state;
	tree_open(&t);
	assert_int_equal(oom_kills(t.root), -1);
	tree_file(&t, "oom_kill 5\n", V2 "/memory.events");
	for (size_t i = 0; i < COUNT(cgroups); i++) {
		tree_file(&t, cgroups[i], "/proc/self/cgroup");
		assert_case(cgroups[i], oom_kills(t.root) == -1);
	}
	tree_file(&t, both, "/proc/self/cgroup");
	tree_file(&t, controls, V2 "/memory.events");
	assert_int_equal(oom_kills(t.root), -1);
	tree_file(&t, "", V2 "/memory.events");
	assert_int_equal(oom_kills(t.root), -1);
	tree_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_version),
		cmocka_unit_test(second_version),
		cmocka_unit_test(by_sluid),
		cmocka_unit_test(both_versions),
		cmocka_unit_test(unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
