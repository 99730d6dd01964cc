/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"
#include "core/option/option.h"

#include "registry/registry.h"
#include "tests/fixtures/unit.h"

#define PARSE(c, err, ...)                                                     \
	config_parse(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),   \
		     (char **)(const char *[]){__VA_ARGS__}, c, err)

/* One argument is refused, and its error names it. */
static void refused(const char *arg, const char *why)
{
	struct config c;
	struct err err;

	if (PARSE(&c, &err, arg) == 0)
		fail_msg("'%.80s' is accepted", arg);
	for (const char *p = err.text; *p; p += utf8_visible(p))
		assert_true(utf8_visible(p));
	assert_null(strstr(err.text, "plugstack"));
	if (!strstr(err.text, why))
		fail_msg("'%s' isn't in '%s'", why, err.text);
	config_clear(&c);
}

static void none(void **state)
{
	struct config c;
	struct err err;

	(void)state;
	assert_int_equal(config_parse(0, NULL, &c, &err), 0);
	assert_string_equal(c.option, "dist-train");
	assert_null(c.allow);
	assert_null(c.defaults);
	assert_null(c.rundir);
	assert_int_equal(c.port_min, 20000);
	assert_int_equal(c.port_max, 28999);
	config_clear(&c);
}

static void all(void **state)
{
	struct config c;
	struct err err;

	(void)state;
	assert_int_equal(PARSE(&c, &err, "option=train_2-x", "allow=ddp,env",
			       "ports=30000-30999", "rundir=/run/x",
			       "inventory=/etc/npus",
			       "default=visible=one,port=5", "grace=7",
			       "addr=name", "nic=ib0", "stage=path",
			       "stagedir=/local", "stagekeep=20G"),
			 0);
	assert_int_equal(c.stage, CONFIG_STAGE_PATH);
	assert_string_equal(c.stagedir, "/local");
	assert_true(c.stagekeep == 20L << 30);
	assert_string_equal(c.option, "train_2-x");
	assert_string_equal(c.allow, "ddp,env");
	assert_int_equal(c.port_min, 30000);
	assert_int_equal(c.port_max, 30999);
	assert_string_equal(c.rundir, "/run/x");
	assert_string_equal(c.inventory, "/etc/npus");
	assert_string_equal(c.defaults,
			    "visible=one,port=5,grace=7,addr=name,nic=ib0");
	assert_int_equal(request_check_defaults(c.defaults, &err), 0);
	config_clear(&c);
	assert_null(c.allow);
}

static void the_last_one_counts(void **state)
{
	struct config c;
	struct err err;

	(void)state;
	assert_int_equal(PARSE(&c, &err, "ports=1024-65535", "ports=2000-2000",
			       "rundir=/a", "rundir=/b", "allow=env",
			       "allow=ddp", "option=a", "option=b"),
			 0);
	assert_int_equal(c.port_min, 2000);
	assert_int_equal(c.port_max, 2000);
	assert_string_equal(c.rundir, "/b");
	assert_string_equal(c.allow, "ddp");
	assert_string_equal(c.option, "b");
	config_clear(&c);
}

/* An alias allows what it stands for. */
static void allow_by_alias(void **state)
{
	struct request r;
	struct config c;
	struct err err;

	(void)state;
	assert_int_equal(PARSE(&c, &err, "allow=torchrun,pytorch"), 0);
	assert_int_equal(request_parse("ddp", NULL, c.allow, &r, &err), 0);
	request_clear(&r);
	assert_int_equal(request_parse("pytorch", NULL, c.allow, &r, &err), 0);
	request_clear(&r);
	assert_int_equal(request_parse("env", NULL, c.allow, &r, &err), -1);
	config_clear(&c);
}

static void bad_options(void **state)
{
	char *longer = repeated('o', 64 + 7);

	(void)state;
	memcpy(longer, "option=", 7);
	refused("option=-x", "option='-x': must be a name");
	refused("option=a b", "must be a name");
	refused("option=a=b", "must be a name");
	refused("option=\xc3\xa4", "='\xc3\xa4");
	refused(longer, "must be a name");
	free(longer);
}

static void bad_ports(void **state)
{
	static const char *const values[] = {
		"ports=20000",
		"ports=20000-",
		"ports=-20000",
		"ports=1023-2000",
		"ports=2000-65536",
		"ports=3000-2000",
		"ports=2000-3000x",
		"ports=a-b",
		"ports=2000-3000-4000",
		"ports=2000 - 3000",
		"ports=000000002000-3000",
		"ports=99999999999999999999-3000",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++)
		refused(values[i], "must be MIN-MAX");
}

static void bad_frameworks(void **state)
{
	(void)state;
	refused("allow=dpd", "did you mean 'ddp'?");
	refused("allow=ddp,", "unknown framework ''");
	refused("allow=,ddp", "unknown framework ''");
	refused("allow=ddp,,env", "unknown framework ''");
	refused("allow=ddp env", "unknown framework 'ddp env'");
}

static void bad_defaults(void **state)
{
	(void)state;
	refused("default=grace", "key 'grace' has no value");
	refused("default=ddp", "unknown key 'ddp'");
	refused("default=grace=1,", "an empty key");
	refused("default=port=0", "port='0'");
	refused("default=lease=4",
		"lease='4': must be a number of seconds from 5 to");
	refused("grace=x", "grace='x'");
	refused("grace=-1", "grace='-1'");
	refused("addr=host", "addr='host'");
	refused("nic=a/b", "nic='a/b'");
	refused("grace=1,port=99999", "port='99999'");
}

static void bad_dirs(void **state)
{
	(void)state;
	refused("rundir=run", "rundir='run': must be an absolute path");
	refused("rundir=./run", "must be an absolute path");
	refused("inventory=x", "inventory='x': must be an absolute path");
	refused("stagedir=x", "stagedir='x': must be an absolute path");
	refused("stagekeep=20", "stagekeep='20': must be one of all|SIZE, as");
	refused("stage=mount", "stage='mount': must be one of userns|path|off");
}

static void choice_of_pmix(void **state)
{
	char off[] = "mpi=off", on[] = "mpi=auto";
	char *words[] = {on, off};
	struct config c;
	struct err err;

	(void)state;
	assert_int_equal(config_parse(1, words, &c, &err), 0);
	assert_true(c.choose_pmix);
	config_clear(&c);
	assert_int_equal(config_parse(1, words + 1, &c, &err), 0);
	assert_false(c.choose_pmix);
	config_clear(&c);
	refused("mpi=maybe", "mpi='maybe': must be one of auto|off");
}

static void profiles(void **state)
{
	char dir[] = "profiledir=/etc/x", ib[] = "profile=ib",
	     gpu[] = "profile=roce@gpu";
	char *argv[] = {dir, ib, gpu};
	struct config c;
	struct err err;

	(void)state;
	assert_int_equal(config_parse(3, argv, &c, &err), 0);
	assert_string_equal(c.profiledir, "/etc/x");
	assert_string_equal(c.profiles, "ib roce@gpu");
	config_clear(&c);
	refused("profiledir=x", "must be an absolute path");
	refused("profile=../x", "must be NAME[@PARTITION|@FEATURE]");
	refused("profile=a@b@c", "must be NAME[@PARTITION|@FEATURE]");
	refused("profile=a@", "must be NAME[@PARTITION|@FEATURE]");
}

static void unknown(void **state)
{
	char *longer = repeated('z', 200 * 1024);

	(void)state;
	refused("prots=1-2", "unknown argument 'prots=1-2'; did you "
			     "mean 'ports'?");
	refused("zzz", "'zzz'; known: option allow default ");
	refused("", "unknown argument ''");
	refused("=", "unknown argument");
	refused("=x", "unknown argument");
	refused("port", "did you mean 'ports'?");
	refused("a\nb=\x1b", "'a\\x0ab=\\x1b'");
	refused(longer, "zzz...'; known");
	free(longer);
}

/* Each argument without a value, and with 200 KiB of it. */
static void every_argument(void **state)
{
	char *value = repeated('\x01', 200 * 1024);

	(void)state;
	for (int i = 0; i < CONFIG_COUNT; i++) {
		char text[64], why[128];
		char *longer;

		snprintf(why, sizeof(why), "write %s=%s", config_args[i].name,
			 config_args[i].value);
		refused(config_args[i].name, why);
		snprintf(text, sizeof(text), "%s=", config_args[i].name);
		refused(text, why);
		assert_true(asprintf(&longer, "%s%s", text, value) > 0);
		refused(longer, "\\x01\\x01");
		free(longer);
		assert_non_null(config_args[i].initial);
		assert_non_null(config_args[i].meaning);
	}
	free(value);
}

/* After a bad argument the others are read, the option's name above all; the
 * error is the first one's. */
static void the_rest_is_read(void **state)
{
	struct config c;
	struct err err;

	(void)state;
	assert_int_equal(PARSE(&c, &err, "grace=5", "prots=1", "ports=x",
			       "grace=6", "nic=ib0", "option=train"),
			 -1);
	assert_non_null(strstr(err.text, "unknown argument 'prots=1'"));
	assert_string_equal(c.option, "train");
	assert_string_equal(c.defaults, "grace=5,nic=ib0");
	assert_int_equal(c.port_min, 20000);
	config_clear(&c);
}

/* A user's own defaults: a second line, or a refusal with the variable's
 * name. */
static void own_defaults(void **state)
{
	struct config c;
	struct err err;

	(void)state;
	assert_int_equal(PARSE(&c, &err, "grace=5"), 0);
	assert_int_equal(config_own_defaults(NULL, &c, &err), 0);
	assert_int_equal(config_own_defaults("", &c, &err), 0);
	assert_string_equal(c.defaults, "grace=5");
	assert_int_equal(config_own_defaults("label=maybe", &c, &err), -1);
	assert_string_equal(err.text, "SLURM_DIST_TRAIN_DEFAULTS: "
				      "label='maybe': must be one of no|yes");
	assert_int_equal(config_own_defaults("ddp,label=yes", &c, &err), -1);
	assert_string_equal(c.defaults, "grace=5");
	assert_int_equal(config_own_defaults("grace=1m,label=on", &c, &err), 0);
	assert_string_equal(c.defaults, "grace=5\ngrace=1m,label=on");
	assert_string_equal(c.own_defaults, "grace=1m,label=on");
	config_clear(&c);
	c = (struct config){0};
	assert_int_equal(config_own_defaults("grace=1", &c, &err), 0);
	assert_string_equal(c.defaults, "\ngrace=1");
	config_clear(&c);
}

static void the_same_key_twice(void **state)
{
	struct config c;
	struct err err;

	(void)state;
	assert_int_equal(PARSE(&c, &err, "default=grace=5", "grace=6"), -1);
	assert_non_null(strstr(err.text, "key 'grace' is given twice"));
	assert_string_equal(c.defaults, "grace=5");
	config_clear(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_defaults),
		cmocka_unit_test(none),
		cmocka_unit_test(all),
		cmocka_unit_test(the_last_one_counts),
		cmocka_unit_test(allow_by_alias),
		cmocka_unit_test(bad_options),
		cmocka_unit_test(bad_ports),
		cmocka_unit_test(bad_frameworks),
		cmocka_unit_test(bad_defaults),
		cmocka_unit_test(bad_dirs),
		cmocka_unit_test(choice_of_pmix),
		cmocka_unit_test(profiles),
		cmocka_unit_test(unknown),
		cmocka_unit_test(every_argument),
		cmocka_unit_test(the_rest_is_read),
		cmocka_unit_test(the_same_key_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
