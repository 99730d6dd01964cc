/* SPDX-License-Identifier: Apache-2.0 */
/* The list of a node's interfaces as text. */
#include "core/base/interface.h"

#include "tests/fixtures/unit.h"

static void there_and_back(void **state)
{
	static const char text[] = "lo=ral,eth0=rak,eth0:1=ra,br-1=b,x=";
	struct interfaces list;
	char *again;

	(void)state;
	assert_int_equal(interfaces_parse(text, &list), 0);
	assert_int_equal(list.n, 5);
	assert_string_equal(list.at[2].name, "eth0:1");
	assert_int_equal(list.at[3].flags, INTERFACE_BRIDGE);
	assert_int_equal(list.at[4].flags, 0);
	again = interfaces_text(&list);
	assert_string_equal(again, text);
	free(again);
	assert_int_equal(interfaces_parse("", &list), 0);
	assert_int_equal(list.n, 0);
}

static void what_is_no_list(void **state)
{
	static const char *const texts[] = {
		"eth0",	     "=ra",   ",",	"eth0=ra,,eth1=r",
		"eth0=z",    "a/b=r", "a b=ra", "sixteen__letters=r",
		"eth0=ra,x",
	};
	struct interfaces list;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_case(texts[i], interfaces_parse(texts[i], &list) < 0);
		assert_case(texts[i], list.n == 0);
	}
}

static void a_full_list(void **state)
{
	struct interfaces list = {.n = 0};
	char name[INTERFACE_NAME_SIZE];

	(void)state;
	for (int i = 0; i < INTERFACES_MAX; i++) {
		snprintf(name, sizeof(name), "veth%d", i);
		assert_non_null(interfaces_add(&list, name));
	}
	assert_null(interfaces_add(&list, "eth0"));
	assert_ptr_equal(interfaces_add(&list, "veth7"), &list.at[7]);
	assert_null(interfaces_add(&list, "a,b"));
	assert_null(interfaces_add(&list, "a=b"));
}

static void the_first(void **state)
{
	struct interfaces list;
	char name[INTERFACE_NAME_SIZE];

	(void)state;
	assert_int_equal(interfaces_parse("eth0=ra,ib1=ra", &list), 0);
	interfaces_first("ib0,ib1,eth0", &list, name);
	assert_string_equal(name, "ib1");
	interfaces_first("ens5,ens6", &list, name);
	assert_string_equal(name, "ens5");
	interfaces_first("eth1,eth0", NULL, name);
	assert_string_equal(name, "eth1");
}

static void asked_for(void **state)
{
	struct interfaces list;
	struct err err;

	(void)state;
	assert_int_equal(interfaces_parse("lo=rl,eth0=ra", &list), 0);
	assert_int_equal(interfaces_check("eth0", &list, "n1", &err), 0);
	assert_int_equal(interfaces_check("ib0,eth0", &list, "n1", &err), 0);
	assert_int_equal(interfaces_check("eth9,ib0", &list, "n1", &err), -1);
	assert_string_equal(err.text,
			    "nic=eth9,ib0: node n1 has no such interface with "
			    "an address; it has lo, eth0");
	/* some may be missing there */
	list.n = 0;
	assert_int_equal(interfaces_check("eth9", &list, "n1", &err), 0);
	for (int i = 0; i < INTERFACES_MAX; i++) {
		char name[INTERFACE_NAME_SIZE];

		snprintf(name, sizeof(name), "veth%d", i);
		assert_non_null(interfaces_add(&list, name));
	}
	assert_int_equal(interfaces_check("eth9", &list, "n1", &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asked_for),
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(what_is_no_list),
		cmocka_unit_test(a_full_list),
		cmocka_unit_test(the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
