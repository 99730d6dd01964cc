/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts of one NPU (addresses, super device id, super pod, chip, and the
 * source of each) and the line of text that carries them from the process
 * that asks the driver.
 */
#include "core/ascend/npu.h"

#include "core/base/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const sources[NPU_SOURCES] = {
	"", "dcmi", "hccn-tool", "hccn-conf", "inventory", "npu-smi",
};

const char *npu_source_name(enum npu_source source)
{
	return sources[source];
}

int npu_chip_of_name(const char *name, enum chip *ret)
{
	if (strcmp(name, chip_facts(CHIP_UNKNOWN)->name) != 0)
		return chip_parse(name, ret);
	*ret = CHIP_UNKNOWN;
	return 0;
}

enum chip npu_chip_of_driver(const char *name)
{
	if (!strncmp(name, "Ascend", 6))
		name += 6;
	name += strspn(name, " ");
	if (!strncmp(name, "310P", 4))
		return CHIP_310P;
	if (!strncmp(name, "910B", 4) && isdigit((unsigned char)name[4]))
		return CHIP_910B;
	if (!strncmp(name, "910_93", 6) || !strncmp(name, "910C", 4))
		return CHIP_910C;
	if (!strncmp(name, "910A", 4) || !strncmp(name, "910P", 4))
		return CHIP_910A; /* also 910ProA, 910PremiumA */
	if (!strncmp(name, "950", 3) || !strncmp(name, "910_95", 6) ||
	    !strncmp(name, "910_96", 6))
		return CHIP_950;
	return CHIP_UNKNOWN;
}

int npu_add_addr(struct npu *npu, const char *text, size_t len, struct err *err)
{
	char shown[SHOW_SIZE], copy[IP_TEXT_SIZE + 16], spelled[IP_TEXT_SIZE];
	struct ip addr;
	const char *fault;

	snprintf(copy, sizeof(copy), "%.*s", (int)(len < 60 ? len : 60), text);
	if (ip_parse(text, len, &addr) < 0)
		return err_printf(err, "%s isn't an IP address",
				  show(shown, copy));
	ip_format(&addr, spelled);
	fault = ip_unusable(&addr);
	if (fault)
		return err_printf(err, "%s is %s", spelled, fault);
	for (unsigned i = 0; i < npu->naddrs; i++)
		if (!strcmp(npu->addr[i], spelled))
			return 0;
	if (npu->naddrs == NPU_ADDRS_MAX)
		return err_printf(err, "a device has more than %d addresses",
				  NPU_ADDRS_MAX);
	strcpy(npu->addr[npu->naddrs++], spelled);
	return 0;
}

void npu_complete(struct npu *npu, const struct npu *more)
{
	if (!npu->addr_from && more->addr_from) {
		npu->addr_from = more->addr_from;
		npu->naddrs = more->naddrs;
		memcpy(npu->addr, more->addr, sizeof(npu->addr));
	}
	if (!npu->sdid_from) {
		npu->sdid_from = more->sdid_from;
		npu->sdid = more->sdid;
	}
	if (!npu->pod_from) {
		npu->pod_from = more->pod_from;
		memcpy(npu->pod, more->pod, sizeof(npu->pod));
	}
	if (!npu->chip_from) {
		npu->chip_from = more->chip_from;
		npu->chip = more->chip;
	}
}
