/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/inventory.h"

#include "tests/fixtures/npu_text.h"
#include "tests/fixtures/unit.h"

/* The facts of one device as npu_text() writes them, or the error. */
static const char *look(const char *text, const char *node, unsigned phy_id)
{
	static char line[1024];
	struct npu npu = {.phy_id = phy_id};
	struct inventory v;
	struct err err;

	if (inventory_read(text, "F", &v, &err) < 0) {
		snprintf(line, sizeof(line), "%s", err.text);
		return line;
	}
	if (inventory_find(&v, node, &npu, &err) < 0)
		snprintf(line, sizeof(line), "%s", err.text);
	else
		npu_text(&npu, line);
	inventory_clear(&v);
	return line;
}

/* The interface's own example, at its corners. */
static void example(void **state)
{
	static const char text[] =
		"# all of the cluster\n\n"
		"node[001-128] 0-7 address=29.17.[1-128].[10-17] chip=910B\n";

	(void)state;
	assert_string_equal(look(text, "node001", 0),
			    "npu 0 address=29.17.1.10/inventory "
			    "chip=910B/inventory");
	assert_string_equal(look(text, "node001", 7),
			    "npu 7 address=29.17.1.17/inventory "
			    "chip=910B/inventory");
	assert_string_equal(look(text, "node128", 3),
			    "npu 3 address=29.17.128.13/inventory "
			    "chip=910B/inventory");
	assert_string_equal(look(text, "node129", 3), "npu 3");
	assert_string_equal(look(text, "node001", 8), "npu 8");
	assert_string_equal(look(text, "node1", 0), "npu 0");
}

static const struct {
	const char *text, *node;
	unsigned phy_id;
	const char *found;
} cases[] = {
	/* one bracket over all, node by node */
	{"n[1-2] 0-1 address=10.0.0.[1-4]", "n2", 0,
	 "npu 0 address=10.0.0.3/inventory"},
	/* devices that aren't 0 to n-1, and a list without brackets */
	{"n1 4,6 address=10.0.0.1,10.0.1.1", "n1", 6,
	 "npu 6 address=10.0.1.1/inventory"},
	/* several addresses of a device, IPv6 */
	{"n[1-2] 0-1 address=10.0.[1-2].[1-2]+fd00::[1-2]:[1-2]", "n2", 1,
	 "npu 1 address=10.0.2.2,fd00::2:2/inventory"},
	/* a super pod: one value for all, one for each node, one for each */
	{"n[1-2] 0-1 sdid=[8-11] pod=p chip=910C", "n2", 1,
	 "npu 1 sdid=11/inventory pod=p/inventory chip=910C/inventory"},
	{"n[1-2] 0-1 pod=pod[7-8]", "n2", 0, "npu 0 pod=pod8/inventory"},
	/* the manual's examples */
	{"pod[1-2]n[1-4] 0-15 sdid=[0-127] pod=p1,p1,p1,p1,p2,p2,p2,p2 "
	 "chip=910C",
	 "pod2n1", 15,
	 "npu 15 sdid=79/inventory pod=p2/inventory chip=910C/inventory"},
	{"node129         0,3      address=29.17.129.10,29.17.129.13 chip=910B",
	 "node129", 3,
	 "npu 3 address=29.17.129.13/inventory chip=910B/inventory"},
	/* facts of a device from several lines */
	{"n[1-2] 0-1 chip=910B\nn2 1 address=10.0.0.9\n", "n2", 1,
	 "npu 1 address=10.0.0.9/inventory chip=910B/inventory"},
	{"n1 0 address=10.0.0.1\r\n", "n1", 0,
	 "npu 0 address=10.0.0.1/inventory"},
	{"n1 0 address=10.0.0.1 # here", "n1", 0,
	 "npu 0 address=10.0.0.1/inventory"},
	{"", "n1", 0, "npu 0"},
	/* what is wrong, with its line */
	{"\nn1 0\n", "n1", 0, "F:2: write NODES DEVICES address=..."},
	{"n1\n", "n1", 0, "F:1: write NODES DEVICES address=..."},
	{"n[1 0 chip=910B", "n1", 0,
	 "F:1: 'n[1' isn't a list of nodes such as node[001-128]"},
	{"n1 0-x chip=910B", "n1", 0,
	 "F:1: '0-x' isn't a list of devices such as 0-7, ascending and up to "
	 "64, nor gpu"},
	{"n1 1,0 chip=910B", "n1", 0,
	 "F:1: '1,0' isn't a list of devices such as 0-7, ascending and up to "
	 "64, nor gpu"},
	{"n1 0 adress=1", "n1", 0,
	 "F:1: 'adress=1' isn't one of address= sdid= pod= chip="},
	{"n1 0 chip=910B chip=910A", "n1", 0, "F:1: chip= twice"},
	{"n[1-2] 0-7 address=10.[1-3].0.[1-8]", "n9", 0,
	 "F:1: address='10.[1-3].0.[1-8]' stands for 24 values, but 2 nodes "
	 "with 8 devices each need 16"},
	{"n[1-2] 0-1 address=10.0.0.1", "n1", 0,
	 "F:1: address='10.0.0.1' stands for 1 values, but 2 nodes with 2 "
	 "devices each need 4"},
	{"n[1-2] 0-1 sdid=[1-2]", "n1", 0,
	 "F:1: sdid='[1-2]' stands for 2 values, but 2 nodes with 2 devices "
	 "each need 4"},
	{"n1 0 address=10.0.[1].[x]", "n1", 0,
	 "F:1: address='10.0.[1].[x]' isn't a list such as "
	 "29.17.[1-4].[10-17]"},
	{"n1 0 address=10.0.[1].0x", "n1", 0,
	 "F:1: '10.0.1.0x' isn't an IP address"},
	{"n[1-2] 0 address=10.0.0.[255-256]", "n2", 0,
	 "F:1: '10.0.0.256' isn't an IP address"},
	{"n1 0 address=10.0.0.[01]", "n1", 0,
	 "F:1: '10.0.0.01' isn't an IP address"},
	{"n1 0 address=127.0.0.1", "n1", 0,
	 "F:1: 127.0.0.1 is a loopback address"},
	{"n1 0 sdid=4294967295", "n1", 0,
	 "F:1: sdid='4294967295': not a 32-bit number"},
	{"n1 0 chip=910", "n1", 0,
	 "F:1: chip='910': not one of 310P 910A 910B 910C 950"},
	{"n1 0 pod=a/b", "n1", 0,
	 "F:1: pod='a/b': not a word of letters, digits and - _ ."},
	{"n[1-2] 0 chip=910B\nn1 0-1 chip=910A", "n1", 0,
	 "F:2: chip= of device 0 on node n1 is given twice; an earlier line "
	 "has it"},
};

static void lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *found =
			look(cases[i].text, cases[i].node, cases[i].phy_id);

		if (strcmp(found, cases[i].found) != 0)
			fail_msg("%s: %s", cases[i].text, found);
	}
}

static void ids(void **state)
{
	struct inventory v;
	struct idlist list;
	struct err err;
	char text[64];

	(void)state;
	assert_int_equal(inventory_read("n[1-2] 4-5 chip=910B\nn2 0 pod=1\n",
					"F", &v, &err),
			 0);
	inventory_ids(&v, "n2", &list);
	idlist_format(&list, text, sizeof(text));
	assert_string_equal(text, "0,4,5");
	inventory_ids(&v, "n3", &list);
	assert_int_equal(list.n, 0);
	inventory_clear(&v);
}

/* What is written is read back as it was. */
static void back(void **state)
{
#define POD(id, ip4, ip6, sd)                                                  \
	{                                                                      \
		.phy_id = id, .addr_from = NPU_FROM_DCMI, .naddrs = 2,         \
		.addr = {ip4, ip6}, .sdid_from = NPU_FROM_DCMI, .sdid = sd,    \
		.pod_from = NPU_FROM_DCMI, .pod = "0",                         \
		.chip_from = NPU_FROM_DCMI, .chip = CHIP_910C                  \
	}
	static const struct npu npu[] = {
		POD(0, "10.0.0.1", "fd00::1", 5),
		POD(2, "10.0.0.3", "fd00::3", 7),
		{.phy_id = 5, .chip_from = NPU_FROM_NPU_SMI, .chip = CHIP_910C},
		{.phy_id = 6},
		{.phy_id = 7,
		 .addr_from = NPU_FROM_HCCN_TOOL,
		 .naddrs = 1,
		 .addr = {"10.0.0.8"}},
	};
	char *text;

	(void)state;
	text = inventory_format("n1", npu, COUNT(npu));
	assert_string_equal(text,
			    "n1 0,2 address=10.0.0.1,10.0.0.3+fd00::1,fd00::3 "
			    "sdid=5,7 pod=0 chip=910C\n"
			    "n1 5 chip=910C\n"
			    "n1 7 address=10.0.0.8\n");
	assert_string_equal(look(text, "n1", 2),
			    "npu 2 address=10.0.0.3,fd00::3/inventory "
			    "sdid=7/inventory pod=0/inventory "
			    "chip=910C/inventory");
	assert_string_equal(look(text, "n1", 7),
			    "npu 7 address=10.0.0.8/inventory");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(example),
		cmocka_unit_test(lines),
		cmocka_unit_test(ids),
		cmocka_unit_test(back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
