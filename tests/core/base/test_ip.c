/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/chip.h"
#include "core/base/ip.h"

#include "tests/fixtures/unit.h"

#include <arpa/inet.h>

/* inet_ntop() spells an address as we do. It has IPv4 behind some of IPv6's
 * zeros, which we don't. */
static void compare_spelling(const char *text, const struct ip *ip)
{
	char theirs[IP_TEXT_SIZE], ours[IP_TEXT_SIZE];
	int family = ip->family == 4 ? AF_INET : AF_INET6;

	assert_non_null(inet_ntop(family, ip->byte, theirs, sizeof(theirs)));
	if (family == AF_INET || !strchr(theirs, '.'))
		assert_case(text, !strcmp(ip_format(ip, ours), theirs));
}

/* What inet_pton() says of the same text is what we say. */
static void compare(const char *text)
{
	unsigned char v4[4], v6[16];
	struct ip ip = {.family = UNTOUCHED};
	int ret = ip_parse(text, strlen(text), &ip);

	if (inet_pton(AF_INET, text, v4) == 1) {
		assert_case(text, ret == 0 && ip.family == 4);
		assert_memory_equal(ip.byte, v4, sizeof(v4));
	} else if (inet_pton(AF_INET6, text, v6) == 1) {
		assert_case(text, ret == 0 && ip.family == 6);
		assert_memory_equal(ip.byte, v6, sizeof(v6));
	} else {
		assert_case(text, ret == -1 && ip.family == UNTOUCHED);
	}
	if (ret == 0)
		compare_spelling(text, &ip);
}

static const char *const spellings[] = {
	"10.0.0.1",
	"0.0.0.0",
	"255.255.255.255",
	"256.0.0.1",
	"01.2.3.4",
	"00.0.0.0",
	"1.2.3",
	"1.2.3.4.5",
	"1.2.3.4.",
	".1.2.3.4",
	"1..2.3",
	"1.2.3.",
	"",
	" 1.2.3.4",
	"1.2.3.4 ",
	"1.2.3.4a",
	"0x1.2.3.4",
	"192.1.*.6",
	"1234",
	"192.168.0.xx.11",
	"1.2.3.0004",
	"::",
	"::1",
	"1::",
	":",
	":::",
	"1:",
	":1",
	"::1::",
	"1::2::3",
	"fe80::1",
	"fe80::1%e",
	"1:2:3:4:5:6:7:8",
	"1:2:3:4:5:6:7:8:9",
	"1:2:3:4:5:6:7",
	"1:2:3:4:5:6:7::",
	"::2:3:4:5:6:7:8",
	"::1:2:3:4:5:6:7:8",
	"1:2:3:4:5:6:7:8::",
	"1:2:3::4:5:6:7:8",
	"12345::",
	"00001::",
	"0001::",
	"g::",
	"::ffff:1.2.3.4",
	"::1.2.3.4",
	"1:2:3:4:5:6:1.2.3.4",
	"1:2:3:4:5:6:7:1.2.3.4",
	"1:2:3:4:5:1.2.3.4",
	"::1.2.3",
	"1.2.3.4::",
	"::1.2.3.4:5",
	"ABCD::eF",
	"1:2:3:4:5:6:7:8 ",
	"::256.1.1.1",
	"::01.1.1.1",
	"1111:2222:3333:4444:5555:6666:255.255.255.255",
	"1111:2222:3333:4444:5555:6666:7777:255.255.255.255",
	"FD00:0:0:0::1",
	"1:0:0:2:0:0:0:3",
	"1:0:2:3:4:5:6:7",
	"1.2.3.4:5",
	"0:0:0:0:0:0:0:0",
	"-.-.-.-",
};

static void as_inet_pton(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(spellings); i++)
		compare(spellings[i]);
}

/* All short texts over a few characters. */
static void as_inet_pton_at_random(void **state)
{
	static const char chars[] = "01f:.g25";
	char text[24];
	unsigned seed = 1;

	(void)state;
	for (int i = 0; i < 300000; i++) {
		unsigned n = (seed >> 16) % (sizeof(text) - 1);

		for (unsigned k = 0; k < n; k++) {
			seed = seed * 1103515245 + 12345;
			text[k] = chars[(seed >> 16) % (sizeof(chars) - 1)];
		}
		text[n] = '\0';
		seed = seed * 1103515245 + 12345;
		compare(text);
	}
}

static void part_of_a_text(void **state)
{
	struct ip ip;

	(void)state;
	assert_int_equal(ip_parse("1.2.3.45", 7, &ip), 0);
	assert_int_equal(ip.byte[3], 4);
	assert_int_equal(ip_parse("::1,", 3, &ip), 0);
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
	for (int i = CHIP_910A; i < CHIP_COUNT; i++) {
		const char *name = chip_facts((enum chip)i)->name;

		assert_int_equal(chip_parse(name, &chip), 0);
		assert_int_equal(chip, i);
		assert_non_null(strstr(CHIP_NAMES, name));
	}
	assert_int_equal(chip_parse("unknown", &chip), -1);
	assert_int_equal(chip_parse("", &chip), -1);
	assert_string_equal(chip_facts((enum chip)99)->name, "unknown");
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
		cmocka_unit_test(as_inet_pton),
		cmocka_unit_test(as_inet_pton_at_random),
		cmocka_unit_test(part_of_a_text),
		cmocka_unit_test(unusable),
		cmocka_unit_test(chips),
		cmocka_unit_test(sets_of_four),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
