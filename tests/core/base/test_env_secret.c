/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/env_secret.h"

#include "tests/fixtures/unit.h"

static bool hides(const char *name)
{
	struct env_entry entry = {.name = (char *)name};

	return env_is_secret(&entry, "abc");
}

static void names(void **state)
{
	(void)state;
	assert_true(hides("HF_TOKEN"));
	assert_true(hides("RAY_AUTH_TOKEN"));
	assert_true(hides("WANDB_API_KEY"));
	assert_true(hides("AWS_SECRET_ACCESS_KEY"));
	assert_true(hides("MLFLOW_TRACKING_PASSWORD"));
	assert_true(hides("client_secret"));
	assert_true(hides("TOKEN"));
	assert_false(hides("MASTER_ADDR"));
	assert_false(hides("RAY_AUTH_MODE"));
	assert_false(hides("TOKENIZERS_PARALLELISM"));
	assert_false(hides("MONKEY"));
	assert_false(hides("KEY_FILE"));
	assert_false(hides(""));
}

static void marked(void **state)
{
	struct envset set = {0};
	char buf[SHOW_SIZE];
	const struct env_entry *e;
	struct err err;

	(void)state;
	envset_add(&set, ENV_FACT, "test", &err, "ADDR", "10.0.0.1:5/%s",
		   ENV_LATER);
	envset_hide(&set, "ADDR");
	envset_hide(&set, "NONE");
	e = envset_find(&set, "ADDR");
	/* There is none yet */
	assert_false(env_is_secret(e, e->value));
	assert_false(env_is_secret(e, ""));
	assert_false(env_is_secret(e, NULL));
	assert_string_equal(env_show(e, "10.0.0.1:5/cafe", buf),
			    "(a secret, 15 characters)");
	/* A later entry of that name begins anew */
	envset_add(&set, ENV_FACT, "test", &err, "ADDR", "x");
	assert_string_equal(env_show(envset_find(&set, "ADDR"), "x", buf),
			    "'x'");
	envset_clear(&set);
}

static void commands(void **state)
{
	char *argv[] = {"env",	       "WANDB_API_KEY=abc",
			"python3",     "t.py",
			"--hf-token",  "x",
			"--keys",      "2",
			"--api-key=y", "--token",
			"--fast",      NULL};
	char buf[128];

	(void)state;
	env_secret_command(argv, buf, sizeof(buf));
	assert_string_equal(buf, "env WANDB_API_KEY=... python3 t.py "
				 "--hf-token ... --keys 2 --api-key=... "
				 "--token --fast");
	env_secret_command(argv, buf, 8);
	assert_string_equal(buf, "env WAN");
	env_secret_command(NULL, buf, sizeof(buf));
	assert_string_equal(buf, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(marked),
		cmocka_unit_test(commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
