/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"

#include "core/base/parse.h"

#include "tests/fixtures/unit.h"

static void parts(void **state)
{
	char buf[16] = "";

	(void)state;
	assert_int_equal(text_add(buf, sizeof(buf), ", ", "%d", 1), 0);
	assert_int_equal(text_add(buf, sizeof(buf), ", ", "%s", "two"), 0);
	assert_string_equal(buf, "1, two");
	assert_int_equal(text_add(buf, sizeof(buf), "", "%s", ""), 0);
	assert_string_equal(buf, "1, two");
}

static void what_does_not_fit(void **state)
{
	char buf[8 + 1] = "", *end = buf + 8;

	(void)state;
	*end = '!';
	assert_int_equal(text_add(buf, 8, ",", "1234567"), 0);
	assert_int_equal(text_add(buf, 8, ",", "8"), -1);
	assert_string_equal(buf, "1234567");
	strcpy(buf, "123");
	*end = '!';
	assert_int_equal(text_add(buf, 8, ",", "5678"), -1);
	assert_string_equal(buf, "123,567");
	assert_int_equal(text_add(buf, 8, ",", "x"), -1);
	assert_int_equal(*end, '!');
	buf[0] = '\0';
	assert_int_equal(text_add(buf, 1, ",", "x"), -1);
	assert_string_equal(buf, "");
}

#define LONGEST "aaaaaaaaaaaaaaaaaaaaaaaa" /* 24 characters are compared */

static const char *word_nth(size_t n)
{
	static const char *const words[] = {"ddp",   "torchrun", "env", "port",
					    "procs", LONGEST,	 NULL};

	return words[n];
}

static void nearest(void **state)
{
	static const struct {
		const char *word, *near;
	} cases[] = {
		{"dpd", "ddp"},
		{"ddp", "ddp"},
		{"dp", "ddp"},
		{"torchun", "torchrun"},
		{"tochrnu", "torchrun"},
		{"prot", "port"},
		{"prot=1-2", "port"},
		{"xyz", NULL},
		{"", NULL},
		{"=", NULL},
		{"=ddp", NULL},
		{"q", NULL},
		{"torchrunnnn", "torchrun"},
		{"torchrunnnnn", NULL},
		{"b" LONGEST, NULL},
		{LONGEST "b", NULL},
		{LONGEST, LONGEST},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *word = cases[i].word, *near = cases[i].near;
		char expected[256];
		struct err err;

		snprintf(expected, sizeof(expected),
			 "unknown key '%s';%s%s%s known: ddp torchrun env port "
			 "procs " LONGEST,
			 word, near ? " did you mean '" : "", near ? near : "",
			 near ? "'?" : "");
		assert_int_equal(unknown_word(&err, "key", word, word_nth), -1);
		assert_string_equal(err.text, expected);
	}
}

static const char *a_thousand(size_t n)
{
	return n < 1000 ? "word" : NULL;
}

/* As many as the error has room for. */
static void a_long_table(void **state)
{
	struct err err[2];

	(void)state;
	memset(err, 0, sizeof(err));
	assert_int_equal(unknown_word(err, "key", "x", a_thousand), -1);
	assert_int_equal(strlen(err[0].text), sizeof(err[0].text) - 1);
	assert_string_equal(err[1].text, "");
}

static void utf8(void **state)
{
	(void)state;
	assert_int_equal(utf8_char("", SIZE_MAX), 0);
	assert_int_equal(utf8_char("a", SIZE_MAX), 1);
	assert_int_equal(utf8_char("a", 0), 0);
	assert_int_equal(utf8_char("\xc3\xa9", SIZE_MAX), 2);
	assert_int_equal(utf8_char("\xc3\xa9", 1), 0);
	assert_int_equal(utf8_char("\xe4\xb8\xad", SIZE_MAX), 3);
	assert_int_equal(utf8_char("\xf0\x9f\x98\x80", SIZE_MAX), 4);
	assert_int_equal(utf8_char("\xc0\x80", SIZE_MAX), 0); /* long form */
	assert_int_equal(utf8_char("\xed\xa0\x80", SIZE_MAX), 0); /* half */
	assert_int_equal(utf8_char("\xf4\x90\x80\x80", SIZE_MAX), 0);
	assert_int_equal(utf8_char("\xe4\xb8", SIZE_MAX), 0);
	assert_int_equal(utf8_char("\x80", SIZE_MAX), 0);
}

static void times(void **state)
{
	static const struct {
		double ms;
		const char *text;
	} table[] = {
		{0, "0.00 s"},
		{250, "0.25 s"},
		{12340, "12.3 s"},
		{59940, "59.9 s"},
		{59960, "1 min"},
		{200000, "3 min 20 s"},
		{602000, "10 min 2 s"},
		{3600000, "1 h"},
		{172920000, "48 h 2 min"},
	};
	char buf[32];

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		assert_string_equal(time_text(table[i].ms, buf), table[i].text);
}

static void characters(void **state)
{
	static const char *const print[] = {" ", "~", "\u00a0", "\u20ac",
					    "\U0001f600"};
	static const char *const control[] = {"\t",   "\n",	  "\033",
					      "\177", "\302\205", "\302\233"};

	(void)state;
	for (size_t i = 0; i < COUNT(print); i++)
		assert_true(utf8_prints(print[i], strlen(print[i])));
	for (size_t i = 0; i < COUNT(control); i++)
		assert_false(utf8_prints(control[i], strlen(control[i])));
}

static void settings(void **state)
{
	static const char text[] = "Configuration data as of now\n"
				   "AuthInfo                = (null)\n"
				   "AuthType                = auth/munge\n"
				   "SlurmUser = slurm(64030) more\n"
				   "Last =";
	char value[12] = "kept";

	(void)state;
	assert_true(text_setting(text, "AuthType", value, sizeof(value)));
	assert_string_equal(value, "auth/munge");
	assert_false(text_setting(text, "Auth", value, sizeof(value)));
	assert_false(text_setting("", "AuthType", value, sizeof(value)));
	assert_string_equal(value, "auth/munge");
	assert_true(text_setting(text, "SlurmUser", value, sizeof(value)));
	assert_string_equal(value, "slurm(64030");
	assert_true(text_setting(text, "Last", value, sizeof(value)));
	assert_string_equal(value, "");
}

/* A file's name or a command may have any byte; what doesn't fit is cut between
 * two characters. */
static void quoted(void **state)
{
	char buf[48];

	(void)state;
	assert_string_equal(json_quote("a \"b\\\n\x7f", buf, sizeof(buf)),
			    "\"a \\u0022b\\u005c\\u000a\\u007f\"");
	assert_string_equal(json_quote("\xc3\xa9\xff", buf, sizeof(buf)),
			    "\"\xc3\xa9?\"");
	assert_string_equal(json_quote("ab\xc3\xa9", buf, 5), "\"ab\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings),
		cmocka_unit_test(quoted),
		cmocka_unit_test(parts),
		cmocka_unit_test(what_does_not_fit),
		cmocka_unit_test(nearest),
		cmocka_unit_test(a_long_table),
		cmocka_unit_test(utf8),
		cmocka_unit_test(times),
		cmocka_unit_test(characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
