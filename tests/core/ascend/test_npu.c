/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/npu.h"
#include "core/ascend/npu_ids.h"

#include "tests/fixtures/hccn_files.h"

static void chips(void **state)
{
	static const struct {
		const char *name;
		enum chip chip;
	} cases[] = {
		{"910B3", CHIP_910B},	      {"Ascend 910B1", CHIP_910B},
		{"Ascend910B4-1", CHIP_910B}, {"910A", CHIP_910A},
		{"910PremiumA", CHIP_910A},   {"Ascend910_9391", CHIP_910C},
		{"Ascend 910C", CHIP_910C},   {"Ascend950", CHIP_950},
		{"910_9599", CHIP_950},	      {"910B", CHIP_UNKNOWN},
		{"Ascend910", CHIP_UNKNOWN},  {"310P3", CHIP_310P},
		{"", CHIP_UNKNOWN},
	};
	enum chip chip = CHIP_950;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_case(cases[i].name,
			    npu_chip_of_driver(cases[i].name) == cases[i].chip);
	for (int i = CHIP_UNKNOWN; i <= CHIP_950; i++) {
		assert_int_equal(
			npu_chip_of_name(chip_facts((enum chip)i)->name, &chip),
			0);
		assert_int_equal(chip, i);
	}
	assert_int_equal(npu_chip_of_name("910b", &chip), -1);
}

static void addresses(void **state)
{
	struct npu npu = {.phy_id = 64};
	char text[64];
	struct err err;

	(void)state;
	assert_int_equal(npu_add_addr(&npu, "127.0.0.1", 9, &err), -1);
	assert_int_equal(npu_add_addr(&npu, "10.0.0.1/", 9, &err), -1);
	assert_int_equal(npu_add_addr(&npu, "10.0.0.1/", 8, &err), 0);
	assert_int_equal(npu_add_addr(&npu, "10.0.0.1", 8, &err), 0);
	assert_int_equal(npu.naddrs, 1);
	for (unsigned i = 1; i < NPU_ADDRS_MAX; i++) {
		snprintf(text, sizeof(text),
			 "1111:2222:3333:4444:5555:6666:7777:888%u", i);
		assert_int_equal(npu_add_addr(&npu, text, strlen(text), &err),
				 0);
	}
	assert_string_equal(npu.addr[NPU_ADDRS_MAX - 1], text);
	assert_int_equal(npu_add_addr(&npu, "10.0.0.2", 8, &err), -1);
	assert_int_equal(npu.naddrs, NPU_ADDRS_MAX);
}

/* Only what isn't known is taken over. */
static void completion(void **state)
{
	struct npu npu = {.sdid_from = NPU_FROM_DCMI, .sdid = 1};
	const struct npu more = {.addr_from = NPU_FROM_HCCN_CONF,
				 .naddrs = 1,
				 .addr = {"10.0.0.1"},
				 .sdid_from = NPU_FROM_INVENTORY,
				 .sdid = 2,
				 .pod_from = NPU_FROM_INVENTORY,
				 .pod = "p",
				 .chip_from = NPU_FROM_NPU_SMI,
				 .chip = CHIP_910C};

	(void)state;
	npu_complete(&npu, &more);
	assert_int_equal(npu.sdid, 1);
	assert_int_equal(npu.sdid_from, NPU_FROM_DCMI);
	assert_int_equal(npu.addr_from, NPU_FROM_HCCN_CONF);
	assert_string_equal(npu.addr[0], "10.0.0.1");
	assert_string_equal(npu.pod, "p");
	assert_int_equal(npu.chip, CHIP_910C);
}

static void dev_names(void **state)
{
	char *text = hccn_file("xpucollector__dev_listing_16.txt");
	char *save = NULL;
	unsigned short id, n = 0, sum = 0;

	(void)state;
	for (char *name = strtok_r(text, "\n", &save); name;
	     name = strtok_r(NULL, "\n", &save))
		if (npu_id_of_name(name, &id)) {
			n++;
			sum += id;
		}
	assert_int_equal(n, 16);
	assert_int_equal(sum, 120);
	assert_false(npu_id_of_name("davinci_manager", &id));
	assert_false(npu_id_of_name("davinci01", &id));
	assert_false(npu_id_of_name("davinci", &id));
	assert_false(npu_id_of_name("davinci65", &id));
	assert_false(npu_id_of_name("xdavinci1", &id));
	assert_true(npu_id_of_name("davinci0", &id));
	free(text);
}

/* present | allowed | Slurm's indices | ids, or a part of the error */
static const char *const mappings[][4] = {
	{"0-7", "0-7", "0-7", "0,1,2,3,4,5,6,7"},
	{"0-7", "0-7", "3,5", "3,5"},
	/* a device cgroup */
	{"0-7", "3,5", "3,5", "3,5"},
	{"0-3,5-7", "5-6", "4-5", "5,6"},
	/* not in the device's group: open() says nothing about Slurm */
	{"0-7", "", "0-1", "0,1"},
	/* containers that show a part, under its own numbers */
	{"4-7", "4-7", "4-7", "4,5,6,7"},
	{"2,5", "2,5", "2,5", "2,5"},
	/* the whole of a node whose gres.conf leaves one out */
	{"0-3,5-7", "0-3,5-7", "0-6", "0,1,2,3,5,6,7"},
	/* the driver doesn't show what Slurm gave */
	{"0-4,6-7", "0-4,6-7", "0-7",
	 "no /dev/davinci5; the driver shows "
	 "0,1,2,3,4,6,7"},
	{"0-4,6-7", "0-4,6-7", "5", "no /dev/davinci5"},
	{"0-3", "0-3", "4", "no /dev/davinci4"},
	{"", "", "0", "the driver shows none"},
	/* index or place in gres.conf? */
	{"0-4,6-7", "0-4,6-7", "6", "ConstrainDevices=yes"},
	{"0-7", "0-7", "", ""},
};

static void gres_indices(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(mappings); i++) {
		const char *const *m = mappings[i];
		struct npu_nodes nodes;
		struct idlist gres, ids;
		struct err err = {""};
		char text[256];

		idlist_parse(m[0], &nodes.present);
		idlist_parse(m[1], &nodes.allowed);
		idlist_parse(m[2], &gres);
		if (npu_ids_of_gres(&gres, &nodes, "n1", &ids, &err) == 0) {
			idlist_format(&ids, text, sizeof(text));
			if (strcmp(text, m[3]) != 0)
				fail_msg("%s of %s: %s", m[2], m[0], text);
		} else if (!strstr(err.text, m[3]) || !*m[3]) {
			fail_msg("%s of %s: %s", m[2], m[0], err.text);
		}
	}
}

static void visible_numbers(void **state)
{
	struct npu_nodes nodes;
	struct idlist ids, seen;
	struct err err;
	char text[64];

	(void)state;
	/* a container that shows 4 to 7 numbers them from 0 */
	idlist_parse("4-7", &nodes.present);
	nodes.allowed = nodes.present;
	idlist_parse("5,7", &ids);
	assert_int_equal(npu_ids_visible(&ids, &nodes, NULL, &seen, &err), 0);
	idlist_format(&seen, text, sizeof(text));
	assert_string_equal(text, "1,3");
	assert_int_equal(npu_ids_visible(&ids, &nodes, "1,3", &seen, &err), 0);
	idlist_format(&seen, text, sizeof(text));
	assert_string_equal(text, "0,1");
	assert_int_equal(npu_ids_visible(&ids, &nodes, "0,1", &seen, &err), -1);
	assert_int_equal(npu_ids_visible(&ids, &nodes, "x", &seen, &err), -1);
	idlist_parse("3", &ids);
	assert_int_equal(npu_ids_visible(&ids, &nodes, NULL, &seen, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chips),
		cmocka_unit_test(addresses),
		cmocka_unit_test(completion),
		cmocka_unit_test(dev_names),
		cmocka_unit_test(gres_indices),
		cmocka_unit_test(visible_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
