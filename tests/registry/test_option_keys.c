/* SPDX-License-Identifier: Apache-2.0 */
/* Every key of the option with its values, by the table. */
#include "registry/registry.h"
#include "tests/fixtures/option_fixture.h"

/* The keys without which others have no effect. */
#define OTHERS "log-dir=x,restarts=1,check=fast,requeue=failure,groups=tp:2"

/* The key's number in a request of its framework. */
static enum key_id id_of(const struct request *r, const struct option_key *key)
{
	int id = request_key_find(r, key->name, strlen(key->name));

	assert_case(key->name, id >= 0);
	assert_ptr_equal(request_key(r, (enum key_id)id), key);
	return (enum key_id)id;
}

static void check_word(const struct option_key *key, const char *word,
		       size_t len, int index)
{
	const struct framework *fw;
	struct request r;
	struct err err;
	char text[128];
	int rc;

	snprintf(text, sizeof(text), "%s=%.*s", key->name, (int)len, word);
	fw = framework_find(framework_of(key->name), &err);
	request_init(&r, fw->keys);
	rc = request_pairs(text, VALUE_OPTION, &r, &err);
	assert_case(text, rc == 0);
	assert_case(text, r.key[id_of(&r, key)].word == index);
	assert_case(text, r.key[id_of(&r, key)].source == VALUE_OPTION);
	request_clear(&r);
}

/* Each key takes each of its words, whether or not a step can have it. */
static void every_word(void **state)
{
	const struct option_key *key;

	(void)state;
	for (size_t i = 0; (key = key_nth(i)); i++) {
		const char *word = key->words;

		assert_non_null(key->name);
		assert_non_null(key->meaning);
		if (key == &option_keys[KEY_DIALECT])
			continue; /* test_dialect: not with every framework */
		for (int k = 0; *word; k++) {
			size_t len = strcspn(word, " ");

			check_word(key, word, len, k);
			word += len + (word[len] == ' ');
		}
	}
}

/* Each stands once in the list, in the order of the table, with the frameworks'
 * own in one place. */
static void every_key_once(void **state)
{
	const struct option_key *key;
	size_t n = 0;

	(void)state;
	for (size_t i = 0; (key = key_nth(i)); i++) {
		assert_case(key->name,
			    key_find(key->name, strlen(key->name)) == key);
		n += key >= option_keys && key < option_keys + KEY_COUNT;
	}
	assert_int_equal(n, KEY_COUNT - OWN_KEYS_MAX);
}

/* A file's name may be any bytes that print. */
static bool takes(const struct option_key *key, const char *value)
{
	struct err err;
	char text[128];
	struct request r;

	if (key->kind != KIND_PATH)
		return false;
	snprintf(text, sizeof(text), "tf-ps,%s=%s", key->name, value);
	assert_case(text, request_parse(text, OTHERS, NULL, &r, &err) == 0);
	assert_string_equal(r.key[id_of(&r, key)].text, value);
	assert_true(r.key[id_of(&r, key)].source == VALUE_OPTION);
	request_clear(&r);
	return true;
}

/* Each key without a value, with a bad one, and given twice. */
static void every_key_refuses(void **state)
{
	char *kib4 = repeated('v', 4096), *kib200 = repeated('v', 200 * 1024);
	const struct option_key *key;

	(void)state;
	for (size_t i = 0; (key = key_nth(i)); i++) {
		char text[128], why[128];

		snprintf(why, sizeof(why), "%s=", key->name);
		refused_value(key->name, "", why);
		refused_value(key->name, kib4, why);
		refused_value(key->name, kib200, "at most 8192");
		refused_value(key->name, "\x01\x1b[31m", "\\x01\\x1b[31m");
		if (key != &option_keys[KEY_NIC] && /* a name that the kernel
						       takes */
		    !takes(key, "-1"))
			refused_value(key->name, "-1", why);
		if (!takes(key, "1 2"))
			refused_value(key->name, "1 2", why);
		snprintf(text, sizeof(text), "ddp,%s", key->name);
		snprintf(why, sizeof(why),
			 "key '%s' has no value; write %s=", key->name,
			 key->name);
		refused(text, NULL, NULL, why);
	}
	free(kib4);
	free(kib200);
}

/* A path is as long as the kernel takes it, 4095 bytes, and no longer. */
static void longest_path(void **state)
{
	char *path = repeated('v', 4095), *longer = repeated('v', 4096);
	char *text;
	struct request r;

	(void)state;
	assert_true(asprintf(&text, "ddp,log-dir=%s", path) > 0);
	parse_ok(text, &r);
	assert_string_equal(r.key[KEY_LOG_DIR].text, path);
	request_clear(&r);
	refused_value("log-dir", longer, "log-dir='vvvv");
	free(text);
	free(path);
	free(longer);
}

static void high_bytes(void **state)
{
	const struct option_key *key;

	(void)state;
	for (size_t i = 0; (key = key_nth(i)); i++)
		if (!takes(key, "\xc3\xa9\xff"))
			refused_value(key->name, "\xc3\xa9\xff",
				      "\xc3\xa9\\xff");
}

/* Each number at and beyond its limits. */
static void every_number(void **state)
{
	const struct option_key *key;

	(void)state;
	for (size_t i = 0; (key = key_nth(i)); i++) {
		char value[24], text[64], why[32];
		struct request r;
		struct err err;

		if (key->kind != KIND_NUMBER && key->kind != KIND_SECONDS)
			continue;
		snprintf(why, sizeof(why), "from %ld to %ld", key->min,
			 key->max);
		snprintf(value, sizeof(value), "%ld", key->max + 1);
		refused_value(key->name, value, why);
		snprintf(value, sizeof(value), "%ld", key->min - 1);
		refused_value(key->name, value, why);
		refused_value(key->name, "18446744073709551617", why);
		refused_value(key->name, "1x", why);
		refused_value(key->name, "0x1", why);
		snprintf(text, sizeof(text), "%s,%s=%ld",
			 framework_of(key->name), key->name, key->max);
		assert_case(text,
			    request_parse(text, OTHERS, NULL, &r, &err) == 0);
		assert_int_equal(request_word(&r, id_of(&r, key)), -1);
		assert_int_equal(request_number(&r, id_of(&r, key)), key->max);
		request_clear(&r);
	}
}

static void initial_values(void **state)
{
	struct request r;

	(void)state;
	parse_ok("ddp", &r);
	for (int i = 0; i < KEY_COUNT; i++) {
		const struct option_key *key = request_key(&r, (enum key_id)i);

		assert_int_equal(r.key[i].source, VALUE_INITIAL);
		assert_null(r.key[i].text);
		assert_int_equal(r.key[i].word, key && !*key->words ? -1 : 0);
	}
	assert_int_equal(r.key[KEY_GRACE].number, 30);
	assert_int_equal(r.key[KEY_TIMEOUT].number, 60);
	assert_int_equal(r.key[KEY_LEASE].number, 15);
	assert_int_equal(r.key[KEY_RESTARTS].number, 0);
	request_clear(&r);
}

static void interfaces(void **state)
{
	struct request r;

	(void)state;
	parse_ok("ddp,addr=nic:ib0.8000@x,nic=bond0:1", &r);
	assert_int_equal(r.key[KEY_ADDR].word, -1);
	assert_string_equal(r.key[KEY_ADDR].text, "ib0.8000@x");
	assert_string_equal(r.key[KEY_NIC].text, "bond0:1");
	request_clear(&r);
	parse_ok("ddp,nic=fifteen_letters", &r);
	request_clear(&r);
	refused_value("nic", "sixteen__letters", "nic=");
	refused_value("nic", "a/b",
		      "nic='a/b': must be one of auto|all|off|IFACE[,IFACE]");
	refused_value("nic", "^lo", "nic=");
	parse_ok("ddp,nic=ib0,ib1,grace=7", &r);
	assert_string_equal(request_text(&r, KEY_NIC), "ib0,ib1");
	assert_int_equal(request_seconds(&r, KEY_GRACE), 7);
	request_clear(&r);
	refused_value("nic", "ib0,auto", "nic='ib0,auto'");
	refused_value("nic", "ib0,^lo", "nic='ib0,^lo'");
	refused_value("addr", "ib0",
		      "addr='ib0': must be one of "
		      "auto|name|ip|nic:IFACE");
	refused_value("addr", "nic:", "addr='nic:'");
	refused_value("addr", "nic", "addr='nic'");
}

/* A list takes the commas that follow; what isn't a number ends it. */
static void lists(void **state)
{
	struct request r;
	struct err err;

	(void)state;
	parse_ok("ddp,log-tee=0,1000000,port=3,log-dir=x", &r);
	assert_string_equal(r.key[KEY_LOG_TEE].text, "0,1000000");
	assert_int_equal(r.key[KEY_PORT].number, 3);
	request_clear(&r);
	parse_ok("ddp,restart-on=1,2,port=3,restarts=1", &r);
	assert_string_equal(r.key[KEY_RESTART_ON].text, "1,2");
	request_clear(&r);
	refused("ddp,log-tee=0,1000001", NULL, NULL,
		"log-tee='0,1000001': must be");
	refused("ddp,log-tee=0,-1", NULL, NULL, "unknown key '-1'");
	refused("ddp,restart-on=0", NULL, NULL,
		"restart-on='0': must be one of "
		"any|signal|CODE[,CODE]");
	refused("ddp,restart-on=1,256", NULL, NULL,
		"restart-on='1,256': must be");
	refused("ddp,restart-on=1,2x", NULL, NULL,
		"restart-on='1,2x': must be");
	refused("ddp,restart-on=1,", NULL, NULL, "an empty key");
	refused("ddp,restart-on=any,1", NULL, NULL,
		"restart-on='any,1': must be");
	/* The default of a key to come is no reason to refuse. */
	assert_int_equal(
		request_check_defaults("restart-on=signal,port=5", &err), 0);
	refused("ddp,port=1,2", NULL, NULL, "unknown key '2'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word),
		cmocka_unit_test(every_key_once),
		cmocka_unit_test(every_key_refuses),
		cmocka_unit_test(longest_path),
		cmocka_unit_test(high_bytes),
		cmocka_unit_test(every_number),
		cmocka_unit_test(initial_values),
		cmocka_unit_test(interfaces),
		cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
