/* SPDX-License-Identifier: Apache-2.0 */
/* What an inventory says can be written and read back. */
#include "core/ascend/inventory.h"

#include "tests/fixtures/npu_text.h"
#include "tests/fuzz/fuzz.h"

static void check_back(const char *node, const struct npu *npu)
{
	char *text = inventory_format(node, npu, 1);
	struct npu same = {.phy_id = npu->phy_id};
	char line[1024], again[1024];
	struct inventory v;
	struct err err;

	RULE(text);
	RULE(inventory_read(text, "F", &v, &err) == 0);
	RULE(inventory_find(&v, node, &same, &err) == 0);
	RULE(!strcmp(npu_text(&same, line), npu_text(npu, again)));
	inventory_clear(&v);
	free(text);
}

/* What an earlier look has refused, this one refuses too. */
static void check_domains(const char *text, bool refused)
{
	struct inventory_domains domains;
	struct err err;

	if (inventory_domains_read(text, "F", "node[1-2],n1", &domains, &err) <
	    0) {
		fuzz_check_error(err.text);
		return;
	}
	RULE(!refused && domains.n == 3);
	for (unsigned i = 0; i < domains.n; i++)
		for (int k = 0; k < INVENTORY_DOMAINS; k++)
			RULE(!domains.name[k][i] || *domains.name[k][i]);
	inventory_domains_clear(&domains);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const nodes[] = {"node1", "node2", "n1", "node001"};
	char *text = fuzz_text(data, size);
	struct inventory v;
	struct idlist ids;
	struct err err;

	if (inventory_read(text, "F", &v, &err) < 0) {
		fuzz_check_error(err.text);
		check_domains(text, true);
		free(text);
		return 0;
	}
	for (int i = 0; i < 4; i++) {
		inventory_ids(&v, nodes[i], &ids);
		for (unsigned k = 0; k < ids.n && k < 4; k++) {
			struct npu npu = {.phy_id = ids.id[k]};

			if (inventory_find(&v, nodes[i], &npu, &err) < 0)
				fuzz_check_error(err.text);
			else
				check_back(nodes[i], &npu);
		}
	}
	inventory_clear(&v);
	check_domains(text, false);
	free(text);
	return 0;
}
