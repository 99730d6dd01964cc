/* SPDX-License-Identifier: Apache-2.0 */
#include "registry/registry.h"
#include "tests/fixtures/option_fixture.h"

static void off(void **state)
{
	struct request r;

	(void)state;
	parse_ok("none", &r);
	assert_null(r.framework);
	request_clear(&r);
	parse_ok("OFF", &r);
	assert_null(r.framework);
	request_clear(&r);
	refused("none,port=1", NULL, NULL, "'none' turns it off");
	refused("none,", NULL, NULL, "'none' turns it off");
	/* Whatever the administrator allows, it can be turned off. */
	assert_int_equal(
		request_parse("none", "grace=5", "env", &r, &(struct err){0}),
		0);
	assert_null(r.framework);
	request_clear(&r);
}

static void frameworks(void **state)
{
	static const struct {
		const char *text, *name;
	} cases[] = {
		{"ddp", "ddp"},
		{"pytorch", "ddp"},
		{"torchrun", "torchrun"},
		{"env", "env"},
		{"ddp,port=5", "ddp"},
		{"DDP", "ddp"},
		{"Lightning,port=5", "ddp"},
		{"TF-PS", "tf-ps"},
		{"tensorflow", "tf"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct request r;

		parse_ok(cases[i].text, &r);
		assert_string_equal(r.framework->name, cases[i].name);
		request_clear(&r);
		assert_null(r.framework);
	}
}

/* All that there are, in the order of the table. */
static void known_frameworks(void **state)
{
	char known[1024] = "'enf'; did you mean 'env'? known:";

	(void)state;
	for (size_t i = 0; framework_nth(i); i++)
		text_add(known, sizeof(known), "", " %s",
			 framework_nth(i)->name);
	text_add(known, sizeof(known), "", " none");
	refused("enf", NULL, NULL, known);
}

static void unknown_frameworks(void **state)
{
	char *longer = repeated('d', 200 * 1024);

	(void)state;
	refused("dpd", NULL, NULL,
		"unknown framework 'dpd'; did you mean 'ddp'? "
		"known: ddp torchrun torchft ");
	refused("quux", NULL, NULL,
		"unknown framework 'quux'; known: ddp torchrun torchft ");
	refused("quux", NULL, NULL, " env none");
	refused("", NULL, NULL, "which framework? Write --dist-train=ddp; ");
	refused(",port=1", NULL, NULL, "which framework? ");
	refused("port=1", NULL, NULL,
		"'port=1' is a key; the framework stands first: ddp,port=1");
	refused("Modelarts", NULL, NULL,
		"'Modelarts' is a dialect; write FRAMEWORK,dialect=Modelarts");
	refused("PyTroch", NULL, NULL, "did you mean 'pytorch'?");
	refused("lightnig", NULL, NULL, "did you mean 'lightning'?");
	refused(" ddp", NULL, NULL, "without blanks or quotes; write 'ddp'");
	refused("d\x1b[2Jp\xff", NULL, NULL, "'d\\x1b[2Jp\\xff'");
	refused(longer, NULL, NULL, "dddd...'; known");
	refused(longer + 200 * 1024 - 60, NULL, NULL, "dddd'; known");
	free(longer);
}

static void allowed(void **state)
{
	struct request r;
	struct err err;

	(void)state;
	assert_int_equal(request_parse("pytorch", NULL, "env,ddp", &r, &err),
			 0);
	request_clear(&r);
	refused("torchrun", NULL, "env,ddp",
		"framework 'torchrun' isn't allowed on this cluster; allowed: "
		"env,ddp");
	refused("env", NULL, "ddp", "isn't allowed");
}

static void keys_that_are_none(void **state)
{
	char *text = repeated('k', 200 * 1024);

	(void)state;
	refused("ddp,", NULL, NULL, "an empty key");
	refused("ddp,,port=1", NULL, NULL, "an empty key");
	refused("ddp,port=1,", NULL, NULL, "an empty key");
	refused("ddp,prot=1", NULL, NULL,
		"unknown key 'prot'; did you mean 'port'? known: procs nic "
		"log-dir label restarts spares hang end-signal requeue "
		"explain; "
		"more: --dist-train=help");
	refused("ddp,lable=yes", NULL, NULL, "did you mean 'label'?");
	refused("ddp,ports=1", NULL, NULL, "did you mean 'port'?");
	refused("ddp,=1", NULL, NULL, "an empty key");
	refused("ddp,zzzzzz", NULL, NULL, "unknown key 'zzzzzz'; known: procs");
	refused("ddp, prot=1", NULL, NULL, "unknown key 'prot'; did you mean");
	refused("ddp, ", NULL, NULL, "a blank after one that isn't quoted");
	refused("ddp,p\n=1", NULL, NULL, "unknown key 'p\\x0a'");
	refused("ddp,port==1", NULL, NULL, "port='=1'");
	memcpy(text, "ddp,", 4);
	refused(text, NULL, NULL, "at most 8192");
	text[4 + 8192] = '\0';
	refused(text, NULL, NULL, "unknown key 'kkk");
	free(text);
}

static void repeated_keys(void **state)
{
	(void)state;
	refused("ddp,port=1,port=1", NULL, NULL, "key 'port' is given twice");
	refused("ddp,port=1,grace=2,port=auto", NULL, NULL,
		"key 'port' is given twice");
	refused("ddp", "grace=1,grace=2", NULL, "key 'grace' is given twice");
}

static void whose_value_is_stronger(void **state)
{
	struct request r;
	struct err err;

	(void)state;
	assert_int_equal(request_parse("ddp,grace=7",
				       "grace=5,nic=eth1,addr=nic:eth2", NULL,
				       &r, &err),
			 0);
	assert_int_equal(r.key[KEY_GRACE].number, 7);
	assert_string_equal(r.key[KEY_NIC].text, "eth1");
	assert_string_equal(r.key[KEY_ADDR].text, "eth2");
	request_clear(&r);
	/* The user's word replaces the administrator's text. */
	assert_int_equal(request_parse("ddp,nic=off,addr=nic:ib0",
				       "nic=eth1,addr=nic:eth2", NULL, &r,
				       &err),
			 0);
	assert_int_equal(r.key[KEY_NIC].word, NIC_OFF);
	assert_null(r.key[KEY_NIC].text);
	assert_string_equal(r.key[KEY_ADDR].text, "ib0");
	request_clear(&r);
	refused("ddp", "grace=x", NULL, "grace='x'");
	refused("ddp", "", NULL, "an empty key");
}

/* The administrator's defaults, the user's own, the option. */
static void three_of_them(void **state)
{
	char text[256];
	struct request r;
	struct err err;

	(void)state;
	assert_int_equal(request_parse("torchft,lease=9",
				       "grace=5,lease=5,timeout=5\n"
				       "timeout=6,lease=6",
				       NULL, &r, &err),
			 0);
	assert_int_equal(r.key[KEY_RESTARTS].source, VALUE_FRAMEWORK);
	assert_int_equal(r.key[KEY_GRACE].number, 5);
	assert_int_equal(r.key[KEY_GRACE].source, VALUE_SITE);
	assert_int_equal(r.key[KEY_TIMEOUT].number, 6);
	assert_int_equal(r.key[KEY_TIMEOUT].source, VALUE_DEFAULTS);
	assert_int_equal(r.key[KEY_LEASE].number, 9);
	assert_int_equal(r.key[KEY_LEASE].source, VALUE_OPTION);
	assert_int_equal(r.key[KEY_PORT].source, VALUE_INITIAL);
	request_keys_text(&r, text, sizeof(text));
	assert_string_equal(text,
			    "timeout=6 (SLURM_DIST_TRAIN_DEFAULTS), "
			    "lease=9, grace=5 (the administrator's default)");
	request_clear(&r);
	/* No administrator's; of a key that others have, they do nothing. */
	assert_int_equal(
		request_parse("ddp", "\nlabel=on,ps=2", NULL, &r, &err), 0);
	assert_true(request_yes(&r, KEY_LABEL));
	assert_false(request_given(&r, KEY_LABEL));
	request_keys_text(&r, text, sizeof(text));
	assert_string_equal(text, "label=yes (SLURM_DIST_TRAIN_DEFAULTS)");
	request_clear(&r);
	assert_int_equal(
		request_parse("tf-ps", "\nlabel=on,ps=2", NULL, &r, &err), 0);
	request_keys_text(&r, text, sizeof(text));
	assert_string_equal(text, "ps=2 (SLURM_DIST_TRAIN_DEFAULTS), label=yes "
				  "(SLURM_DIST_TRAIN_DEFAULTS)");
	request_clear(&r);
	assert_int_equal(request_parse("ddp", "\nrecord=r,,1", NULL, &r, &err),
			 0);
	request_keys_text(&r, text, sizeof(text));
	assert_string_equal(text, "record='r,,1' (SLURM_DIST_TRAIN_DEFAULTS)");
	request_clear(&r);
	parse_ok("ddp,label=yes,addr=nic:ib0,explain=only", &r);
	request_keys_text(&r, text, sizeof(text));
	assert_string_equal(text, "addr='nic:ib0', label=yes");
	request_clear(&r);
}

static void checked_defaults(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(request_check_defaults("grace=5,nic=eth1", &err), 0);
	assert_int_equal(request_check_defaults("grace", &err), -1);
	assert_int_equal(request_check_defaults("ddp", &err), -1);
	assert_int_equal(request_check_defaults("", &err), -1);
}

static void shown_values(void **state)
{
	char buf[64];

	(void)state;
	assert_string_equal(
		option_values(&option_keys[KEY_PROCS], buf, sizeof(buf)),
		"auto|task|device|N");
	assert_string_equal(
		option_values(&option_keys[KEY_GRACE], buf, sizeof(buf)),
		"SECONDS");
	assert_string_equal(
		option_values(&option_keys[KEY_LABEL], buf, sizeof(buf)),
		"no|yes");
	assert_string_equal(option_values(&option_keys[KEY_LABEL], buf, 5),
			    "no|y");
}

/* Blanks after commas are no part of anything; other blanks are refused. */
static void blanks(void **state)
{
	struct request r;

	(void)state;
	parse_ok("ddp, procs=2,\tlabel=yes, nic=eth0, eth1, port=7", &r);
	assert_int_equal(r.key[KEY_PROCS].number, 2);
	assert_true(request_yes(&r, KEY_LABEL));
	assert_string_equal(r.key[KEY_NIC].text, "eth0,eth1");
	assert_int_equal(r.key[KEY_PORT].number, 7);
	request_clear(&r);
	refused("ddp,procs= 2", NULL, NULL, "procs=' 2'");
	refused("ddp,procs=2 ", NULL, NULL, "write 'ddp,procs=2'");
}

/* Two commas are one of a path, and of nothing else. */
static void commas_of_paths(void **state)
{
	static const struct {
		const char *text, *path, *timeline;
	} cases[] = {
		{"ddp,log-dir=out/lr=0.1,,bs=32/", "out/lr=0.1,bs=32/", NULL},
		{"ddp,log-dir=a,,,timeline=t,,1.jsonl", "a,", "t,1.jsonl"},
		{"ddp,log-dir=,,a,,,,b,,,timeline=t", ",a,,b,", "t"},
		{"ddp, log-dir=my logs/a,, b ,, timeline=t",
		 "my logs/a, b , timeline=t", NULL},
		{"ddp,log-dir=a,,timeline=t", "a,timeline=t", NULL},
		{"ddp,log-dir=x/seed=1,,procs=3", "x/seed=1,procs=3", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *timeline;
		struct request r;

		parse_ok(cases[i].text, &r);
		assert_string_equal(request_text(&r, KEY_LOG_DIR),
				    cases[i].path);
		timeline = request_text(&r, KEY_TIMELINE);
		assert_int_equal(!timeline, !cases[i].timeline);
		if (timeline)
			assert_string_equal(timeline, cases[i].timeline);
		assert_int_equal(request_word(&r, KEY_PROCS), PROCS_AUTO);
		assert_null(r.after_path);
		request_clear(&r);
	}
	refused("ddp,nic=eth0,,eth1", NULL, NULL, "nic='eth0,,eth1'");
	refused("ddp,log-dir=a,", NULL, NULL, "an empty key");
	refused("ddp,log-dir=a,,,", NULL, NULL, "an empty key");
}

#define GOES_ON "; if it belongs to the path of "

/* What looks like the rest of a path says how to write one. */
static void rests_of_paths(void **state)
{
	struct request r;

	(void)state;
	refused("ddp,log-dir=logs/lr=0.1,bs=32/", NULL, NULL,
		"unknown key 'bs'" GOES_ON
		"log-dir, write two commas before it");
	refused("ddp,log-dir=logs/lr=0.1,label=x/", NULL, NULL,
		"label='x/': must be one of no|yes" GOES_ON "log-dir");
	refused("ddp,log-dir=logs,label=x/", NULL, NULL, GOES_ON "log-dir");
	refused("ddp,log-dir=x/seed=1,procs=3,bs=4", NULL, NULL,
		"unknown key 'bs'" GOES_ON "log-dir");
	refused("ddp,timeline=t,1.jsonl", NULL, NULL,
		"unknown key '1.jsonl'" GOES_ON "timeline");
	refused("ddp,check=fast,check-program=c,1", NULL, NULL,
		"unknown key '1'" GOES_ON "check-program");
	refused("ddp,log-dir=a=1,restarts", NULL, NULL,
		"write restarts=VALUE" GOES_ON);
	refused("ddp", "record=r,1", NULL, GOES_ON "record");
	/* what doesn't */
	refused("ddp,log-dir=out,lable=yes", NULL, NULL, "'label'? known:");
	refused("ddp,log-dir=out,label=yes,foo", NULL, NULL, "'foo'; known:");
	refused("ddp,log-dir=out,procs=x", NULL, NULL, "(N from 1 to 1024)");
	/* A key that may be a part of a path is taken, and said. */
	parse_ok("ddp,log-dir=out/seed=1,procs=3", &r);
	assert_string_equal(request_text(&r, KEY_LOG_DIR), "out/seed=1");
	assert_ptr_equal(r.path, &option_keys[KEY_LOG_DIR]);
	assert_ptr_equal(r.after_path, &option_keys[KEY_PROCS]);
	request_clear(&r);
	assert_null(r.after_path);
	parse_ok("ddp,log-dir=out/lr=1,,seed=1,procs=3", &r);
	assert_null(r.after_path);
	request_clear(&r);
	parse_ok("ddp,log-dir=out/seed=1/,procs=3,record=r", &r);
	assert_null(r.after_path);
	request_clear(&r);
}

/* Keys that this version has take all at once. */
static void all_at_once(void **state)
{
	struct request r;

	(void)state;
	parse_ok("ascend,procs=4,port=29500,addr=ip,nic=ib0,visible=one,"
		 "local-rank=device,grace=0,overwrite=yes,explain=only,"
		 "supervise=auto,dialect=none,table=auto",
		 &r);
	assert_int_equal(r.key[KEY_PROCS].number, 4);
	assert_int_equal(r.key[KEY_PORT].number, 29500);
	assert_int_equal(request_word(&r, KEY_ADDR), ADDR_IP);
	assert_int_equal(request_word(&r, KEY_VISIBLE), VISIBLE_ONE);
	assert_int_equal(request_word(&r, KEY_LOCAL_RANK), LOCAL_RANK_DEVICE);
	assert_int_equal(r.key[KEY_GRACE].number, 0);
	assert_int_equal(request_word(&r, KEY_OVERWRITE), YES);
	assert_int_equal(request_word(&r, KEY_EXPLAIN), EXPLAIN_ONLY);
	request_clear(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(off),
		cmocka_unit_test(frameworks),
		cmocka_unit_test(known_frameworks),
		cmocka_unit_test(unknown_frameworks),
		cmocka_unit_test(allowed),
		cmocka_unit_test(keys_that_are_none),
		cmocka_unit_test(repeated_keys),
		cmocka_unit_test(whose_value_is_stronger),
		cmocka_unit_test(three_of_them),
		cmocka_unit_test(checked_defaults),
		cmocka_unit_test(shown_values),
		cmocka_unit_test(blanks),
		cmocka_unit_test(commas_of_paths),
		cmocka_unit_test(rests_of_paths),
		cmocka_unit_test(all_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
