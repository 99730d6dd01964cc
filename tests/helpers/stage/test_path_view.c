/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/stage/path_view.h"

#include "tests/fixtures/tree.h"

static struct tree t;
static char from[64], to[64];
static struct path_pair pair = {from, to};

static int begin(void **state)
{
	char text[128];

	(void)state;
	tree_open(&t);
	snprintf(from, sizeof(from), "%s/venv", t.root);
	snprintf(to, sizeof(to), "%s/copy/venv", t.root);
	snprintf(text, sizeof(text), "#! %s/bin/python3 -I\n", from);
	tree_file(&t, text, "/copy/venv/bin/torchrun");
	tree_file(&t, "#!/bin/sh\n", "/copy/venv/bin/script");
	tree_file(&t, "", "/copy/venv/bin/python3");
	return 0;
}

static int end(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", t.root);
	return system(command);
}

/* %1 stands for the path, %2 for the copy's. */
static const char *with_paths(const char *text)
{
	static char buf[2][1024];
	static unsigned n;
	char *at = buf[n = !n];

	for (; *text; text++) {
		if (*text == '%')
			at += sprintf(at, "%s", *++text == '1' ? from : to);
		else
			*at++ = *text;
	}
	*at = '\0';
	return buf[n];
}

static void names_of_the_environment(void **state)
{
	(void)state;
	setenv("PATH", with_paths("/usr/bin:%1/bin::%12/bin:%1:"), 1);
	setenv("VIRTUAL_ENV", with_paths("%1"), 1);
	setenv("OTHER", with_paths("%1"), 1);
	unsetenv("PYTHONPATH");
	assert_int_equal(path_view_env(&pair, 1), 0);
	assert_string_equal(getenv("PATH"),
			    with_paths("/usr/bin:%2/bin::%12/bin:%2:"));
	assert_string_equal(getenv("VIRTUAL_ENV"), with_paths("%2"));
	assert_string_equal(getenv("OTHER"), with_paths("%1"));
	assert_null(getenv("PYTHONPATH"));
}

static void the_program(void **state)
{
	static const struct {
		const char *file, *name; /* and what is executed: */
		const char *runs, *words;
	} rows[] = {
		{"/bin/sh", "sh", "/bin/sh", "sh|a|"},
		{"%1/bin/python3", "python3", "%2/bin/python3", "python3|a|"},
		{"%1/bin/python3", "%1/bin/python3", "%2/bin/python3",
		 "%2/bin/python3|a|"},
		{"%1/bin/torchrun", "torchrun", "%2/bin/python3",
		 "%2/bin/python3|%2/bin/torchrun|a|"},
		{"%1/bin/script", "script", "%2/bin/script", "script|a|"},
		{"%12/bin/python3", "python3", "%12/bin/python3", "python3|a|"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char name[256], file[256], own[PATH_MAX], words[512] = "";
		char *argv[] = {name, "a", NULL}, **made;
		struct child child = {.file = file, .argv = argv};

		strcpy(name, with_paths(rows[i].name));
		strcpy(file, with_paths(rows[i].file));
		assert_int_equal(
			path_view_command(&pair, 1, &child, own, &made), 0);
		for (unsigned k = 0; child.argv[k]; k++) {
			strcat(words, child.argv[k]);
			strcat(words, "|");
		}
		assert_string_equal(child.file, with_paths(rows[i].runs));
		assert_string_equal(words, with_paths(rows[i].words));
		free(made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_the_environment),
		cmocka_unit_test(the_program),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
