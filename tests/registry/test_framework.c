/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/framework.h"

#include "registry/registry.h"
#include "tests/fixtures/unit.h"

#define FRAMEWORK(name) extern const struct framework framework_##name;
#include "frameworks/frameworks.def"
#undef FRAMEWORK

static void table(void **state)
{
	static const struct framework *const expected[] = {
#define FRAMEWORK(name) &framework_##name,
#include "frameworks/frameworks.def"
	};
	const struct framework *fw;
	size_t n;

	(void)state;
	for (n = 0; n < COUNT(expected); n++) {
		fw = framework_nth(n);
		assert_ptr_equal(fw, expected[n]);
		assert_true(*fw->name && *fw->summary);
		assert_non_null(fw->env);
	}
	assert_null(framework_nth(n));
	assert_null(framework_nth((size_t)-1));
}

static void find(void **state)
{
	struct err err;

	(void)state;
	for (size_t i = 0; framework_nth(i); i++) {
		const struct framework *fw = framework_nth(i);

		assert_ptr_equal(framework_find(fw->name, &err), fw);
		if (fw->alias)
			assert_ptr_equal(framework_find(fw->alias, &err), fw);
	}
	assert_null(framework_find("none", &err));
	assert_null(framework_find("", &err));
	assert_null(framework_find("ddp ", &err));
	assert_null(framework_find("tf ", &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
