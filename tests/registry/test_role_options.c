/* SPDX-License-Identifier: Apache-2.0 */
/* A file of roles with its frameworks: whose key is to blame, and how many
 * processes a world has by default. */
#include "registry/role_options.h"

#include "tests/fixtures/unit.h"

static const char *variable(void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return NULL;
}

static int read_file(const char *text, const struct config *config,
		     struct role_file *ret, struct err *err)
{
	return role_file_read(text, "F", variable, NULL, config, ret, err);
}

static const char *const faults[][2] = {
	{"a dpp nodes=1 -- x", "F:1:3: unknown framework 'dpp'; did you mean "
			       "'ddp'?"},
	{"a none nodes=1 -- x", "F:1:3: a role needs a framework of its own"},
	{"a roles nodes=1 -- x", "F:1:3: a role needs a framework of its own"},
	{"a env nods=1 -- x",
	 "F:1:7: unknown key 'nods'; did you mean 'nodes'?"},
	{"a env nodes=1 graze=5 -- x", "did you mean 'grace'?"},
	{"a env nodes=1 together=b -- x",
	 "F:1:15: write on-failure=together=ROLE"},
	{"a env nodes=1 max-restarts=2 -- x", "write restarts=N"},
	{"a env nodes=1 label=yes grace=x -- x", "F:1:25: grace="},
	{"a ddp nodes=1 peers=yes -- x", "F:1:15: ddp has no key 'peers'"},
	{"a ddp grace=5 log-tee=1 nodes=1 -- x", "F:1:15: log-tee works only"},
	{"a ddp nodes=1 spares=1 -- x",
	 "F:1:15: spares is a key of whole steps"},
	{"a ddp nodes=1 label=no explain=yes -- x",
	 "F:1:24: explain is a key of whole steps"},
	{"a mpi nodes=1 -- x",
	 "F:1:3: mpi finds its ranks through Slurm's PMI"},
	{"a env nodes=1 -- x\nb ray nodes=1 procs=2 -- y",
	 "F:2:15: procs has no effect with ray"},
};

static void refused(void **state)
{
	const struct config config = {.port_min = 20000, .port_max = 28999};

	(void)state;
	for (size_t i = 0; i < COUNT(faults); i++) {
		struct role_file f;
		struct err err;

		assert_case(faults[i][0],
			    read_file(faults[i][0], &config, &f, &err) < 0);
		if (!strstr(err.text, faults[i][1]))
			fail_msg("'%s' isn't in '%s'", faults[i][1], err.text);
	}
}

static void processes(void **state)
{
	static const struct {
		const char *framework;
		bool per_device;
	} cases[] = {
		{"ddp", true},
		{"deepspeed", true},
		{"jax", true},
		{"Accelerate", true},
		{"env", false},
		{"vllm", false},
		{"torchrun", false},
		{"ray", false},
		{"ddp run-on=first", false},
	};
	const struct config config = {.port_min = 20000, .port_max = 28999};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct role_file f;
		char text[128];
		struct err err;

		snprintf(text, sizeof(text), "a %s nodes=1 -- x",
			 cases[i].framework);
		if (read_file(text, &config, &f, &err) < 0)
			fail_msg("%s: %s", text, err.text);
		if (f.role[0].per_device != cases[i].per_device)
			fail_msg("%s", text);
		role_file_clear(&f);
	}
}

/* The administrator's words hold for worlds, too. */
static void of_the_site(void **state)
{
	char allow[] = "env,roles", defaults[] = "spares=1";
	struct config config = {.allow = allow, .defaults = defaults};
	struct role_file f;
	struct err err;

	(void)state;
	assert_int_equal(read_file("a ddp nodes=1 -- x", &config, &f, &err),
			 -1);
	assert_non_null(strstr(err.text, "F:1:3: framework 'ddp' isn't "
					 "allowed"));
	assert_int_equal(read_file("a env nodes=1 -- x", &config, &f, &err), 0);
	role_file_clear(&f);
}

static char *no_file(const char *path, size_t max, struct err *err)
{
	(void)max;
	err_printf(err, "%s: there is none", path);
	return NULL;
}

static char *one_role(const char *path, size_t max, struct err *err)
{
	(void)err;
	assert_string_equal(path, "rl.roles");
	assert_int_equal(max, ROLE_FILE_MAX);
	return strdup("a env nodes=1 -- x");
}

static void programs(void **state)
{
	const struct config config = {.port_min = 20000, .port_max = 28999};
	char name[] = "rl.roles", more[] = "--x", *argv[] = {name, more, NULL};
	struct role_file f;
	char *text = NULL;
	struct err err;

	(void)state;
	assert_int_equal(role_program_read(2, argv, one_role, variable, NULL,
					   &config, &text, &f, &err),
			 -1);
	assert_non_null(strstr(err.text, "nothing behind it, and there is "
					 "'--x'"));
	assert_int_equal(role_program_read(1, argv, no_file, variable, NULL,
					   &config, &text, &f, &err),
			 -1);
	assert_string_equal(err.text, "rl.roles: there is none");
	assert_null(text);
	assert_int_equal(role_program_read(1, argv, one_role, variable, NULL,
					   &config, &text, &f, &err),
			 0);
	assert_string_equal(text, "a env nodes=1 -- x");
	assert_string_equal(f.name, "rl.roles");
	free(text);
	role_file_clear(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),
		cmocka_unit_test(processes),
		cmocka_unit_test(of_the_site),
		cmocka_unit_test(programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
