/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/envset.h"

#include "tests/fixtures/unit.h"

static void add_and_find(void **state)
{
	struct envset set = {0};
	char name[100][16];
	struct err err;

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		snprintf(name[i], sizeof(name[i]), "NAME%u", i);
		assert_int_equal(envset_add(&set, ENV_FACT, "test", &err,
					    name[i], "%u", i),
				 0);
	}
	assert_int_equal(set.n, 100);
	assert_string_equal(envset_find(&set, "NAME42")->value, "42");
	assert_string_equal(envset_find(&set, "NAME42")->source, "test");
	assert_null(envset_find(&set, "NAME"));
	assert_null(envset_find(&set, "NAME100"));
	envset_clear(&set);
	assert_int_equal(set.n, 0);
	assert_null(set.entry);
}

static void the_later_caller_is_stronger(void **state)
{
	struct envset set = {0};
	struct err err;

	(void)state;
	envset_add(&set, ENV_OURS, "first", &err, "A", "1");
	envset_add(&set, ENV_OURS, "first", &err, "B", "1");
	envset_add(&set, ENV_HINT, "second", &err, "A", "2");
	assert_int_equal(set.n, 2);
	assert_string_equal(set.entry[0].value, "2");
	assert_string_equal(set.entry[0].source, "second");
	assert_int_equal(set.entry[0].kind, ENV_HINT);
	assert_int_equal(envset_unset(&set, ENV_FACT, "third", &err, "A"), 0);
	assert_int_equal(set.n, 2);
	assert_null(set.entry[0].value);
	envset_clear(&set);
}

/* A text, a number, and no variable at all; up to the first that fails. */
static void rows(void **state)
{
	char *longer = repeated('v', ENV_STRING_MAX);
	const struct env_row all[] = {
		{ENV_WORLD, "A", "first", .text = ""},
		{ENV_HINT, NULL, "none", .text = "x"},
		{ENV_FACT, "B", "second", .n = 4294967296UL},
		{ENV_OURS, "C", "third", .text = longer},
		{ENV_OURS, "D", "fourth", .n = 1},
	};
	struct envset set = {0};
	struct err err;

	(void)state;
	assert_int_equal(ENVSET_ADD(&set, all, &err), -1);
	assert_non_null(strstr(err.text, "C would have"));
	assert_int_equal(set.n, 2);
	assert_string_equal(set.entry[0].value, "");
	assert_int_equal(set.entry[0].kind, ENV_WORLD);
	assert_string_equal(set.entry[1].name, "B");
	assert_string_equal(set.entry[1].value, "4294967296");
	assert_string_equal(set.entry[1].source, "second");
	envset_clear(&set);
	free(longer);
}

static void at_most_128_kib(void **state)
{
	/* NAME=, value and NUL are 131071 bytes at most. */
	size_t fits = ENV_STRING_MAX - sizeof("NAME=");
	char *value = repeated('v', fits + 1);
	struct envset set = {0};
	struct err err;

	(void)state;
	assert_int_equal(
		envset_add(&set, ENV_OURS, "test", &err, "NAME", "%s", value),
		-1);
	assert_int_equal(set.n, 0);
	assert_string_equal(err.text,
			    "NAME would have 131066 bytes; an environment "
			    "variable has at most 131070 with its name");
	assert_int_equal(envset_add(&set, ENV_OURS, "test", &err, "NAME", "%s",
				    value + 1),
			 0);
	assert_int_equal(strlen(set.entry[0].value), fits);
	/* What was there stays when its replacement doesn't fit. */
	assert_int_equal(
		envset_add(&set, ENV_OURS, "test", &err, "NAME", "%s", value),
		-1);
	assert_int_equal(strlen(set.entry[0].value), fits);
	envset_clear(&set);
	free(value);
}

static const char *lookup_one(void *arg, const char *name)
{
	const char *value = arg;

	assert_string_equal(name, "NAME");
	return value;
}

#define MARKER ENV_PLUGIN_MISSING

/* What becomes of our value and the one that is there. */
static const struct {
	const char *what;
	enum env_kind kind;
	const char *ours, *former; /* NULL: to be unset; not there */
	bool overwrite, stale;
	enum env_state state;
	bool applies;
} table[] = {
	{"new", ENV_FACT, "1", NULL, false, false, ENV_NEW, true},
	{"new hint", ENV_HINT, "1", NULL, false, false, ENV_NEW, true},
	{"same", ENV_FACT, "1", "1", false, false, ENV_SAME, false},
	{"same, ours", ENV_OURS, "1", "1", true, true, ENV_SAME, false},
	{"empty is a value", ENV_FACT, "1", "", false, false, ENV_KEPT, false},
	{"both empty", ENV_FACT, "", "", false, false, ENV_SAME, false},
	{"kept fact", ENV_FACT, "1", "2", false, false, ENV_KEPT, false},
	{"kept hint", ENV_HINT, "1", "2", false, false, ENV_KEPT, false},
	{"ours", ENV_OURS, "1", "2", false, false, ENV_REPLACED, true},
	{"step's", ENV_STEPS, "1", "2", false, false, ENV_REPLACED, true},
	{"unset step's", ENV_STEPS, NULL, "2", false, false, ENV_REPLACED,
	 true},
	{"overwrite", ENV_FACT, "1", "2", true, false, ENV_REPLACED, true},
	{"overwrite hint", ENV_HINT, "1", "2", true, false, ENV_REPLACED, true},
	{"stale", ENV_FACT, "1", "2", false, true, ENV_REPLACED, true},
	{"stale hint", ENV_HINT, "1", "2", false, true, ENV_REPLACED, true},
	{"marker", ENV_FACT, "1", MARKER, false, false, ENV_REPLACED, true},
	{"marker hint", ENV_HINT, "1", MARKER, false, false, ENV_REPLACED,
	 true},
	{"like a marker", ENV_FACT, "1", MARKER "s", false, false, ENV_KEPT,
	 false},
	{"unset nothing", ENV_OURS, NULL, NULL, false, false, ENV_NEW, false},
	{"unset ours", ENV_OURS, NULL, "2", false, false, ENV_REPLACED, true},
	{"unset kept", ENV_FACT, NULL, "2", false, false, ENV_KEPT, false},
	{"unset marker", ENV_FACT, NULL, MARKER, false, false, ENV_REPLACED,
	 true},
	{"unset stale", ENV_FACT, NULL, "2", false, true, ENV_REPLACED, true},
	{"unset overwrite", ENV_HINT, NULL, "2", true, false, ENV_REPLACED,
	 true},
};

static void resolve(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct envset set = {0};
		struct env_entry *e;
		struct err err;

		if (table[i].ours)
			envset_add(&set, table[i].kind, "test", &err, "NAME",
				   "%s", table[i].ours);
		else
			envset_unset(&set, table[i].kind, "test", &err, "NAME");
		e = &set.entry[0];
		envset_resolve(&set, lookup_one, (void *)table[i].former,
			       table[i].overwrite, table[i].stale);
		assert_case(table[i].what, e->state == table[i].state);
		assert_case(table[i].what,
			    env_entry_applies(e) == table[i].applies);
		assert_case(table[i].what, !e->former == !table[i].former);
		/* A second look finds the same, and leaks nothing. */
		envset_resolve(&set, lookup_one, (void *)table[i].former,
			       table[i].overwrite, table[i].stale);
		assert_case(table[i].what, e->state == table[i].state);
		envset_clear(&set);
	}
}

/* "NAME=value" strings. */
static const char *lookup_many(void *arg, const char *name)
{
	const char *const *env = arg;
	size_t len = strlen(name);

	for (; *env; env++)
		if (!strncmp(*env, name, len) && (*env)[len] == '=')
			return *env + len + 1;
	return NULL;
}

static void an_item_of_a_list(void **state)
{
	static const char *const proxies[] = {"proxy", "PROXY", NULL};
	static const struct {
		const char *env[3];
		const char *value; /* to be applied; NULL: nothing */
	} lists[] = {
		{{NULL}, NULL},
		{{"list=a", NULL}, NULL},
		{{"proxy=", "list=a", NULL}, NULL},
		{{"proxy=p", NULL}, "node1"},
		{{"PROXY=p", "list=", NULL}, "node1"},
		{{"PROXY=p", "list=a,b", NULL}, "a,b,node1"},
		{{"PROXY=p", "list=node10,anode1", NULL},
		 "node10,anode1,node1"},
		{{"PROXY=p", "list=a,node1,b", NULL}, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		struct envset set = {0};
		const struct env_entry *e;
		struct err err;

		envset_append(&set, "test", &err, "list", "node1", proxies);
		envset_add(&set, ENV_OURS, "test", &err, "other", "1");
		envset_resolve(&set, lookup_many, (void *)lists[i].env, true,
			       true);
		e = envset_find(&set, "list");
		if (e && !env_entry_applies(e))
			e = NULL;
		assert_case(lists[i].env[0] ? lists[i].env[0] : "nothing",
			    !e == !lists[i].value);
		if (e)
			assert_string_equal(e->value, lists[i].value);
		assert_non_null(envset_find(&set, "other"));
		envset_clear(&set);
	}
}

/* Two variables that go together */
static const struct {
	const char *what, *follower, *leader; /* as they are; NULL: not there */
	bool applies, unset;
} pairs[] = {
	{"neither", NULL, NULL, true, false},
	{"the leader is the user's", NULL, "2", false, false},
	{"and srun has marked the follower", MARKER, "2", true, true},
	{"srun has marked both", MARKER, MARKER, true, false},
	{"the follower is the user's", "2", NULL, false, false},
};

static const char *lookup_pair(void *arg, const char *name)
{
	size_t i = *(size_t *)arg;
	const char *value = strcmp(name, "LEADER") == 0 ? pairs[i].leader
							: pairs[i].follower;

	return value;
}

static void a_follower(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++) {
		struct envset set = {0};
		struct err err;

		envset_add(&set, ENV_HINT, "test", &err, "FOLLOWER", "1");
		envset_follow(&set, "FOLLOWER", "LEADER");
		envset_resolve(&set, lookup_pair, &i, false, false);
		assert_case(pairs[i].what, env_entry_applies(&set.entry[0]) ==
						   pairs[i].applies);
		assert_case(pairs[i].what,
			    !set.entry[0].value == pairs[i].unset);
		envset_clear(&set);
	}
}

/* Of two that add to a list, each has its item. */
static void items_of_two(void **state)
{
	static const char *const proxies[] = {"PROXY", NULL};
	static const char *const env[] = {"PROXY=p", "list=a", NULL};
	struct envset set = {0};
	struct err err;

	(void)state;
	envset_append(&set, "one", &err, "list", "node1", proxies);
	envset_append(&set, "two", &err, "list", "node2", proxies);
	envset_resolve(&set, lookup_many, (void *)env, false, false);
	assert_string_equal(envset_find(&set, "list")->value, "a,node1,node2");
	envset_clear(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(add_and_find),
		cmocka_unit_test(the_later_caller_is_stronger),
		cmocka_unit_test(rows),
		cmocka_unit_test(at_most_128_kib),
		cmocka_unit_test(resolve),
		cmocka_unit_test(a_follower),
		cmocka_unit_test(an_item_of_a_list),
		cmocka_unit_test(items_of_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
