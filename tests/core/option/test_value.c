/* SPDX-License-Identifier: Apache-2.0 */
/* Words that mean the same, and times. */
#include "core/option/option.h"

#include "tests/fixtures/option_fixture.h"

static const struct option_value *read_value(const struct option_key *key,
					     const char *text)
{
	static struct option_value v;
	struct err err;

	free(v.text);
	v = (struct option_value){0};
	if (value_parse(key, text, &v, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return &v;
}

static void is_word_of(enum key_id id, const char *texts, int word)
{
	char copy[64], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", texts);
	for (char *text = strtok_r(copy, " ", &save); text;
	     text = strtok_r(NULL, " ", &save))
		assert_case(text,
			    read_value(&option_keys[id], text)->word == word);
}

static void yes_and_no(void **state)
{
	(void)state;
	is_word_of(KEY_LABEL, "yes on true 1 YES On True", YES);
	is_word_of(KEY_LABEL, "no off false 0 none NO Off", NO);
	is_word_of(KEY_SUPERVISE, "yes on 1", SUPERVISE_YES);
	is_word_of(KEY_SUPERVISE, "no off 0", SUPERVISE_NO);
	is_word_of(KEY_EXPLAIN, "true", EXPLAIN_YES);
	/* what isn't off is auto */
	is_word_of(KEY_BIND, "on yes 1 AUTO", BIND_AUTO);
	is_word_of(KEY_BIND, "off no false 0 none", BIND_OFF);
	is_word_of(KEY_NIC, "on true", NIC_AUTO);
	is_word_of(KEY_NIC, "no false 0 None", NIC_OFF);
	is_word_of(KEY_TABLE, "none no off false 0", TABLE_NONE);
	is_word_of(KEY_DIALECT, "no off", DIALECT_NONE);
	is_word_of(KEY_LOG_TEE, "no off none", 0);
	is_word_of(KEY_TIMELINE, "no off 0", 0);
	is_word_of(KEY_RECORD, "on yes Auto", RECORD_AUTO);
	is_word_of(KEY_RECORD, "no off 0 none", RECORD_OFF);
	is_word_of(KEY_VISIBLE, "ONE", VISIBLE_ONE);
}

/* Where numbers are taken, 0 and 1 are numbers. */
static void numbers(void **state)
{
	(void)state;
	assert_int_equal(read_value(&option_keys[KEY_PROCS], "1")->number, 1);
	assert_int_equal(read_value(&option_keys[KEY_RESTARTS], "1")->number,
			 1);
	assert_int_equal(read_value(&option_keys[KEY_RESTARTS], "off")->number,
			 0);
	assert_int_equal(read_value(key_find("chief", 5), "yes")->number, 1);
	assert_string_equal(read_value(&option_keys[KEY_LOG_TEE], "0")->text,
			    "0");
	refused_value("restarts", "yes", "must be a number from 0 to 1000");
	refused_value("port", "on", "must be one of auto|N");
	refused_value("grace", "off", "must be a number of seconds");
	refused_value("label", "2", "must be one of no|yes");
	refused_value("label", "", "must be one of no|yes");
	refused_value("timeline", "yes", "must be one of none|FILE");
	refused_value("timeline", "1", "must be one of none|FILE");
	refused_value("nic", "eth0,off", "must be one of auto|all|off|IFACE");
}

static void times(void **state)
{
	static const struct {
		const char *text;
		long seconds;
	} cases[] = {
		{"0", 0},	  {"90", 90},	      {"90s", 90}, {"5m", 300},
		{"2h", 7200},	  {"24h", 86400},     {"0h", 0},   {"0s", 0},
		{"1440m", 86400}, {"00000005m", 300},
	};
	static const char *const wrong[] = {
		"30x",	 "s",
		"5M",	 "25h",
		"1441m", "86401s",
		"-1s",	 "+5",
		"1.5h",	 "1h30m",
		"5 m",	 " 5m",
		"5ms",	 "99999999999999999999h",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_case(cases[i].text,
			    read_value(&option_keys[KEY_GRACE], cases[i].text)
					    ->number == cases[i].seconds);
	for (size_t i = 0; i < COUNT(wrong); i++)
		refused_value("grace", wrong[i],
			      "': must be a number of seconds from 0 to "
			      "86400, or with s, m, h");
	refused_value("lease", "4s", "from 5 to 86400");
	assert_int_equal(read_value(&option_keys[KEY_LEASE], "5s")->number, 5);
}

static void off(void **state)
{
	(void)state;
	assert_true(value_is_off("none") && value_is_off("OFF"));
	assert_false(value_is_off("") || value_is_off("none,") ||
		     value_is_off("yes") || value_is_off("no no"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(yes_and_no),
		cmocka_unit_test(numbers),
		cmocka_unit_test(times),
		cmocka_unit_test(off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
