/* SPDX-License-Identifier: Apache-2.0 */
/* A file of roles with its frameworks: whose key is to blame, and how many
 * processes a world has by default. */
#include "core/base/text.h"
#include "registry/registry.h"
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

/* What the keys of the step come to. */
static const struct {
	enum key_id id;
	bool refused;
	const char *text;
} step_keys[] = {
#define STEP_KEY(id, refused, text) {KEY_##id, refused, text},
#include "frameworks/step_roles.def"
#undef STEP_KEY
};

static void no_key_is_forgotten(void **state)
{
	const struct option_key *key;
	struct err err;

	(void)state;
	for (size_t n = 0; (key = key_nth(n)); n++) {
		unsigned rows = 0;

		for (size_t i = 0; i < COUNT(step_keys); i++)
			rows += &option_keys[step_keys[i].id] == key;
		if (rows !=
		    framework_has_key(framework_find("roles", &err), key))
			fail_msg("%s: %u rows of step_roles.def", key->name,
				 rows);
	}
}

/* "KEY=VALUE" of a value that asks for something. */
static void add_pair(const struct option_key *key, char *buf, size_t size)
{
	static const char *const others[][2] = {
		{"port", "2000"},	{"addr", "ip"},
		{"groups", "tp:2"},	{"profile", "ib"},
		{"log-dir", "/x"},	{"log-tee", "0"},
		{"hang", "60"},		{"stage", "/x"},
		{"timeline", "/x"},	{"record", "/x"},
		{"nic", "off"},		{"end-signal", "60"},
		{"requeue", "failure"}, {"stage-keep", "0"},
	};
	const char *word = strchr(key->words, ' ');

	if (key->with)
		add_pair(&option_keys[key->with], buf, size);
	for (size_t i = 0; i < COUNT(others); i++)
		if (!strcmp(key->name, others[i][0])) {
			text_add(buf, size, ",", "%s=%s", key->name,
				 others[i][1]);
			return;
		}
	if (word)
		text_add(buf, size, ",", "%s=%.*s", key->name,
			 (int)strcspn(word + 1, " "), word + 1);
	else
		text_add(buf, size, ",", "%s=%s", key->name,
			 option_has_numbers(key) ? "7" : "/x");
}

/* With a value that isn't its default: refused, and what to write is said; or
 * taken. A key that has an effect with another one may be refused for that. */
static void of_the_step(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(step_keys); i++) {
		const struct option_key *key = &option_keys[step_keys[i].id];
		char text[200] = "roles";
		struct request r;
		struct err err;
		int rc;

		add_pair(key, text, sizeof(text));
		rc = request_parse(text, NULL, NULL, &r, &err);
		if (rc != (step_keys[i].refused ? -1 : 0))
			fail_msg("%s: %s", text, rc ? err.text : "is taken");
		if (!rc)
			request_clear(&r);
		else if (!key->with && !strstr(err.text, step_keys[i].text))
			fail_msg("%s: %s", text, err.text);
	}
}

/* What one world has by its framework alone is for its line. */
static void of_a_line(void **state)
{
	static const char *const cases[][2] = {
		{"roles,local-rank=device", "have it, in the line of a role"},
		{"roles,table=none", "have it, in the line of a role"},
		{"roles,workers=2", "has it, in the line of a role"},
		{"roles,addr=name", "addr=name in a role's line"},
	};
	struct request r;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_case(cases[i][0], request_parse(cases[i][0], NULL, NULL,
						       &r, &err) < 0);
		if (!strstr(err.text, cases[i][1]))
			fail_msg("%s: %s", cases[i][0], err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),
		cmocka_unit_test(processes),
		cmocka_unit_test(of_the_site),
		cmocka_unit_test(no_key_is_forgotten),
		cmocka_unit_test(of_the_step),
		cmocka_unit_test(of_a_line),
		cmocka_unit_test(programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
