/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/hccn.h"

#include "tests/fixtures/hccn_files.h"

#define BAD "bad"

/* Address of a device in a real file; "" for none, BAD where it is refused. */
static const struct conf {
	const char *file;
	unsigned phy_id;
	const char *address;
} confs[] = {
	{"arthurchiao_910B1__hccn.conf_excerpt", 0, "29.1.137.205"},
	{"arthurchiao_910B1__hccn.conf_excerpt", 7, "29.1.170.143"},
	{"arthurchiao_910B1__hccn.conf_excerpt", 1, ""},
	{"atlas01_doc__8card_hccn.conf", 5, "192.168.20.12"},
	{"paddledetection__8card_hccn.conf", 4, "192.168.10.22"},
	{"paddledetection__container_4card_hccn.conf", 0, "192.168.10.22"},
	{"paddledetection__container_4card_hccn.conf", 4, ""},
	/* These had their addresses replaced by some of 127.0.0.0/8 */
	{"xpucollector__4npu_hccn.conf", 3, BAD},
	{"xpucollector__8npu_hccn.conf", 0, BAD},
	{"xpucollector__16npu_A3_hccn.conf", 15, BAD},
	{"xpucollector__16npu_A3_hccn.conf", 16, ""},
	{"hixl__GetDeviceIpFromHccnConfSuccessTest.conf", 1, "192.168.1.11"},
	{"hixl__GetDeviceIpFromHccnConfPrefersIpv4Test.conf", 0,
	 "192.168.1.10"},
	{"hixl__GetDeviceIpFromHccnConfIpv6SuccessTest.conf", 0, "121::101"},
	{"hixl__GetDeviceIpInvalidIpInHccnConfTest.conf", 0, BAD},
	{"hixl__GetDeviceIpInvalidIpv6InHccnConfTest.conf", 0, BAD},
	{"hixl__GetDeviceIpFromHccnConfInvalidFormatFailed.conf", 3, BAD},
	{"hixl__GetDeviceIpFromHccnConfInvalidIpFailed.conf", 3, BAD},
	{"hixl__GetDeviceIpDoesNotFallbackWhenConfExistsButNoMatchingKeyTest."
	 "conf",
	 0, ""},
	{"hixl__hccn_conf_helper.conf", 0, ""},
};

static const char *find(const char *text, unsigned phy_id, struct npu *npu,
			struct err *err)
{
	*npu = (struct npu){.phy_id = phy_id};
	if (hccn_conf_find(text, "F", phy_id, npu, err) < 0)
		return BAD;
	return npu->addr_from ? npu->addr[0] : "";
}

static void conf_files(void **state)
{
	struct npu npu;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(confs); i++) {
		char *text = hccn_file(confs[i].file);

		assert_case(confs[i].file,
			    !strcmp(find(text, confs[i].phy_id, &npu, &err),
				    confs[i].address));
		free(text);
	}
}

static void conf_rules(void **state)
{
	static const char *const cases[][2] = {
		/* first match wins, comments and other keys don't */
		{"address_1=10.0.0.1\naddress_1=10.0.0.2\n", "10.0.0.1"},
		{"#address_1=10.0.0.1\naddress_1=10.0.0.2", "10.0.0.2"},
		{"address_10=10.0.0.1\n", ""},
		{"address_01=10.0.0.1\n", ""},
		{" address_1=10.0.0.1\n", ""},
		{"bond_address_1=10.0.0.1\n", ""},
		{"address_1 =10.0.0.1\n", ""},
		{"address_1\n", ""},
		{"", ""},
		{"netmask_1=255.0.0.0\naddress_1=10.0.0.1\n", "10.0.0.1"},
		{"IPv6address_1=FD00:0::1\n", "fd00::1"},
		{"address_1=10.0.0.1\r\n", BAD},
		{"address_1=10.0.0.1 \n", BAD},
		{"address_1=\n", BAD},
		{"address_1=0.0.0.0\n", BAD},
		{"address_1=-.-.-.-\n", BAD},
	};
	struct npu npu;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_case(
			cases[i][0],
			!strcmp(find(cases[i][0], 1, &npu, &err), cases[i][1]));
}

/* What the driver's buffer can't hold is no line; the number is the file's. */
static void conf_sizes(void **state)
{
	char *junk = repeated('x', HCCN_LINE_MAX), *text;
	struct npu npu;
	struct err err;

	(void)state;
	assert_true(asprintf(&text,
			     "%s\naddress_1=10.0.0.%s\n\n"
			     "address_1=10.0.0.300\n",
			     junk, junk) > 0);
	assert_string_equal(find(text, 1, &npu, &err), BAD);
	assert_non_null(strstr(err.text, "F:4: address_1= '10.0.0.300'"));
	assert_non_null(strstr(err.text, "hccn_tool -i 1 -ip -g"));
	free(text);
	free(junk);
}

static void conf_ids(void **state)
{
	char *text = hccn_file("paddledetection__container_4card_hccn.conf");
	struct idlist ids;

	(void)state;
	hccn_conf_ids(text, &ids);
	assert_int_equal(ids.n, 4);
	assert_int_equal(ids.id[3], 3);
	free(text);
}

/* The rest of the file isn't the user's; errors name a line as before. */
static void conf_addresses_alone(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"netmask_0=255.0.0.0", ""},
		{"address_0=10.0.0.1", "address_0=10.0.0.1"},
		{"address_0=10.0.0.1\nnetmask_0=255.0.0.0\n\n# key=x\n"
		 "IPv6address_1=fe80::1\r\nIPv6netmask_1=64\naddress=1\n",
		 "address_0=10.0.0.1\n\n\n\nIPv6address_1=fe80::1\r\n\n\n"},
		{" address_0=1\ngateway_0=address_1=2\nxaddress_2=3", "\n\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = strdup(cases[i][0]);

		hccn_conf_keep_addresses(text);
		assert_string_equal(text, cases[i][1]);
		free(text);
	}
}

static const struct {
	const char *file;
	enum hccn_answer answer;
	const char *address; /* or a part of the error */
} answers[] = {
	{"arthurchiao_910B1__hccn_tool_ip_g.txt", HCCN_ADDRESS, "29.1.112.213"},
	{"hccn_tool__link_health_ok.txt", HCCN_ADDRESS, "10.86.1.80"},
	{"hccn_tool_ip_g__no_ip__stderr.txt", HCCN_NONE, NULL},
	{"mindcluster__hccn_tool_ip_v4.txt", HCCN_ADDRESS, "192.168.1.100"},
	{"mindcluster__hccn_tool_ip_v6.txt", HCCN_ADDRESS, "2001:db8::1"},
	{"mindcluster__hccn_tool_ip_mixed.txt", HCCN_ADDRESS, "192.168.1.100"},
	{"mindcluster__hccn_tool_ip_invalid.txt", HCCN_FAILED, "'not_an_ip'"},
	{"driver_doc__950_vnic_g.txt", HCCN_FAILED, "'vnic link status: UP'"},
	{"atlas02_doc__hccn_tool_arp_g.txt", HCCN_FAILED, "'arp table:'"},
};

static void tool_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(answers); i++) {
		char *text = hccn_file(answers[i].file);
		struct npu npu = {.phy_id = 3};
		struct err err = {""};

		assert_case(answers[i].file,
			    hccn_tool_answer(text, &npu, &err) ==
				    answers[i].answer);
		if (answers[i].answer == HCCN_ADDRESS)
			assert_string_equal(npu.addr[0], answers[i].address);
		else
			assert_case(answers[i].file, !npu.addr_from);
		if (answers[i].answer == HCCN_FAILED)
			assert_case(answers[i].file,
				    strstr(err.text, answers[i].address));
		free(text);
	}
}

/* Every line that the tool has for an error, from its own source. */
static void tool_errors(void **state)
{
	char *text = hccn_file("hccn_tool__error_lines.txt"), *save = NULL;
	char *line = strtok_r(text, "\n", &save);
	unsigned n = 0;

	(void)state;
	while ((line = strtok_r(NULL, "\n", &save))) {
		const char *words = strrchr(line, '\t') + 1;
		enum hccn_answer wanted =
			strstr(words, "busy") ? HCCN_BUSY
			: strstr(words, "IPV6") || strstr(words, "preset")
				? HCCN_NONE
				: HCCN_FAILED;
		struct npu npu = {0};
		struct err err;

		assert_case(words,
			    hccn_tool_answer(words, &npu, &err) == wanted);
		n++;
	}
	assert_int_equal(n, 9);
	free(text);
}

/* One pair for each port; two ports with one address are one. */
static void tool_ports(void **state)
{
	struct npu npu = {0};
	struct err err;

	(void)state;
	assert_int_equal(hccn_tool_answer("ipaddr:10.0.0.1\nnetmask:255.0.0.0\n"
					  "ipaddr:10.0.0.2\nipaddr:10.0.0.1\n",
					  &npu, &err),
			 HCCN_ADDRESS);
	assert_int_equal(npu.naddrs, 2);
	assert_int_equal(npu.addr_from, NPU_FROM_HCCN_TOOL);
	npu = (struct npu){0};
	assert_int_equal(hccn_tool_answer("", &npu, &err), HCCN_FAILED);
	assert_non_null(strstr(err.text, "nothing"));
	assert_int_equal(hccn_tool_answer(" ipaddr:10.0.0.1\n", &npu, &err),
			 HCCN_FAILED);
	assert_int_equal(hccn_tool_answer("ipaddr: 10.0.0.1\n", &npu, &err),
			 HCCN_FAILED);
}

static const struct {
	const char *file;
	unsigned phy_id;
	int rc;
	struct npu_smi_row row;
} maps[] = {
	{"npu-smi_info_m__910B3_verbatim.txt", 1, 0, {.chip = CHIP_910B}},
	{"npu-smi_info_m__910B1_permuted_logic_ids.txt",
	 0,
	 0,
	 {.chip = CHIP_910B}},
	{"npu-smi_info_m__910B3_container_cards_3_4.txt",
	 3,
	 0,
	 {.chip = CHIP_910B}},
	{"npu-smi_info_m__dual_die.txt", 2, 0, {.chip = CHIP_910C}},
	{"npu-smi_info_m__phyid_column_noncontiguous.txt",
	 3,
	 0,
	 {true, 5, 1, CHIP_910C}},
	{"npu-smi_info_m__phyid_column_noncontiguous.txt",
	 11,
	 0,
	 {true, 8, 0, CHIP_950}},
	{"npu-smi_info_m__phyid_column_noncontiguous.txt", 9, -1, {0}},
	{"npu-smi__no_driver.txt", 0, -1, {0}},
	{"npu-smi_spod-info.txt", 0, -1, {0}},
	{"xpucollector__npu-smi_info_malformed.txt", 0, -1, {0}},
	{"arthurchiao_910B1__npu-smi_topo.txt", 0, -1, {0}},
};

static void smi_maps(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(maps); i++) {
		char *text = hccn_file(maps[i].file);
		struct npu_smi_row row = {0};

		assert_case(maps[i].file, npu_smi_map(text, maps[i].phy_id,
						      &row) == maps[i].rc);
		assert_case(maps[i].file,
			    row.by_phy_id == maps[i].row.by_phy_id);
		assert_case(maps[i].file, row.npu_id == maps[i].row.npu_id);
		assert_case(maps[i].file, row.chip_id == maps[i].row.chip_id);
		assert_case(maps[i].file, row.chip == maps[i].row.chip);
		free(text);
	}
}

static void smi_spods(void **state)
{
	char *text = hccn_file("npu-smi_spod-info.txt");
	struct npu npu = {0};

	(void)state;
	assert_int_equal(npu_smi_spod(text, &npu), 0);
	assert_int_equal(npu.sdid, 17);
	assert_string_equal(npu.pod, "7");
	assert_int_equal(npu.sdid_from, NPU_FROM_NPU_SMI);
	free(text);
	npu = (struct npu){0};
	text = hccn_file("npu-smi_spod-info__384.txt");
	assert_int_equal(npu_smi_spod(text, &npu), 0);
	assert_int_equal(npu.sdid, 16777216);
	assert_string_equal(npu.pod, "0");
	free(text);
	npu = (struct npu){0};
	assert_int_equal(npu_smi_spod("\tSDID                           : 3\n"
				      "\tSuper Pod ID                   : 0\n",
				      &npu),
			 0);
	assert_int_equal(npu.sdid, 3);
	npu = (struct npu){0};
	assert_int_equal(npu_smi_spod("SDID : 4294967295\n", &npu), -1);
	assert_int_equal(npu_smi_spod("no such device\n", &npu), -1);
	assert_int_equal(npu.sdid_from, NPU_FROM_NOWHERE);
}

/* Each collected file through each parser, whatever it is. */
static void all_files(void **state)
{
	char path[512];
	DIR *dir = opendir(hccn_folder(path));
	struct dirent *entry;
	unsigned n = 0;

	(void)state;
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		char *text;

		if (entry->d_name[0] == '.')
			continue;
		text = hccn_file(entry->d_name);
		for (unsigned id = 0; id <= NPU_ID_MAX; id++) {
			struct npu npu = {.phy_id = id};
			struct npu_smi_row row;
			struct err err;

			hccn_conf_find(text, "F", id, &npu, &err);
			assert_true(npu.addr_from == (npu.naddrs ? 3 : 0));
			hccn_tool_answer(text, &npu, &err);
			npu_smi_map(text, id, &row);
			npu_smi_spod(text, &npu);
		}
		free(text);
		n++;
	}
	closedir(dir);
	assert_true(n > 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conf_files),
		cmocka_unit_test(conf_rules),
		cmocka_unit_test(conf_sizes),
		cmocka_unit_test(conf_ids),
		cmocka_unit_test(conf_addresses_alone),
		cmocka_unit_test(tool_files),
		cmocka_unit_test(tool_errors),
		cmocka_unit_test(tool_ports),
		cmocka_unit_test(smi_maps),
		cmocka_unit_test(smi_spods),
		cmocka_unit_test(all_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
