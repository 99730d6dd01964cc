/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work of reading lists grows as the texts do, however many names they
 * stand for: a user's list must not keep a daemon busy, and a step of 100,000
 * nodes must start. Steps are counted (tests/fixtures/steps.h), so that the
 * load of the machine doesn't matter.
 */
#include "core/base/hostlist.h"
#include "core/base/idset.h"
#include "core/base/runlength.h"
#include "core/facts/device.h"
#include "core/facts/taskmap.h"
#include "core/option/profile.h"

#include "tests/fixtures/steps.h"
#include "tests/fixtures/unit.h"

/* Steps for each byte of text. What is here takes 2 to 20, and took millions
 * before. */
#define STEPS_PER_BYTE 100

/* Steps for each name and each doubling of their number, where all are
 * sorted. */
#define STEPS_PER_LOOKUP 100

static void assert_linear(const char *what, size_t bytes)
{
	if (steps > STEPS_PER_BYTE * bytes)
		fail_msg("%s: %lu steps for %zu bytes", what, steps, bytes);
	steps = 0;
}

/* "PREFIX[1,1,...1-900000]" of some 120 kB: a million names */
static char *million(const char *prefix)
{
	size_t n = strlen(prefix);
	char *text = malloc(n + 120000 + 20), *p = stpcpy(text, prefix);

	*p++ = '[';
	for (unsigned i = 0; i < 50000; i++)
		p = stpcpy(p, "1,");
	strcpy(p, "1-900000]");
	return text;
}

static void names_of_a_million(void **state)
{
	char *text = million("n"), name[HOSTLIST_NAME_MAX];
	size_t size = strlen(text);
	unsigned at, n;

	(void)state;
	steps = 0;
	assert_int_equal(hostlist_find(text, "n1000000", &at), -1);
	assert_linear("find none", size);
	assert_int_equal(hostlist_find(text, "n900000", &at), 0);
	assert_int_equal(at, 949999);
	assert_linear("find", size);
	assert_int_equal(hostlist_nth(text, 949999, name), 0);
	assert_string_equal(name, "n900000");
	assert_linear("nth", size);
	assert_int_equal(hostlist_count(text, &n), 0);
	assert_linear("count", size);
	free(text);
}

/* Many ways to divide the digits of a name */
static void groups_side_by_side(void **state)
{
	char text[4096] = "n", name[HOSTLIST_NAME_MAX];
	size_t size;
	unsigned at;

	(void)state;
	for (unsigned i = 0; i < 19; i++)
		strcat(text, "[1,11]");
	for (unsigned i = 0; i < 100; i++)
		strcat(text, "[1]");
	size = strlen(text);
	snprintf(name, sizeof(name), "n%0*d", 150, 0);
	memset(name + 1, '1', 150);
	steps = 0;
	assert_int_equal(hostlist_find(text, name, &at), -1);
	/* each group for each of some 20 divisions */
	assert_linear("groups", 20 * size);
}

static void profiles(void **state)
{
	char *list = million("n"), *features, *names;
	struct profile_place where = {.node = "n1000000"};

	(void)state;
	assert_true(asprintf(&features, "ib=%s;other=%s", list, list) > 0);
	where.features = features;
	steps = 0;
	names = profile_defaults("x@ib y@other z@none", &where);
	assert_linear("profiles", strlen(features));
	assert_string_equal(names, "");
	free(names);
	free(features);
	free(list);
}

static void devices(void **state)
{
	char *list = million("n"), *text;
	struct idlist ids;
	struct err err;

	(void)state;
	assert_true(asprintf(&text, "%s:0-7;%s:1", list, list) > 0);
	steps = 0;
	assert_int_equal(gres_of_node(text, "n1000000", &ids, &err), 0);
	assert_linear("devices", strlen(text));
	free(text);
	free(list);
}

/* 20,000 names that no range stands for: "n1x,n2x,..." */
#define NODES 20000

static char *irregular(const char *behind)
{
	char *text = malloc(NODES * 40UL), *p = text;

	for (unsigned i = 0; i < NODES; i++)
		p += sprintf(p, "%snode%ux%s", i ? (*behind ? ";" : ",") : "",
			     i * 7919 % 1000003, behind);
	return text;
}

static void all_nodes(void **state)
{
	char *list = irregular(""), *text = irregular(":0-7");
	struct idlist *ids = calloc(NODES, sizeof(*ids));
	struct hostindex index;
	struct err err;
	unsigned at;

	(void)state;
	steps = 0;
	assert_int_equal(hostindex_make(list, &index, &err), 0);
	assert_linear("expand", 4 * strlen(list));
	for (unsigned i = 0; i < NODES; i++)
		assert_int_equal(hostindex_find(&index, index.name[i], &at), 0);
	if (steps > 15UL * STEPS_PER_LOOKUP * NODES)
		fail_msg("%lu steps for %u names", steps, NODES);
	steps = 0;
	assert_int_equal(gres_of_nodes(text, &index, ids, &err), 0);
	if (steps > 15UL * STEPS_PER_LOOKUP * NODES)
		fail_msg("%lu steps for the devices of %u", steps, NODES);
	assert_int_equal(ids[NODES - 1].n, 8);
	hostindex_clear(&index);
	free(ids);
	free(text);
	free(list);
}

static void counts(void **state)
{
	struct task_place *place;
	struct runlength r;
	struct idset set;
	struct err err;

	(void)state;
	steps = 0;
	assert_int_equal(runlength_read("1000000(x1000000)", &r), 0);
	assert_linear("counts", 17);
	assert_int_equal(idset_parse("0-4095,0-4095,0-4095", &set), 0);
	assert_linear("set", 3UL * IDSET_MAX);
	place = taskmap_make("1000000(x2)", "cyclic", 8, 2, &err);
	assert_null(place);
	assert_linear("tasks", 17 + 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_a_million),
		cmocka_unit_test(groups_side_by_side),
		cmocka_unit_test(profiles),
		cmocka_unit_test(devices),
		cmocka_unit_test(all_nodes),
		cmocka_unit_test(counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
