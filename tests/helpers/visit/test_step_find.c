/* SPDX-License-Identifier: Apache-2.0 */
/* With a scontrol that prints what a cluster's has printed
 * (tests/helpers/visit/scontrol). */
#include "helpers/visit/step_find.h"

#include "tests/fixtures/tree.h"

static struct tree tree;

static int begin(void **state)
{
	const char *top = getenv("srcdir"), *path = getenv("PATH");
	char script[2 * PATH_MAX], here[PATH_MAX], name[64];

	(void)state;
	tree_open(&tree);
	snprintf(script, sizeof(script),
		 "#!/bin/sh\n"
		 "[ \"$3\" != node ] || echo NodeName=node1 NodeAddr=10.0.0.1 "
		 "NodeHostName=node1 Version=1\n"
		 "awk -v it=\"$ scontrol $*\" '/^\\$ /{on = $0 == it && !n++; "
		 "next} on' "
		 "%s/tests/helpers/visit/scontrol/22.05\n",
		 top ? realpath(top, here) : realpath(".", here));
	tree_file(&tree, script, "/scontrol");
	snprintf(name, sizeof(name), "%s/scontrol", tree.root);
	snprintf(script, sizeof(script), "%s:%s", tree.root, path);
	return chmod(name, 0700) < 0 ? -1 : setenv("PATH", script, 1);
}

static int end(void **state)
{
	(void)state;
	tree_close(&tree);
	return 0;
}

static struct found_step find(const char *text)
{
	struct found_step step;
	struct err err;

	if (step_find(text, &step, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return step;
}

static void that_runs(void **state)
{
	struct found_step s = find("1.0");

	(void)state;
	assert_true(s.running);
	assert_int_equal(s.job_id, 1);
	assert_int_equal(s.step_id, 0);
	assert_int_equal(s.uid, 10001);
	assert_string_equal(s.name, "1.0");
	assert_string_equal(s.job_state, "RUNNING");
	assert_int_equal(s.nnodes, 4);
	assert_int_equal(s.nfound, 1); /* of which scontrol has told */
	assert_string_equal(s.node[0].addr, "10.0.0.1");
	assert_string_equal(s.srun.addr, "10.0.0.1");
	assert_int_equal(s.srun_pid, 117);
	found_step_clear(&s);
	s = find("1"); /* the newest */
	assert_string_equal(s.name, "1.1");
	assert_int_equal(s.nnodes, 2);
	found_step_clear(&s);
}

static void that_does_not(void **state)
{
	struct found_step s = find("1.7");
	struct err err;

	(void)state;
	assert_false(s.running);
	assert_int_equal(s.step_id, 7);
	assert_int_equal(found_step_is_over(&s, &err), -1);
	assert_string_equal(err.text,
			    "step 1.7 doesn't run now (its job is RUNNING)");
	found_step_clear(&s);
	assert_int_equal(step_find("99999", &s, &err), -1);
	assert_non_null(strstr(err.text, "99999"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(that_runs),
		cmocka_unit_test(that_does_not),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
