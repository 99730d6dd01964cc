/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/profile.h"

#include "core/env/process_env.h"
#include "tests/fixtures/plan_fixture.h"

static void lines(void **state)
{
	struct profile p = {0};
	struct err err;

	(void)state;
	assert_int_equal(profile_parse("a.conf",
				       "# note\n\n A=1 2=3 \nPATH+=/x/bin\nE=",
				       &p, &err),
			 0);
	assert_int_equal(p.n, 3);
	assert_string_equal(p.line[0].name, "A");
	assert_string_equal(p.line[0].value, "1 2=3");
	assert_false(p.line[0].folder);
	assert_string_equal(p.line[1].name, "PATH");
	assert_string_equal(p.line[1].value, "/x/bin");
	assert_true(p.line[1].folder);
	assert_string_equal(p.line[2].value, "");
	profile_clear(&p);
}

static void wrong(void **state)
{
	static const char *const cases[][2] = {
		{"A=1\nexport B=2", "a.conf:2: 'export B=2': not the name"},
		{"A", "a.conf:1: 'A': must be NAME"},
		{"=1", "must be NAME=value"},
		{"1A=1", "not the name"},
		{"A=$HOME/x", "$NAME and quotes"},
		{"A=\"x\"", "$NAME and quotes"},
		{"PATH+=bin", "exactly one absolute path"},
		{"SLURM_JOB_ID=1", "a profile can't set"},
		{"DIST_TRAIN_RANK=1", "a profile can't set"},
		{"A=\x01", "isn't printable"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct profile p = {0};
		struct err err;

		assert_case(cases[i][0],
			    profile_parse("a.conf", cases[i][0], &p, &err) < 0);
		assert_case(err.text, strstr(err.text, cases[i][1]));
		profile_clear(&p);
	}
}

/* What a process of that request gets under a profile. */
static const char *value(struct task *t, struct envset *set, const char *name)
{
	const struct env_entry *e;
	struct process p;
	struct err err;

	process(t, 0, &p);
	if (process_env(&t->plan, &p, set, &err) < 0)
		fail_msg("%s", err.text);
	e = envset_find(set, name);
	return e ? e->value : NULL;
}

static void trimmed(void **state)
{
	char text[] = "# title\n\nA=1 # 2\n \t# x\n  B+=/b\n \n\nC=#\n#end";

	(void)state;
	assert_string_equal(profile_trim(text), "A=1 # 2\n  B+=/b\nC=#\n");
	*text = '\0';
	assert_string_equal(profile_trim(text), "");
}

/* Over the framework's choice, under the user's key. */
static void strength(void **state)
{
	static const struct {
		const char *request, *value;
	} cases[] = {
		{"ddp", "bond1"},
		{"ddp,nic=ib0", "=ib0"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct facts f = device_task(2, 0, NULL, 0);
		struct envset set = {0};
		struct task t;

		facts_set(&f, "SLURM_DIST_TRAIN_NIC", "eth0");
		facts_set(&f, "SLURM_DIST_TRAIN_PROFILE",
			  "NCCL_SOCKET_IFNAME=bond1\nNCCL_IB_TC=106");
		plan_ok(&t, cases[i].request, &f);
		assert_string_equal(value(&t, &set, "NCCL_SOCKET_IFNAME"),
				    cases[i].value);
		assert_string_equal(envset_find(&set, "NCCL_IB_TC")->value,
				    "106");
		envset_clear(&set);
		clear(&t);
	}
}

static void truth(void **state)
{
	struct facts f = device_task(2, 0, NULL, 0);
	struct envset set = {0};
	struct process p;
	struct task t;

	(void)state;
	facts_set(&f, "SLURM_DIST_TRAIN_PROFILE", "RANK=0");
	plan_ok(&t, "ddp", &f);
	process(&t, 0, &p);
	assert_int_equal(process_env(&t.plan, &p, &set, &t.err), -1);
	assert_non_null(strstr(t.err.text, "sets RANK"));
	envset_clear(&set);
	clear(&t);
}

static const char *path;

static const char *look_up(void *arg, const char *name)
{
	(void)arg;
	return path && !strcmp(name, "PATH") ? path : NULL;
}

/* Later lines come first, the user's folders last, and nothing twice. */
static void folders(void **state)
{
	static const char *const cases[][2] = {
		{NULL, "/b:/a"},
		{"/bin", "/b:/a:/bin"},
		{"/b:/a:/bin", "/b:/a"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct facts f = device_task(2, 0, NULL, 0);
		struct envset set = {0};
		struct task t;

		facts_set(&f, "SLURM_DIST_TRAIN_PROFILE", "PATH+=/a\nPATH+=/b");
		plan_ok(&t, "ddp", &f);
		value(&t, &set, "PATH");
		path = cases[i][0];
		envset_resolve(&set, look_up, NULL, false, false);
		assert_string_equal(envset_find(&set, "PATH")->value,
				    cases[i][1]);
		assert_int_equal(env_entry_applies(envset_find(&set, "PATH")),
				 i < 2);
		envset_clear(&set);
		clear(&t);
	}
}

static void defaults(void **state)
{
	static const char features[] = "ib=n[1-3,7];ssd=n4;i=n9";
	static const struct {
		const char *defaults;
		struct profile_place where;
		const char *names;
	} cases[] = {
		{"ib", {0}, "ib"},
		{"ib roce@gpu", {0}, "ib"},
		{"ib roce@gpu", {.partition = "gpu"}, "ib+roce"},
		{"roce@gpu", {.partition = "cpu"}, ""},
		{"a@ib b@ssd c@i", {"cpu", "n3", features}, "a"},
		{"a@ib b@ssd c@i", {"cpu", "n4", features}, "b"},
		{"a@ib b@ssd c@i", {"cpu", "n9", features}, "c"},
		{"a@ib", {"cpu", "n5", features}, ""},
		{"a@ib", {"cpu", NULL, features}, ""},
		{"a@ib", {"cpu", "n3", NULL}, ""},
		{"a@ib", {"cpu", "n3", "ib"}, ""},
		{"a@ib", {"cpu", "n3", "ib=]"}, ""},
		{"a b@ib a@gpu a@ib ab", {"gpu", "n7", features}, "a+b+ab"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *names =
			profile_defaults(cases[i].defaults, &cases[i].where);

		assert_string_equal(names, cases[i].names);
		free(names);
	}
}

static int note(void *arg, const char *feature)
{
	return strcmp(strcat(strcat(arg, feature), " "), "x x ") == 0 ? 7 : 0;
}

/* Only what isn't the step's partition has to be asked for. */
static void places_to_ask_for(void **state)
{
	char seen[64] = "";

	(void)state;
	assert_int_equal(profile_features("a b@gpu", "gpu", note, seen), 0);
	assert_string_equal(seen, "");
	assert_int_equal(profile_features("a b@gpu c@ib", "gpu", note, seen),
			 0);
	assert_string_equal(seen, "ib ");
	*seen = '\0';
	assert_int_equal(profile_features("b@gpu", NULL, note, seen), 0);
	assert_string_equal(seen, "gpu ");
	*seen = '\0';
	assert_int_equal(profile_features("a@x b@x c@y", "", note, seen), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trimmed),  cmocka_unit_test(lines),
		cmocka_unit_test(wrong),    cmocka_unit_test(strength),
		cmocka_unit_test(truth),    cmocka_unit_test(folders),
		cmocka_unit_test(defaults), cmocka_unit_test(places_to_ask_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
