/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/parse.h"
#include "core/plan/dialect.h"

#include "registry/registry.h"
#include "tests/fixtures/option_fixture.h"

/* The table is that of the key's words. */
static void table(void **state)
{
	const char *words = option_keys[KEY_DIALECT].words;
	const struct dialect *d;
	size_t i;

	(void)state;
	for (i = 0; (d = dialect_nth(i)) != NULL; i++) {
		int word;

		assert_true(word_find(words, d->name, strlen(d->name), &word));
		assert_int_equal(word, i + 1);
		assert_true(*d->summary && d->form->framework);
	}
	assert_true(i > 0);
}

/* Each form is that of a framework, once, and does something. */
static void forms(void **state)
{
	const struct dialect *d;
	struct err err;

	(void)state;
	for (size_t i = 0; (d = dialect_nth(i)) != NULL; i++) {
		for (const struct dialect_form *f = d->form; f->framework;
		     f++) {
			assert_non_null(framework_find(f->framework, &err));
			assert_ptr_equal(dialect_form(d, f->framework, &err),
					 f);
			assert_non_null(f->platform);
			assert_true(f->env || f->args || f->start_command);
		}
	}
}

static void choosing(void **state)
{
	struct request r;

	(void)state;
	parse_ok("ddp,dialect=none", &r);
	assert_null(r.dialect);
	request_clear(&r);
	parse_ok("pytorch,dialect=kubeflow", &r);
	assert_string_equal(r.dialect->name, "kubeflow");
	assert_string_equal(r.form->framework, "ddp");
	request_clear(&r);
	refused("jax,dialect=volcano", NULL, NULL,
		"dialect=volcano doesn't support jax; it supports: ddp tf "
		"tf-ps");
	refused("jax", "dialect=volcano", NULL, "support jax");
}

static void arguments(void **state)
{
	char program[] = "train.py", own[] = "-x";
	char *argv[] = {program, own, NULL}, **all;
	struct argset set = {0};
	struct err err;

	(void)state;
	all = argset_behind(&set, argv);
	assert_ptr_equal(all[1], own);
	assert_null(all[2]);
	free(all);
	assert_int_equal(argset_add(&set, &err, "--rank=%d", 3), 0);
	assert_int_equal(argset_add(&set, &err, "--all"), 0);
	all = argset_behind(&set, argv);
	assert_ptr_equal(all[0], program);
	assert_string_equal(all[2], "--rank=3");
	assert_string_equal(all[3], "--all");
	assert_null(all[4]);
	free(all);
	assert_int_equal(argset_add(&set, &err, "%0*d", ENV_STRING_MAX, 1), -1);
	assert_non_null(strstr(err.text, "131071 bytes"));
	argset_clear(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(forms),
		cmocka_unit_test(choosing),
		cmocka_unit_test(arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
