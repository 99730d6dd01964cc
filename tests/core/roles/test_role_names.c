/* SPDX-License-Identifier: Apache-2.0 */
/* A world's command and variables once all addresses are known. */
#include "core/roles/role_names.h"

#include "tests/fixtures/unit.h"

static const char file[] = "t env nodes=1 ports=2 -- %s\n"
			   "roll env nodes=2 each=1node ports=3 -- x\n";

static const unsigned port[][3] = {
	{100, 101}, {200, 201, 202}, {300, 301, 302}};
static const struct role_address address[] = {
	{"n1", port[0]}, {"10.0.0.2", port[1]}, {"fd00::3", port[2]}};

static const char *variable(void *arg, const char *name)
{
	(void)arg;
	if (!strcmp(name, "ARGS"))
		return " --a  1 ";
	if (!strcmp(name, "PORT"))
		return "the submitter's";
	return !strcmp(name, "EMPTY") ? "" : NULL;
}

/* The command of world 0, each word in <>. */
static const struct role_reader reader = {.lookup = variable};

static void expand(const char *command, const struct role_address *at,
		   char *buf, size_t size)
{
	struct role_file f;
	struct role_plan p;
	struct role_names names = {
		.plan = &p, .address = at, .lookup = variable};
	static const unsigned devices[3];
	char text[512], **argv;
	struct err err;

	snprintf(text, sizeof(text), file, command);
	if (role_file_parse(text, "F", &reader, &f, &err) < 0 ||
	    role_plan_make(&f, 3, devices, &p, &err) < 0)
		fail_msg("%s: %s", command, err.text);
	argv = role_command(&names, &err);
	if (!argv)
		fail_msg("%s: %s", command, err.text);
	*buf = '\0';
	for (char **arg = argv; *arg; arg++)
		snprintf(buf + strlen(buf), size - strlen(buf), "<%s>", *arg);
	role_command_free(argv);
	role_plan_clear(&p);
	role_file_clear(&f);
}

static void commands(void **state)
{
	static const char *const cases[][2] = {
		{"x $PORT ${PORT1}", "<x><100><101>"},
		{"x $T_PORT $T_PORTS $T_ADDRS", "<x><100><100><n1:100>"},
		{"x $ROLL_URLS",
		 "<x><http://10.0.0.2:200><http://[fd00::3]:300>"},
		{"x \"$ROLL_URLS\"",
		 "<x><http://10.0.0.2:200 http://[fd00::3]:300>"},
		{"x -u=$ROLL_ADDRS,", "<x><-u=10.0.0.2:200><[fd00::3]:300,>"},
		{"x $ROLL_PORT $ROLL_PORT2 $ROLL_PORTS $ROLL_PORT2S",
		 "<x><200><202><200><300><202><302>"},
		{"x '$ROLL_URLS' \\$PORT \"\\$PORT\" \\' \"\\a\\\"\"",
		 "<x><$ROLL_URLS><$PORT><$PORT><'><\\a\">"},
		{"x $ARGS y$ARGS\"\"", "<x><--a><1><y><--a><1><>"},
		{"x $EMPTY \"$EMPTY\" '' a''b", "<x><><><ab>"},
		{"x a\"b c\"d e\\ f 'g  h'", "<x><ab cd><e f><g  h>"},
		{"x a\\\nb \"c\\\r\nd\" \\\n e#f #g", "<x><ab><cd><e#f>"},
		{"x 'a;b|c>d' -- --y", "<x><a;b|c>d><--><--y>"},
	};
	char found[512];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		expand(cases[i][0], address, found, sizeof(found));
		if (strcmp(found, cases[i][1]) != 0)
			fail_msg("%s: %s isn't %s", cases[i][0], found,
				 cases[i][1]);
	}
	expand("x $ROLL_URLS $PORT $ARGS", NULL, found, sizeof(found));
	assert_string_equal(found, "<x><$ROLL_URLS><$PORT><--a><1>");
}

static const char *value(const struct envset *set, const char *name)
{
	const struct env_entry *e = envset_find(set, name);

	return e ? e->value : NULL;
}

static void url(void **state)
{
	char text[ROLE_URL_SIZE];

	(void)state;
	assert_string_equal(role_url(&address[2], text),
			    "http://[fd00::3]:300");
}

static void variables(void **state)
{
	static const char *const cases[][2] = {
		{"DIST_TRAIN_ROLE", "roll"},
		{"DIST_TRAIN_ROLE_INDEX", "1"},
		{"PORT", "300"},
		{"PORT1", "301"},
		{"PORT2", "302"},
		{"DIST_TRAIN_T_URLS", "http://n1:100"},
		{"DIST_TRAIN_T_PORT1", "101"},
		{"DIST_TRAIN_ROLL_URLS",
		 "http://10.0.0.2:200 http://[fd00::3]:300"},
		{"DIST_TRAIN_ROLL_ADDRS", "10.0.0.2:200 [fd00::3]:300"},
		{"DIST_TRAIN_ROLL_PORT", "200"},
		{"DIST_TRAIN_ROLL_PORTS", "200 300"},
		{"DIST_TRAIN_ROLL_PORT2", "202"},
		{"DIST_TRAIN_ROLL_PORT2S", "202 302"},
	};
	static const unsigned devices[3];
	struct envset set = {0};
	struct role_names names = {
		.address = address, .world = 2, .lookup = variable};
	struct role_file f;
	struct role_plan p;
	char text[256];
	struct err err;

	(void)state;
	snprintf(text, sizeof(text), file, "x");
	assert_int_equal(role_file_parse(text, "F", &reader, &f, &err), 0);
	assert_int_equal(role_plan_make(&f, 3, devices, &p, &err), 0);
	names.plan = &p;
	assert_int_equal(role_env(&names, &set, &err), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_case(cases[i][0], value(&set, cases[i][0]));
		assert_string_equal(value(&set, cases[i][0]), cases[i][1]);
	}
	assert_null(envset_find(&set, "DIST_TRAIN_T_PORT2"));
	assert_null(envset_find(&set, "PORT3"));
	envset_clear(&set);
	role_plan_clear(&p);
	role_file_clear(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands),
		cmocka_unit_test(variables),
		cmocka_unit_test(url),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
