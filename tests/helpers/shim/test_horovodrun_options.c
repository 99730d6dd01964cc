/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/shim/horovodrun_options.h"

#include "tests/fixtures/unit.h"

#define WORDS_MAX 24

static int read_line(const char *line, struct horovodrun_options *o,
		     struct err *err)
{
	static char copy[512], *argv[WORDS_MAX];
	char *save = NULL;
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok_r(copy, " ", &save); w;
	     w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	return horovodrun_options_read(argc, argv, o, err);
}

static void taken(void **state)
{
	static const struct {
		const char *line, *asked, *mpi_args, *program;
	} cases[] = {
		{"h python m.py", "", "", "python"},
		{"h --network-interface lo -np 8 --mpi-args -xA --mpi -H l:8 p",
		 "-np 8 -H l:8", "-xA", "p"},
		{"h --num-proc=8 --hosts=a:1 --mpi-args=-x=1 p -np 3",
		 "--num-proc 8 --hosts a:1", "-x=1", "p"},
		{"h -hostfile f --gloo --verbose -p 22 --start-timeout 9 p",
		 "-hostfile f", "", "p"},
	};
	struct horovodrun_options o;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_case(cases[i].line,
			    read_line(cases[i].line, &o, &err) == 0);
		assert_string_equal(o.asked, cases[i].asked);
		assert_string_equal(o.mpi_args, cases[i].mpi_args);
		assert_string_equal(o.program[0], cases[i].program);
	}
}

static void refused(void **state)
{
	static const struct {
		const char *line, *why;
	} cases[] = {
		{"h", "no program"},
		{"h -np 8", "no program"},
		{"h -np", "option -np has no value"},
		{"h --autotune p", "option '--autotune'"},
		{"h --mpi=1 p", "option '--mpi=1'"},
		{"h --min-np 2 p", "option '--min-np'"},
		{"h -np8 p", "option '-np8'"},
	};
	struct horovodrun_options o;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_case(cases[i].line,
			    read_line(cases[i].line, &o, &err) < 0);
		assert_case(cases[i].line, strstr(err.text, cases[i].why));
	}
}

static void long_lists_are_cut(void **state)
{
	char *hosts = repeated('h', 400), line[512];
	struct horovodrun_options o;
	struct err err;

	(void)state;
	snprintf(line, sizeof(line), "h -H %s -np 3 p", hosts);
	assert_int_equal(read_line(line, &o, &err), 0);
	assert_int_equal(strlen(o.asked), sizeof(o.asked) - 1);
	free(hosts);
}

/* --- -x --- */

static char set_log[256];

static int set(const char *name, const char *value)
{
	size_t n = strlen(set_log);

	snprintf(set_log + n, sizeof(set_log) - n, "%s<%s>", name, value);
	return strcmp(name, "BAD") ? 0 : -1;
}

static void exports(void **state)
{
	static const struct {
		const char *args, *log;
		int rc;
	} cases[] = {
		{"", "", 0},
		{"-x A=1 -x B -x C=", "A<1>C<>", 0},
		{"-x A=\"0:12 12:48\" -bind-to none", "A<0:12 12:48>", 0},
		{"-x 'A=b c' -mca x y -x D=\\ \"'\"", "A<b c>D< '>", 0},
		{" -x\tA=b=c\n", "A<b=c>", 0},
		{"-x", "", 0},
		{"-x =1 A=2", "", 0},
		{"-x A=1 -x \"B", "A<1>", -1},
		{"-x 'A\\'=1", "A\\<1>", 0},
		{"-x BAD=1 -x A=1", "BAD<1>", -1},
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		*set_log = '\0';
		assert_case(cases[i].args,
			    horovodrun_exports(cases[i].args, set, &err) ==
				    cases[i].rc);
		assert_string_equal(set_log, cases[i].log);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken),
		cmocka_unit_test(refused),
		cmocka_unit_test(long_lists_are_cut),
		cmocka_unit_test(exports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
