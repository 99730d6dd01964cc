/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What differs between the rules for a step and for a file, and how faults are
 * reported and read. The rules themselves: test_ranktable_check (a step's rows)
 * and test_ranktable_cmd (files).
 */
#include "core/ascend/ranktable_rules.h"

#include "tests/fixtures/unit.h"

/* The kinds that were reported. */
struct found {
	enum ranktable_fault_kind kind[32];
	size_t n;
};

static void note_fault(const struct ranktable_rules *rules,
		       const struct ranktable_fault *fault)
{
	struct found *found = rules->arg;

	assert_true(found->n < COUNT(found->kind));
	found->kind[found->n++] = fault->kind;
}

static struct found check_rules(struct ranktable_rules rules,
				struct ranktable_row *row, size_t n)
{
	struct ranktable_row *sorted[24] = {NULL};
	struct found found = {.n = 0};

	assert_true(n <= COUNT(sorted));
	for (size_t i = 0; i < n; i++)
		sorted[i] = &row[i];
	rules.row = sorted;
	rules.n = n;
	rules.report = note_fault;
	rules.arg = &found;
	assert_int_equal(ranktable_rules_check(&rules), 0);
	assert_true(found.n == rules.nfaults || rules.first_only);
	return found;
}

/* Rank 0 and 2, device 1 twice, an address twice. */
static void all_or_first(void **state)
{
	struct ranktable_row row[] = {
		{.rank = 0,
		 .device_id = 1,
		 .node = "n",
		 .server_id = "s",
		 .device_ip = "10.0.0.1"},
		{.rank = 2,
		 .device_id = 1,
		 .node = "n",
		 .server_id = "s",
		 .device_ip = "10.0.0.1"},
	};
	struct ranktable_rules rules = {.form = FORM_STEP};
	struct found found = check_rules(rules, row, 2);

	(void)state;
	assert_int_equal(found.n, 3);
	assert_int_equal(found.kind[0], FAULT_RANK_HIGH);
	assert_int_equal(found.kind[1], FAULT_DEVICE_TWICE);
	assert_int_equal(found.kind[2], FAULT_ADDRESS_TWICE);
	rules.first_only = true;
	found = check_rules(rules, row, 2);
	assert_int_equal(found.n, 1);
	assert_int_equal(found.kind[0], FAULT_RANK_HIGH);
}

/* A file may leave ranks and devices out; that was reported before. */
static void unknown_numbers(void **state)
{
	struct ranktable_row row[] = {
		{.rank = 0, .device_id = 0, .server_id = "s"},
		{.rank = 1, .device_id = 0, .server_id = "t"},
		{.rank_unknown = true,
		 .device_unknown = true,
		 .server_id = "s"},
		{.rank_unknown = true, .device_unknown = true},
	};
	struct ranktable_rules rules = {.form = FORM_SERVERS};

	(void)state;
	assert_int_equal(check_rules(rules, row, 0).n, 0);
	assert_int_equal(check_rules(rules, row, 4).n, 0);
	row[2].device_unknown = false;
	assert_int_equal(check_rules(rules, row, 4).kind[0],
			 FAULT_DEVICE_TWICE);
	row[2].device_id = 1;
	row[2].rank_unknown = false;
	row[2].rank = 2;
	assert_int_equal(check_rules(rules, row, 4).kind[0],
			 FAULT_SERVER_SPLIT);
}

/* What the library lets pass in a file, and a step has no reason to write. */
static void stricter_for_a_step(void **state)
{
	static const struct {
		enum chip chip;
		const char *host_ip, *device_ip[2];
		enum ranktable_fault_kind of_step;
		int of_file; /* a kind, or -1 */
	} cases[] = {
		{CHIP_910C,
		 NULL,
		 {"10.0.0.1", "10.0.0.2,"},
		 FAULT_ADDRESS_COUNT,
		 -1},
		{CHIP_910C, NULL, {"10.0.0.1", NULL}, FAULT_NO_ADDRESS, -1},
		{CHIP_910C, NULL, {NULL, NULL}, FAULT_NO_ADDRESS, -1},
		{CHIP_910A, "10.1.0.1", {NULL, NULL}, FAULT_NO_ADDRESS, -1},
		{CHIP_910B,
		 "10.1.0.1",
		 {NULL, NULL},
		 FAULT_NO_ADDRESS,
		 FAULT_NO_ADDRESS},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct ranktable_row row[] = {
			{.rank = 0, .node = "n", .server_id = "s"},
			{.rank = 1, .node = "m", .server_id = "t"},
		};
		struct ranktable_rules rules = {.form = FORM_STEP,
						.chip = cases[i].chip};
		struct found found;

		for (size_t j = 0; j < 2; j++) {
			row[j].host_ip = cases[i].host_ip;
			row[j].device_ip = cases[i].device_ip[j];
		}
		found = check_rules(rules, row, 2);
		assert_true(found.n > 0);
		assert_int_equal(found.kind[0], cases[i].of_step);
		rules.form = FORM_SERVERS;
		found = check_rules(rules, row, 2);
		assert_int_equal(found.n ? (int)found.kind[0] : -1,
				 cases[i].of_file);
	}
}

/* Servers of `size` devices; bit d of with[i]: device d of server i has an
 * address. */
static struct found check_nics(struct ranktable_rules rules, unsigned size,
			       const uint64_t *with, unsigned nservers)
{
	static const char *const servers[] = {"s", "t", "u"};
	static char address[24][32];
	struct ranktable_row row[24] = {{.rank = 0}};

	for (unsigned i = 0; i < nservers * size; i++) {
		unsigned device = i % size;

		snprintf(address[i], sizeof(address[i]), "10.0.0.%u", i + 1);
		row[i].rank = i;
		row[i].server_id = servers[i / size];
		row[i].device_id = device;
		if (with[i / size] >> device & 1)
			row[i].device_ip = address[i];
	}
	return check_rules(rules, row, (size_t)nservers * size);
}

/* An A3 needs no addresses, but for several servers of eight devices. */
static void servers_of_eight(void **state)
{
	static const struct {
		unsigned size, nservers;
		uint64_t with[3];
		size_t nfaults;
	} cases[] = {
		{8, 1, {0}, 0},
		{8, 2, {0, 0}, 2},
		{8, 2, {0xff, 0xff}, 0},
		{8, 2, {0xff, 0x7f}, 1},
		{8, 2, {0xff, 0}, 1},
		{8, 2, {0x0f, 0x0f}, 0}, /* the same ones of each */
		{8, 2, {0x0f, 0xf0}, 2},
		{8, 2, {0x07, 0x07}, 2}, /* 16 isn't a multiple of 3 */
		{8, 3, {0x07, 0x07, 0x07}, 0},
		{7, 2, {0, 0}, 0},
		{4, 2, {0, 0}, 0},
	};
	struct ranktable_rules rules = {.form = FORM_SERVERS,
					.chip = CHIP_910C};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct found found = check_nics(
			rules, cases[i].size, cases[i].with, cases[i].nservers);

		for (size_t j = 0; j < found.n; j++)
			assert_true(found.kind[j] == FAULT_NICS ||
				    found.kind[j] == FAULT_ADDRESS_COUNT);
		assert_int_equal(found.n, cases[i].nfaults);
	}
}

static void message(void **state)
{
	const struct ranktable_row row = {.rank = 3, .server_id = "a b"};
	const struct ranktable_row other = {.rank = 1, .server_id = "c"};
	const struct ranktable_places places = {"here", "there"};
	const struct ranktable_fault fault = {.row = &row,
					      .other = &other,
					      .count = 5,
					      .other_count = 6,
					      .devices = 0x8000000000000006,
					      .text = "10.0.0.1,10.0.0.2",
					      .text_len = 8,
					      .why = "bad"};
	struct ranktable_rules rules = {.form = FORM_SERVERS, .n = 4};
	char text[100], tiny[10];

	(void)state;
	ranktable_fault_text(&rules, &fault,
			     "{place} {other place} {rank} {other rank} "
			     "{server} {other server} {count} {other count}",
			     &places, text, sizeof(text));
	assert_string_equal(text, "here there 3 1 'a b' 'c' 5 6");
	rules.form = FORM_STEP;
	ranktable_fault_text(&rules, &fault,
			     "{server}: {devices}: {text} is {why}, {last}, "
			     "{host} {hots} {",
			     &places, text, sizeof(text));
	assert_string_equal(text, "a b: 1, 2 and 63: '10.0.0.1' is bad, 3, "
				  "(none) {hots} {");
	ranktable_fault_text(&rules, &fault, "12345 {place}", &places, tiny,
			     sizeof(tiny));
	assert_string_equal(tiny, "12345 her");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_or_first),
		cmocka_unit_test(unknown_numbers),
		cmocka_unit_test(stricter_for_a_step),
		cmocka_unit_test(servers_of_eight),
		cmocka_unit_test(message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
