/* SPDX-License-Identifier: Apache-2.0 */
/* A text of the option is parsed once, whoever asks. */
#include "spank/slurm/option_once.h"

#include "tests/fixtures/unit.h"

static const struct config config = {.option = "dist-train"};

static void once(void **state)
{
	struct err err;
	const struct request *first = option_once("ddp,grace=5", &config, &err);

	(void)state;
	assert_non_null(first);
	assert_int_equal(request_seconds(first, KEY_GRACE), 5);
	assert_non_null(option_once("ddp,grace=6", &config, &err));
	assert_ptr_equal(option_once("ddp,grace=5", &config, &err), first);
	option_once_clear();
	assert_non_null(option_once("ddp,grace=5", &config, &err));
	option_once_clear();
}

/* The reason is told as often as somebody asks. */
static void wrong(void **state)
{
	struct err err;

	(void)state;
	for (int i = 0; i < 2; i++) {
		*err.text = '\0';
		assert_null(option_once("ddp,gracious=5", &config, &err));
		assert_non_null(strstr(err.text, "gracious"));
	}
	option_once_clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(once),
		cmocka_unit_test(wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
