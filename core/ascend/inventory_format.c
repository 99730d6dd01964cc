/* SPDX-License-Identifier: Apache-2.0 */
/* An inventory's lines from what is known of a node; see
 * core/ascend/inventory.h. */
#include "core/ascend/inventory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_MAX (NPU_ADDRS_MAX * IP_TEXT_SIZE)

/* Whether two devices have the same kinds of facts, so that one line can
 * describe both. */
static bool same_facts(const struct npu *a, const struct npu *b)
{
	return !a->addr_from == !b->addr_from &&
	       !a->sdid_from == !b->sdid_from && !a->pod_from == !b->pod_from &&
	       !a->chip_from == !b->chip_from &&
	       (!a->addr_from || a->naddrs == b->naddrs);
}

/* Append " NAME=" or a comma, or nothing, and a value. */
static char *put_fact(char *at, const char *name, bool first, const char *value)
{
	if (first)
		at += sprintf(at, " %s=", name);
	else if (name)
		*at++ = ',';
	return at + sprintf(at, "%s", value);
}

static char *put_addrs(char *at, const struct npu *npu, unsigned n)
{
	for (unsigned k = 0; npu->addr_from && k < npu->naddrs; k++) {
		if (k)
			*at++ = '+';
		for (unsigned i = 0; i < n; i++)
			at = k && !i ? put_fact(at, NULL, false, npu[i].addr[k])
				     : put_fact(at, "address", !i,
						npu[i].addr[k]);
	}
	return at;
}

/* Write a fact: once if all devices have the same value, else as a list. */
static char *put_texts(char *at, const char *name, const struct npu *npu,
		       unsigned n, const char *(*text)(const struct npu *))
{
	bool same = true;

	for (unsigned i = 1; i < n; i++)
		same &= !strcmp(text(&npu[0]), text(&npu[i]));
	for (unsigned i = 0; i < (same ? 1 : n); i++)
		at = put_fact(at, name, !i, text(&npu[i]));
	return at;
}

static const char *pod_text(const struct npu *npu)
{
	return npu->pod;
}

static const char *chip_text(const struct npu *npu)
{
	return chip_facts(npu->chip)->name;
}

static char *put_facts(char *at, const struct npu *npu, unsigned n)
{
	char number[16];

	at = put_addrs(at, npu, n);
	for (unsigned i = 0; npu->sdid_from && i < n; i++) {
		snprintf(number, sizeof(number), "%lu", npu[i].sdid);
		at = put_fact(at, "sdid", !i, number);
	}
	if (npu->pod_from)
		at = put_texts(at, "pod", npu, n, pod_text);
	if (npu->chip_from)
		at = put_texts(at, "chip", npu, n, chip_text);
	return at;
}

char *inventory_format(const char *node, const struct npu *npu, unsigned n)
{
	size_t per_device = WORD_MAX + NPU_POD_SIZE + strlen(node) + 128;
	char *text = malloc(n * per_device + 1), *at = text;

	if (!text)
		return NULL;
	*at = '\0';
	for (unsigned i = 0, k; i < n; i += k) {
		for (k = 1; i + k < n && same_facts(&npu[i], &npu[i + k]);)
			k++;
		if (!npu[i].addr_from && !npu[i].sdid_from &&
		    !npu[i].pod_from && !npu[i].chip_from)
			continue;
		at += sprintf(at, "%s ", node);
		for (unsigned d = 0; d < k; d++)
			at += sprintf(at, "%s%u", d ? "," : "",
				      npu[i + d].phy_id);
		at = put_facts(at, npu + i, k);
		at += sprintf(at, "\n");
	}
	return text;
}
