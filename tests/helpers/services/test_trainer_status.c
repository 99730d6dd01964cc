/* SPDX-License-Identifier: Apache-2.0 */
/* Reports in the form of Kubeflow Trainer's protocol. */
#include "helpers/services/metrics_http.h"

#include "tests/fixtures/unit.h"

static void read_good(void **state)
{
	static const struct {
		const char *json, *line;
	} table[] = {
		{"{}", ""},
		{" { \"trainerStatus\" : null } ", ""},
		{"{\"other\":[{\"a\":1}],\"trainerStatus\":{}}", ""},
		{"{\"trainerStatus\":{\"progressPercentage\":42,"
		 "\"estimatedRemainingSeconds\":120,\"metrics\":["
		 "{\"name\":\"loss\",\"value\":\"0.123\"},"
		 "{\"name\":\"accuracy\",\"value\":\"0.95\"}],"
		 "\"lastUpdatedTime\":\"2026-11-23T10:00:00+00:00\"}}",
		 "percent=42 remaining=120 loss=0.123 accuracy=0.95"},
		/* transformers 5.23, KubeflowCallback */
		{"{\"trainerStatus\":{\"progressPercentage\":4,\"metrics\":["
		 "{\"name\":\"current_step\",\"value\":\"19\"},"
		 "{\"name\":\"total_steps\",\"value\":\"400\"}]}}",
		 "percent=4 step=19 total_steps=400"},
		{"{\"trainerStatus\":{\"progressPercentage\":null,"
		 "\"estimatedRemainingSeconds\":null,\"metrics\":null}}",
		 ""},
		{"{\"trainerStatus\":{\"metrics\":[]}}", ""},
		/* a number, a word, an empty one, none at all */
		{"{\"trainerStatus\":{\"metrics\":["
		 "{\"name\":\"a\",\"value\":1.5},"
		 "{\"name\":\"b\",\"value\":\"best\"},"
		 "{\"name\":\"\",\"value\":\"1\"},{\"name\":\"c\"},{},"
		 "{\"value\":\"1\"},{\"name\":\"d\",\"value\":[1]},"
		 "{\"name\":\"e\",\"value\":\"inf\"},"
		 "{\"name\":\"loss\",\"value\":\"nan\"}]}}",
		 "a=1.5 loss=nan"},
		/* a name that would break the line, or take another's place */
		{"{\"trainerStatus\":{\"metrics\":["
		 "{\"name\":\"a b=1\\n7 x\",\"value\":\"2\"},"
		 "{\"name\":\"percent\",\"value\":\"3\"},"
		 "{\"name\":\"remaining\",\"value\":\"4\"}]}}",
		 "a_b_1_7_x=2"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		char line[256];
		struct err err;

		assert_case(table[i].json,
			    trainer_status_line(table[i].json, line,
						sizeof(line), &err) == 0);
		assert_string_equal(line, table[i].line);
	}
}

static void read_bad(void **state)
{
	static const struct {
		const char *json, *why;
	} table[] = {
		{"", "no valid JSON"},
		{"[]", "the body must be an object"},
		{"{", "no valid JSON"},
		{"{}x", "no valid JSON"},
		{"{\"trainerStatus\":{}", "no valid JSON"},
		{"{\"trainerStatus\":[]}", "trainerStatus must be an object"},
		{"{\"trainerStatus\":{\"progressPercentage\":\"4\"}}",
		 "progressPercentage must be a number from 0 to 100"},
		{"{\"trainerStatus\":{\"progressPercentage\":101}}",
		 "progressPercentage must be a number from 0 to 100"},
		{"{\"trainerStatus\":{\"progressPercentage\":nan}}",
		 "no valid JSON"},
		{"{\"trainerStatus\":{\"estimatedRemainingSeconds\":-1}}",
		 "estimatedRemainingSeconds must be a number"},
		{"{\"trainerStatus\":{\"metrics\":{}}}",
		 "metrics must be a list"},
		{"{\"trainerStatus\":{\"metrics\":[1]}}",
		 "a metric must be an object"},
		{"{\"trainerStatus\":{\"metrics\":[{\"name\":1}]}}",
		 "a metric's name must be a string"},
		{"{\"trainerStatus\":{\"metrics\":[{}}}", "no valid JSON"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		char line[256];
		struct err err;

		assert_case(table[i].json,
			    trainer_status_line(table[i].json, line,
						sizeof(line), &err) == -1);
		assert_case(err.text, strstr(err.text, table[i].why));
	}
}

/* What there is no room for is left out as a whole. */
static void no_room(void **state)
{
	static const char json[] =
		"{\"trainerStatus\":{\"progressPercentage\":42,\"metrics\":["
		"{\"name\":\"accuracy\",\"value\":\"0.95\"},"
		"{\"name\":\"a\",\"value\":\"1\"}]}}";
	char line[16];
	struct err err;

	(void)state;
	assert_int_equal(trainer_status_line(json, line, sizeof(line), &err),
			 0);
	assert_string_equal(line, "percent=42 a=1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_good),
		cmocka_unit_test(read_bad),
		cmocka_unit_test(no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
