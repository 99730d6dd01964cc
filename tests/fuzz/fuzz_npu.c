/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of the driver's tools, and hccn.conf. */
#include "core/ascend/hccn.h"
#include "core/ascend/npu_ids.h"
#include "core/base/parse.h"

#include "tests/fuzz/fuzz.h"

/* What a parser has let in is in its one spelling. */
static void check_npu(const struct npu *npu)
{
	RULE(!npu->addr_from == !npu->naddrs);
	RULE(npu->naddrs <= NPU_ADDRS_MAX);
	for (unsigned i = 0; i < npu->naddrs; i++) {
		char spelled[IP_TEXT_SIZE];
		struct ip ip;

		RULE(!ip_parse(npu->addr[i], strlen(npu->addr[i]), &ip));
		ip_format(&ip, spelled);
		RULE(!strcmp(spelled, npu->addr[i]));
		RULE(!ip_unusable(&ip));
	}
	RULE(npu->sdid <= NPU_SDID_MAX);
	RULE(!npu->pod_from || is_word(npu->pod, "-_.", NPU_POD_SIZE - 1));
}

static void check_address(const char *text)
{
	struct ip a, same;
	char spelled[IP_TEXT_SIZE];

	if (ip_parse(text, strlen(text), &a) < 0)
		return;
	ip_format(&a, spelled);
	RULE(strlen(spelled) < IP_TEXT_SIZE);
	RULE(ip_parse(spelled, strlen(spelled), &same) == 0);
	RULE(same.family == a.family && !memcmp(same.byte, a.byte, 16));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct npu_smi_row row;
	struct idlist ids;
	unsigned short id;

	for (unsigned phy_id = 0; phy_id < 4; phy_id++) {
		struct npu conf = {.phy_id = phy_id}, tool = conf, spod = conf;
		struct err err = {""};

		if (hccn_conf_find(text, "F", phy_id, &conf, &err) < 0)
			fuzz_check_error(err.text);
		check_npu(&conf);
		if (hccn_tool_answer(text, &tool, &err) == HCCN_FAILED)
			fuzz_check_error(err.text);
		check_npu(&tool);
		npu_smi_spod(text, &spod);
		check_npu(&spod);
		if (npu_smi_map(text, phy_id, &row) == 0)
			RULE(row.chip <= CHIP_950);
	}
	hccn_conf_ids(text, &ids);
	RULE(ids.n <= IDLIST_MAX);
	if (npu_id_of_name(text, &id))
		RULE(id <= NPU_ID_MAX);
	check_address(text);
	free(text);
	return 0;
}
