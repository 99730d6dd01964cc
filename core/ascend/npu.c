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

const char *npu_format(const struct npu *npu, char buf[NPU_LINE_SIZE])
{
	int n = sprintf(buf, "npu %u", npu->phy_id);

	for (unsigned i = 0; npu->addr_from && i < npu->naddrs; i++)
		n += sprintf(buf + n, "%s%s",
			     i ? "," : " address=", npu->addr[i]);
	if (npu->addr_from)
		n += sprintf(buf + n, "/%s", sources[npu->addr_from]);
	if (npu->sdid_from)
		n += sprintf(buf + n, " sdid=%lu/%s", npu->sdid,
			     sources[npu->sdid_from]);
	if (npu->pod_from)
		n += sprintf(buf + n, " pod=%s/%s", npu->pod,
			     sources[npu->pod_from]);
	if (npu->chip_from)
		sprintf(buf + n, " chip=%s/%s", chip_facts(npu->chip)->name,
			sources[npu->chip_from]);
	return buf;
}

static int read_addrs(struct npu *npu, const char *text, struct err *err)
{
	for (;; text++) {
		size_t len = strcspn(text, ",");

		if (npu_add_addr(npu, text, len, err) < 0)
			return -1;
		text += len;
		if (!*text)
			return 0;
	}
}

static int read_fact(struct npu *npu, const char *name, const char *value,
		     enum npu_source from, struct err *err)
{
	long n;

	if (!strcmp(name, "address") && !npu->addr_from) {
		npu->addr_from = from;
		return read_addrs(npu, value, err);
	}
	if (!strcmp(name, "sdid") && !npu->sdid_from &&
	    parse_number(value, 0, NPU_SDID_MAX, &n) == 0) {
		npu->sdid_from = from;
		npu->sdid = (unsigned long)n;
		return 0;
	}
	if (!strcmp(name, "pod") && !npu->pod_from &&
	    is_word(value, "-_.", sizeof(npu->pod) - 1)) {
		npu->pod_from = from;
		strcpy(npu->pod, value);
		return 0;
	}
	if (!strcmp(name, "chip") && !npu->chip_from &&
	    npu_chip_of_name(value, &npu->chip) == 0) {
		npu->chip_from = from;
		return 0;
	}
	return err_printf(err, "no fact of a device");
}

/* "NAME=VALUE/SOURCE" */
static int read_word(struct npu *npu, char *word, struct err *err)
{
	char *eq = strchr(word, '='), *slash = strrchr(word, '/');
	int from = NPU_SOURCES;

	if (!eq || !slash || slash < eq)
		return err_printf(err, "no fact of a device");
	*eq = *slash = '\0';
	while (--from > 0 && strcmp(sources[from], slash + 1) != 0)
		;
	if (!from)
		return err_printf(err, "a fact of unknown source");
	return read_fact(npu, word, eq + 1, (enum npu_source)from, err);
}

int npu_parse(const char *line, struct npu *ret, struct err *err)
{
	char copy[NPU_LINE_SIZE], *save = NULL, *word;
	struct npu npu = {0};
	long id;

	if (strlen(line) >= sizeof(copy))
		return err_printf(err, "a line of %zu bytes", strlen(line));
	strcpy(copy, line);
	word = strtok_r(copy, " ", &save);
	if (!word || strcmp(word, "npu") != 0 ||
	    !(word = strtok_r(NULL, " ", &save)) ||
	    parse_number(word, 0, NPU_ID_MAX, &id) < 0)
		return err_printf(err, "no line about a device");
	npu.phy_id = (unsigned)id;
	while ((word = strtok_r(NULL, " ", &save)))
		if (read_word(&npu, word, err) < 0)
			return -1;
	*ret = npu;
	return 0;
}
