/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/chip.h"
#include "core/base/ip.h"

#include "tests/fixtures/unit.h"

/* Each text, and how the address is written; NULL: it isn't one. */
static const struct {
	const char *text, *written;
} spellings[] = {
	{"10.0.0.1", "10.0.0.1"},
	{"0.0.0.0", "0.0.0.0"},
	{"255.255.255.255", "255.255.255.255"},
	{"256.0.0.1", NULL},
	{"01.2.3.4", NULL},
	{"00.0.0.0", NULL},
	{"1.2.3", NULL},
	{"1.2.3.4.5", NULL},
	{"1.2.3.4.", NULL},
	{".1.2.3.4", NULL},
	{"1..2.3", NULL},
	{"1.2.3.", NULL},
	{"", NULL},
	{" 1.2.3.4", NULL},
	{"1.2.3.4 ", NULL},
	{"1.2.3.4a", NULL},
	{"0x1.2.3.4", NULL},
	{"192.1.*.6", NULL},
	{"1234", NULL},
	{"192.168.0.xx.11", NULL},
	{"1.2.3.0004", NULL},
	{"::", "::"},
	{"::1", "::1"},
	{"1::", "1::"},
	{":", NULL},
	{":::", NULL},
	{"1:", NULL},
	{":1", NULL},
	{"::1::", NULL},
	{"1::2::3", NULL},
	{"fe80::1", "fe80::1"},
	{"fe80::1%e", NULL},
	{"1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"},
	{"1:2:3:4:5:6:7:8:9", NULL},
	{"1:2:3:4:5:6:7", NULL},
	{"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
	{"::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"},
	{"::1:2:3:4:5:6:7:8", NULL},
	{"1:2:3:4:5:6:7:8::", NULL},
	{"1:2:3::4:5:6:7:8", NULL},
	{"12345::", NULL},
	{"00001::", NULL},
	{"0001::", "1::"},
	{"g::", NULL},
	{"::ffff:1.2.3.4", "::ffff:1.2.3.4"},
	{"::1.2.3.4", "::1.2.3.4"},
	{"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
	{"1:2:3:4:5:6:7:1.2.3.4", NULL},
	{"1:2:3:4:5:1.2.3.4", NULL},
	{"::1.2.3", NULL},
	{"1.2.3.4::", NULL},
	{"::1.2.3.4:5", NULL},
	{"ABCD::eF", "abcd::ef"},
	{"1:2:3:4:5:6:7:8 ", NULL},
	{"::256.1.1.1", NULL},
	{"::01.1.1.1", NULL},
	{"1111:2222:3333:4444:5555:6666:255.255.255.255",
	 "1111:2222:3333:4444:5555:6666:ffff:ffff"},
	{"1111:2222:3333:4444:5555:6666:7777:255.255.255.255", NULL},
	{"FD00:0:0:0::1", "fd00::1"},
	{"1:0:0:2:0:0:0:3", "1:0:0:2::3"},
	{"1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"},
	{"1.2.3.4:5", NULL},
	{"0:0:0:0:0:0:0:0", "::"},
	{"-.-.-.-", NULL},
};

static void spelled(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(spellings); i++) {
		const char *text = spellings[i].text;
		const char *written = spellings[i].written;
		struct ip ip = {.family = UNTOUCHED};
		char buf[IP_TEXT_SIZE];

		if (ip_parse(text, strlen(text), &ip) < 0) {
			assert_case(text, !written && ip.family == UNTOUCHED);
			continue;
		}
		assert_case(text, written != NULL);
		assert_int_equal(ip.family, strchr(text, ':') ? 6 : 4);
		assert_string_equal(ip_format(&ip, buf), written);
	}
}

static void part_of_a_text(void **state)
{
	struct ip ip;

	(void)state;
	assert_int_equal(ip_parse("1.2.3.45", 7, &ip), 0);
	assert_int_equal(ip.byte[3], 4);
	assert_int_equal(ip_parse("::1,", 3, &ip), 0);
	assert_int_equal(ip_parse("1.2.3.4\0005", 9, &ip), -1);
}

static void unusable(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"0.0.0.0", "unspecified"},
		{"0.1.2.3", "unspecified"},
		{"127.0.0.1", "loopback"},
		{"127.255.0.1", "loopback"},
		{"224.0.0.1", "multicast"},
		{"239.1.1.1", "multicast"},
		{"255.255.255.255", "broadcast"},
		{"::", "unspecified"},
		{"::1", "loopback"},
		{"ff02::1", "multicast"},
		{"::ffff:127.0.0.1", "loopback"},
		{"::ffff:10.0.0.1", NULL},
		{"::2", NULL},
		{"10.0.0.1", NULL},
		{"192.168.100.101", NULL},
		{"223.255.255.255", NULL},
		{"240.0.0.1", NULL},
		{"2001:db8::1", NULL},
		{"fd00::1", NULL},
		{"1::", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct ip ip;
		const char *why;

		assert_int_equal(
			ip_parse(cases[i].text, strlen(cases[i].text), &ip), 0);
		why = ip_unusable(&ip);
		assert_case(cases[i].text, !why == !cases[i].why);
		assert_case(cases[i].text, !why || strstr(why, cases[i].why));
	}
}

static void chips(void **state)
{
	enum chip chip = CHIP_COUNT;

	(void)state;
	for (int i = CHIP_UNKNOWN + 1; i < CHIP_COUNT; i++) {
		const char *name = chip_facts((enum chip)i)->name;

		assert_int_equal(chip_parse(name, &chip), 0);
		assert_int_equal(chip, i);
		assert_non_null(strstr(CHIP_NAMES, name));
	}
	assert_int_equal(chip_parse("unknown", &chip), -1);
	assert_int_equal(chip_parse("", &chip), -1);
	assert_string_equal(chip_facts((enum chip)99)->name, "unknown");
}

/* A 910A's devices work together in powers of two; others' in any number. */
static void counts(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 16; n++) {
		bool taken = n == 1 || n == 2 || n == 4 || n == 8;

		assert_int_equal(chip_takes_count(CHIP_910A, n), taken);
		for (int i = CHIP_UNKNOWN; i < CHIP_COUNT; i++)
			if (i != CHIP_910A)
				assert_true(chip_takes_count((enum chip)i, n));
	}
}

static void sets_of_four(void **state)
{
	unsigned taken = 0;

	(void)state;
	for (unsigned mask = 0; mask < 256; mask++)
		if (__builtin_popcount(mask) == 4)
			taken += chip_takes_set(CHIP_910A, mask);
		else
			assert_true(chip_takes_set(CHIP_910A, mask));
	assert_int_equal(taken, 8);
	assert_true(chip_takes_set(CHIP_910A, 0x0f));
	assert_false(chip_takes_set(CHIP_910A, 0xc3)); /* {0,1,6,7} */
	assert_true(chip_takes_set(CHIP_910B, 0xc3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spelled),  cmocka_unit_test(part_of_a_text),
		cmocka_unit_test(unusable), cmocka_unit_test(chips),
		cmocka_unit_test(counts),   cmocka_unit_test(sets_of_four),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
