/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/framework.h"

#include "registry/registry.h"
#include "tests/fixtures/option_fixture.h"

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
	}
	assert_null(framework_find("none", &err));
	assert_null(framework_find("", &err));
	assert_null(framework_find("ddp ", &err));
	assert_null(framework_find("tf ", &err));
}

/* Each alias is that of a framework, is no framework's own name, and is there
 * once; it leads to its framework in any case of letters. */
static void aliases(void **state)
{
	const struct framework_alias *a;
	struct err err;
	size_t n;

	(void)state;
	for (n = 0; (a = alias_nth(n)); n++) {
		const struct framework *fw = framework_find(a->name, &err);

		assert_non_null(fw);
		assert_string_equal(fw->name, a->framework);
		assert_ptr_equal(alias_find(a->name), a);
		for (size_t i = 0; framework_nth(i); i++)
			assert_string_not_equal(framework_nth(i)->name,
						a->name);
	}
	assert_true(n > 5);
	assert_string_equal(framework_find("Fsdp", &err)->name, "ddp");
	assert_null(alias_find("ddp"));
}

static void remarks(void **state)
{
	char text[REQUEST_REMARK_SIZE];
	const struct framework_alias *a;
	struct request r;

	(void)state;
	parse_ok("Lightning,label=yes", &r);
	assert_true(request_remark(&r, 0, text));
	assert_non_null(strstr(text, "lightning: started as ddp; Trainer("));
	request_clear(&r);
	assert_null(r.alias);
	parse_ok("pytorch", &r);
	assert_false(request_remark(&r, 0, text));
	request_clear(&r);
	parse_ok("ddp", &r);
	assert_false(request_remark(&r, 0, text));
	request_clear(&r);
	parse_ok("lightning,log-dir=out/seed=1,procs=3", &r);
	assert_true(request_remark(&r, 0, text));
	assert_true(request_remark(&r, 1, text));
	assert_string_equal(text,
			    "procs is read as a key; if it belongs to the path "
			    "of log-dir, write two commas before it");
	assert_false(request_remark(&r, 2, text));
	request_clear(&r);
	parse_ok("ddp,log-dir=out/seed=1,procs=3", &r);
	assert_true(request_remark(&r, 0, text));
	assert_false(request_remark(&r, 1, text));
	request_clear(&r);
	/* none is cut */
	for (size_t i = 0; (a = alias_nth(i)); i++) {
		r.alias = a;
		if (request_remark(&r, 0, text))
			assert_true(strlen(text) < sizeof(text) - 1);
	}
	r.alias = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(find),
		cmocka_unit_test(aliases),
		cmocka_unit_test(remarks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
