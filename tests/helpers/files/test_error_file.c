/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/files/files.h"

#include "tests/fixtures/tree.h"

static struct tree tree;
static char path[PATH_MAX];

static int open_tree(void **state)
{
	(void)state;
	tree_open(&tree);
	snprintf(path, sizeof(path), "%s/error", tree.root);
	return 0;
}

static int close_tree(void **state)
{
	(void)state;
	tree_close(&tree);
	return 0;
}

static void reads(const char *text, const char *expected)
{
	char buf[64];

	tree_file(&tree, text, "/error");
	assert_string_equal(error_file_read(path, buf, sizeof(buf)), expected);
}

/* As error_handler.py of 1.13 to 2.14 writes it, and its older form */
static void as_torch_writes(void **state)
{
	(void)state;
	reads("{\"message\": {\"message\": \"ValueError: no\", \"extraInfo\": "
	      "{\"py_callstack\": \"a\\nb\", \"timestamp\": \"1\"}}}",
	      "ValueError: no");
	reads("{\"message\": \"RuntimeError: two\\nlines\"}",
	      "RuntimeError: two");
}

static void cut_and_unprintable(void **state)
{
	char *x = repeated('x', 5000), *text;

	(void)state;
	assert_true(asprintf(&text, "{\"message\": \"%s\"}", x) > 0);
	x[63] = '\0';
	reads(text, x);
	reads("{\"message\": \"a\\u001b[31mb\\tc\\u00e9\"}", "a?[31mb?c??");
	reads("{\"message\": \"\\ud83d\\ude00|\\u20ac|\\\"\\/\\\\\"}",
	      "????|???|\"/\\");
	free(text);
	free(x);
}

/* Values of all kinds before and behind it, and blanks */
static void among_others(void **state)
{
	(void)state;
	reads(" { \"a\" : [ 1 , -2.5e3 , [ ] , { } , true , null ] ,\n"
	      "\t\"b\" : { \"message\" : \"no\" } , \"messages\" : \"no\" ,\r\n"
	      "\"message\" : \"yes\" , \"c\" : [ { \"d\" : false } ] } \n",
	      "yes");
}

static void nonsense(void **state)
{
	static const char *const cases[] = {
		"",
		"{",
		"null",
		"[]",
		"\"message\"",
		"{\"message\": 5}",
		"{\"message\": null}",
		"{\"message\": {}}",
		"{\"message\": {\"message\": [\"x\"]}}",
		"{\"message\": {\"message\": {\"message\": \"deep\"}}}",
		"{\"Message\": \"x\"}",
		"{\"message\": \"\"}",
		"{\"message\": \"\\",
		"{\"message\": \"x\"",
		"{\"message\": \"x\"} {}",
		"{\"message\": \"x\", }",
		"{\"message\": \"x\", \"y\": tru}",
		"{\"message\": \"x\", \"y\": [1 2]}",
		"{\"message\": \"x\", \"y\": {\"z\"}}",
		"{\"message\": \"x\", 5: 5}",
		"{\"message\": \"\\x\"}",
		"{\"message\": \"\\u12\"}",
		"{\"message\": \"\\ud83d\"}",
		"{\"message\": \"\\ud83d\\u0041\"}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		reads(cases[i], "");
}

/* Brackets that would take a parser's stack */
static void deep(void **state)
{
	char *text = repeated('[', 1000000);

	(void)state;
	reads(text, "");
	free(text);
}

static void too_long(void **state)
{
	char *x = repeated('x', 1U << 20), *text;

	(void)state;
	assert_true(asprintf(&text, "{\"message\": \"%s\"}", x) > 0);
	reads(text, "");
	free(text);
	free(x);
}

/* A folder, a pipe that nobody writes to, a link to a good file, nothing */
static void no_file(void **state)
{
	char buf[64], good[PATH_MAX];

	(void)state;
	unlink(path);
	assert_string_equal(error_file_read(path, buf, sizeof(buf)), "");
	assert_int_equal(mkdir(path, 0700), 0);
	assert_string_equal(error_file_read(path, buf, sizeof(buf)), "");
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_string_equal(error_file_read(path, buf, sizeof(buf)), "");
	assert_int_equal(unlink(path), 0);
	tree_file(&tree, "{\"message\": \"good\"}", "/good");
	snprintf(good, sizeof(good), "%s/good", tree.root);
	assert_string_equal(error_file_read(good, buf, sizeof(buf)), "good");
	assert_int_equal(symlink(good, path), 0);
	assert_string_equal(error_file_read(path, buf, sizeof(buf)), "");
	assert_int_equal(unlink(path), 0);
	assert_string_equal(error_file_read("", buf, sizeof(buf)), "");
	assert_string_equal(error_file_read("/dev/zero", buf, sizeof(buf)), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_torch_writes),
		cmocka_unit_test(cut_and_unprintable),
		cmocka_unit_test(among_others),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(deep),
		cmocka_unit_test(too_long),
		cmocka_unit_test(no_file),
	};

	return cmocka_run_group_tests(tests, open_tree, close_tree);
}
