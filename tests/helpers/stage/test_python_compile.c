/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of an environment is compiled by its own Python. */
#include "helpers/stage/python_compile.h"

#include "sys/child.h"
#include "tests/fixtures/tree.h"

static struct tree t;
static char copy[PATH_MAX];

static int begin(void **state)
{
	char python[PATH_MAX], path[PATH_MAX + 32];

	(void)state;
	tree_open(&t);
	snprintf(copy, sizeof(copy), "%s/env", t.root);
	if (child_find("python3", child_path(), python, sizeof(python)) < 0)
		return -1;
	tree_file(&t, "", "/env/bin/sh");
	snprintf(path, sizeof(path), "%s/bin/python3", copy);
	assert_int_equal(symlink(python, path), 0);
	tree_file(&t, "word = 1\n", "/env/lib/mod.py");
	tree_file(&t, "a fault(\n", "/env/lib/other.py");
	tree_file(&t, "word = 1\n", "/none/lib/mod.py");
	return 0;
}

static int end(void **state)
{
	char command[PATH_MAX];

	(void)state;
	snprintf(command, sizeof(command), "/bin/rm -r %s", t.root);
	return system(command);
}

static int sh(const char *script)
{
	char command[2 * PATH_MAX];

	snprintf(command, sizeof(command), "cd %s && %s", t.root, script);
	return system(command);
}

/* With the path that processes see in it; a fault keeps no other one back. */
static void it_is_compiled(void **state)
{
	(void)state;
	python_compile(copy, "/shared/env");
	assert_int_equal(sh("grep -q '/shared/env/lib/mod.py' "
			    "env/lib/__pycache__/mod.*.pyc"),
			 0);
	assert_int_equal(sh("! ls env/lib/__pycache__/other.* 2> /dev/null"),
			 0);
	/* It is what this Python would take */
	assert_int_equal(sh(""
			    "env/bin/python3 -v -c 'import sys; "
			    "sys.path[:0] = [\"env/lib\"]; import mod' 2>&1 | "
			    "grep -q 'matches .*env/lib/mod.py'"),
			 0);
}

static void what_isnt_python_stays(void **state)
{
	char none[PATH_MAX + 8];

	(void)state;
	snprintf(none, sizeof(none), "%s/none", t.root);
	python_compile(none, "/shared/none");
	assert_int_equal(sh("[ ! -e none/lib/__pycache__ ]"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_compiled),
		cmocka_unit_test(what_isnt_python_stays),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
