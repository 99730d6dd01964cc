/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/shim/exec_request.h"

#include "tests/fixtures/unit.h"

#include <unistd.h>

static char *strings[] = {"python", "main.py", "", "a b", NULL};
static char *pairs[] = {"A=1", "B=", "GONE", "C=x=y\nz", NULL};

static void there_and_back(void **state)
{
	struct exec_request o;
	struct err err;
	size_t n;
	char *text = exec_request_text("-np 8", "/tmp", strings, pairs, &n);

	(void)state;
	assert_non_null(text);
	assert_int_equal(exec_request_parse(text, n, &o, &err), 0);
	assert_string_equal(o.asked, "-np 8");
	assert_string_equal(o.folder, "/tmp");
	for (int i = 0; i < 4; i++) {
		assert_string_equal(o.argv[i], strings[i]);
		assert_string_equal(o.env[i], pairs[i]);
	}
	assert_null(o.argv[4]);
	assert_null(o.env[4]);
	assert_string_equal(exec_request_value(o.env, "C"), "x=y\nz");
	assert_string_equal(exec_request_value(o.env, "B"), "");
	assert_null(exec_request_value(o.env, "GONE"));
	assert_null(exec_request_value(o.env, "D"));
	exec_request_clear(&o);
}

/* Whatever is cut off, it is an order with fewer variables, or none. */
static void cut(void **state)
{
	size_t n, least;
	char *text = exec_request_text("", "/", strings, pairs, &n);

	(void)state;
	least = n - sizeof("A=1") - sizeof("B=") - sizeof("GONE") -
		sizeof("C=x=y\nz");
	for (size_t i = 0; i < n; i++) {
		char *part = malloc(i + 1);
		struct exec_request o;
		struct err err;
		int rc;

		memcpy(part, text, i);
		part[i] = '\0';
		rc = exec_request_parse(part, i, &o, &err);
		assert_int_equal(rc, i >= least && !text[i - 1] ? 0 : -1);
		if (rc == 0)
			exec_request_clear(&o);
	}
	free(text);
}

static void nonsense(void **state)
{
	static const struct {
		const char *text;
		size_t n;
	} cases[] = {
		{"", 0},
		{"\0", 1},
		{"0\0a\0b\0c", 8},
		{"2\0a\0b\0c", 8},
		{"-1\0a\0b\0c", 9},
		{"99999999999999999999\0a\0b\0c", 27},
		{"1\0a\0b", 6},
	};
	struct exec_request o;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *copy = malloc(cases[i].n + 1);

		memcpy(copy, cases[i].text, cases[i].n);
		copy[cases[i].n] = '\0';
		assert_int_equal(exec_request_parse(copy, cases[i].n, &o, &err),
				 -1);
		assert_non_null(strstr(err.text, "no program"));
	}
}

static void changes(void **state)
{
	static char *base[] = {"SAME=1",	   "OLD=1",	 "LOST=1",
			       "PATH=/run/d:/bin", "_=/bin/sh",	 "SLURM_X=1",
			       "RANK_SIZE=users",  "CM_B=users", NULL};
	static char *env[] = {"SAME=1",
			      "OLD=2",
			      "NEW=",
			      "PATH=/opt:/run/d:/bin:/run/d",
			      "_=ps",
			      "PWD=/x",
			      "DIST_TRAIN_Y=1",
			      "SLURM_X=2",
			      "PMIX_Z=1",
			      "RANK_SIZE=8",
			      "CM_A=8",
			      "CM_B=users",
			      NULL};
	static const char *const without[] = {"RANK_SIZE", "CM_A", "CM_B",
					      NULL};
	static const char *const expected[] = {
		"OLD=2", "NEW=", "PATH=/opt:/bin", "LOST", NULL};
	const char *dropped[4] = {NULL};
	char **got =
		exec_request_changes(env, base, "/run/d", without, dropped);

	(void)state;
	for (int i = 0; expected[i]; i++)
		assert_string_equal(got[i], expected[i]);
	assert_null(got[4]);
	assert_string_equal(dropped[0], "RANK_SIZE");
	assert_string_equal(dropped[1], "CM_A");
	assert_null(dropped[2]);
	exec_request_free_words(got);
}

/* The folder alone is no change. */
static void same_path(void **state)
{
	static char *base[] = {"PATH=/run/d:/bin", NULL};
	static char *env[] = {"PATH=/bin", NULL};
	const char *dropped[1] = {NULL};
	char **got = exec_request_changes(env, base, "/run/d", NULL, dropped);

	(void)state;
	assert_null(got[0]);
	exec_request_free_words(got);
}

static void applied(void **state)
{
	static char *env[] = {"ORDER_A=x=y", "ORDER_B", "ORDER_C=", NULL};
	static char *argv[] = {"a", NULL};
	struct exec_request o;
	struct err err;
	size_t n;
	char *text = exec_request_text("", "/", argv, env, &n);

	(void)state;
	setenv("ORDER_B", "1", 1);
	assert_int_equal(exec_request_parse(text, n, &o, &err), 0);
	assert_int_equal(exec_request_apply(&o, &err), 0);
	exec_request_clear(&o);
	assert_string_equal(getenv("ORDER_A"), "x=y");
	assert_null(getenv("ORDER_B"));
	assert_string_equal(getenv("ORDER_C"), "");
	text = exec_request_text("", "/nowhere", argv, env, &n);
	assert_int_equal(exec_request_parse(text, n, &o, &err), 0);
	assert_int_equal(exec_request_apply(&o, &err), -1);
	assert_non_null(strstr(err.text, "script's folder /nowhere"));
	exec_request_clear(&o);
}

/* What no shell makes: a name without a value, and a name twice */
static void odd_environment(void **state)
{
	static char *odd[] = {"PATH", "HOME=1", "HOME=2", NULL};
	static const char *const without[] = {"HOME", NULL};
	const char *dropped[3] = {NULL, NULL, "behind"};
	char *none[] = {NULL};
	char **words =
		exec_request_changes(odd, none, "/shims", without, dropped);

	(void)state;
	assert_non_null(words);
	assert_string_equal(words[0], "PATH");
	assert_null(words[1]);
	assert_ptr_equal(dropped[0], without[0]);
	assert_null(dropped[1]);
	exec_request_free_words(words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),  cmocka_unit_test(cut),
		cmocka_unit_test(odd_environment), cmocka_unit_test(nonsense),
		cmocka_unit_test(changes),	   cmocka_unit_test(same_path),
		cmocka_unit_test(applied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
