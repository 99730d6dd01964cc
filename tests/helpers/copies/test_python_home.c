/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/copies/python_home.h"

#include "tests/fixtures/tree.h"

static struct tree t;

static const char *in(const char *path)
{
	static char buf[4][PATH_MAX];
	static unsigned n;

	n = (n + 1) % 4;
	snprintf(buf[n], PATH_MAX, "%s%s", t.root, path);
	return buf[n];
}

static void link_to(const char *target, const char *path)
{
	assert_int_equal(symlink(target, in(path)), 0);
}

static int begin(void **state)
{
	(void)state;
	tree_open(&t);
	tree_file(&t, "", "/uv/cpython-3.12/bin/python3.12");
	tree_file(&t, "", "/uv/cpython-3.12/lib/python3.12/os.py");
	link_to("cpython-3.12", "/uv/cpython-3");
	tree_file(&t, "home = %s", "/venv/pyvenv.cfg");
	tree_file(&t, "", "/venv/bin/x");
	link_to(in("/uv/cpython-3.12/bin/python3.12"), "/venv/bin/python");
	tree_file(&t, "", "/conda/conda-meta/history");
	tree_file(&t, "", "/conda/bin/python3");
	tree_file(&t, "", "/script/sh");
	return 0;
}

static void put(const char *path, const char *before, const char *arg,
		const char *after)
{
	char text[PATH_MAX + 64];

	snprintf(text, sizeof(text), "%s%s%s", before, arg, after);
	tree_file(&t, text, "%s", path);
	assert_int_equal(chmod(in(path), 0755), 0);
}

static int end(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "/bin/rm -r %s", t.root);
	return system(command);
}

static void homes(const char *program, const char *first, const char *second)
{
	char home[PYTHON_HOMES][PATH_MAX] = {"", ""};
	unsigned n = python_homes(in(program), home);

	assert_int_equal(n, !!first + !!second);
	if (first)
		assert_string_equal(home[0], in(first));
	if (second)
		assert_string_equal(home[1], in(second));
}

static void an_environment_and_the_python_below(void **state)
{
	(void)state;
	put("/venv/pyvenv.cfg",
	    "include = no\n home =  ", in("/uv/cpython-3/bin"), "\nuv = 0.4\n");
	homes("/venv/bin/python", "/venv", "/uv/cpython-3.12");
	put("/venv/pyvenv.cfg", "uv = 0.4\n", "", "");
	homes("/venv/bin/python", "/venv", NULL);
	homes("/conda/bin/python3", "/conda", NULL);
	homes("/uv/cpython-3.12/bin/python3.12", "/uv/cpython-3.12", NULL);
}

static void a_script_of_one(void **state)
{
	(void)state;
	assert_int_equal(chmod(in("/conda/bin/python3"), 0755), 0);
	put("/conda/bin/torchrun", "#!", in("/conda/bin/python3"),
	    " -u\nimport x\n");
	homes("/conda/bin/torchrun", "/conda", NULL);
	setenv("PATH", in("/conda/bin"), 1);
	put("/script/env", "#! /usr/bin/env ", "python3", "\n");
	homes("/script/env", "/conda", NULL);
	put("/script/long", "#!/bin/sh\n'''exec' ", in("/conda/bin/python3"),
	    " \"$0\" \"$@\"\n' '''\nimport x\n");
	homes("/script/long", "/conda", NULL);
	put("/script/uv", "#!/bin/sh\n'''exec' \"", in("/conda/bin/python3"),
	    "\" \"$0\" \"$@\"\n' '''\nimport x\n");
	homes("/script/uv", "/conda", NULL);
}

static void any_other_program(void **state)
{
	(void)state;
	unsetenv("VIRTUAL_ENV");
	unsetenv("CONDA_PREFIX");
	put("/script/sh", "#!/bin/sh\n", "", "");
	homes("/script/sh", NULL, NULL);
	homes("/script/none", NULL, NULL);
	setenv("CONDA_PREFIX", in("/conda"), 1);
	homes("/script/sh", "/conda", NULL);
	setenv("VIRTUAL_ENV", in("/venv"), 1);
	homes("/script/sh", "/venv", NULL);
}

static void the_network(void **state)
{
	(void)state;
	assert_false(is_on_network("/proc"));
	assert_false(is_on_network(in("/none")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_environment_and_the_python_below),
		cmocka_unit_test(a_script_of_one),
		cmocka_unit_test(any_other_program),
		cmocka_unit_test(the_network),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
