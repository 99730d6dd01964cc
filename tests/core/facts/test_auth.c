/* SPDX-License-Identifier: Apache-2.0 */
/* Which issuer is the cluster's, as it is handed over and as Slurm says. */
#include "core/facts/auth.h"

#include "tests/fixtures/unit.h"

static struct auth auth;

static void handed_over(void **state)
{
	char text[AUTH_WORD_MAX];

	(void)state;
	assert_true(auth_read("slurm 64030 big", &auth));
	assert_true(auth.by_slurm);
	assert_int_equal(auth.slurm_user, 64030);
	assert_string_equal(auth.cluster, "big");
	assert_int_equal(auth.socket_fd, 0);
	auth_write(&auth, text);
	assert_string_equal(text, "slurm 64030 big");
}

/* In a container another number may be the user's. */
static void with_a_socket(void **state)
{
	(void)state;
	assert_true(auth_read("slurm 0 big 7 10001", &auth));
	assert_int_equal(auth.socket_fd, 7);
	assert_int_equal(auth.socket_fd, 7);
	assert_int_equal(auth.user, 10001);
}

static void not_by_slurm(void **state)
{
	static const char *const texts[] = {
		"",
		"12",
		"munge",
		"MUNGE:AwQ:",
		"slurm",
		"slurm ",
		"slurm 0",
		"slurm x c",
		"Slurm 0 c",
		"slurm 0 c 7",
		"it was made for another step",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		assert_case(texts[i], !auth_read(texts[i], &auth));
		assert_case(texts[i], !auth.by_slurm);
	}
}

/* Nothing is known of the cluster's name: the text can be read all the same. */
static void without_name(void **state)
{
	char text[AUTH_WORD_MAX];

	(void)state;
	auth_of(AUTH_TYPE_SLURM, 0, NULL, &auth);
	auth_write(&auth, text);
	assert_true(auth_read(text, &auth));
	auth_of(NULL, 0, NULL, &auth);
	auth_write(&auth, text);
	assert_string_equal(text, "");
}

/* What launchers get that no srun has told */
static void meeting(void **state)
{
	(void)state;
	assert_true(auth_read_meet("meet slurm 64030 big", &auth));
	assert_true(auth.by_slurm);
	assert_true(auth_read_meet("munge", &auth));
	assert_false(auth.by_slurm);
	assert_false(auth_read_meet("slurm 64030 big", &auth));
	assert_false(auth_read_meet("meet munge", &auth));
	assert_false(auth_read_meet("12", &auth));
	auth_handed("meet slurm 64030 big", &auth);
	assert_true(auth.by_slurm);
	auth_handed("slurm 64030 big", &auth);
	assert_true(auth.by_slurm);
	auth_handed("munge", &auth);
	assert_false(auth.by_slurm);
	auth_handed("12", &auth);
	assert_false(auth.by_slurm);
	auth_handed(NULL, &auth);
	assert_false(auth.by_slurm);
}

static void config(void **state)
{
	(void)state;
	auth_of_config("Configuration data as of 2026-11-28T12:00:00\n"
		       "AuthAltTypes            = auth/jwt\n"
		       "AuthType                = auth/slurm\n"
		       "ClusterName             = big\n"
		       "SlurmUser               = slurm(64030)\n",
		       &auth);
	assert_true(auth.by_slurm);
	assert_int_equal(auth.slurm_user, 64030);
	assert_string_equal(auth.cluster, "big");
	auth_of_config("AuthType                = auth/munge\n"
		       "SlurmUser               = slurm(64030)\n",
		       &auth);
	assert_false(auth.by_slurm);
	auth_of_config("AuthType                = auth/slurmx\n", &auth);
	assert_false(auth.by_slurm);
	auth_of_config("", &auth);
	assert_false(auth.by_slurm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handed_over),	cmocka_unit_test(with_a_socket),
		cmocka_unit_test(not_by_slurm), cmocka_unit_test(without_name),
		cmocka_unit_test(meeting),	cmocka_unit_test(config),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
