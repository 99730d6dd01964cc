/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules for the rows of a step: which version its table will be, and how a
 * fault reads to the user of srun.
 */
#include "core/ascend/ranktable.h"
#include "core/ascend/ranktable_rules.h"

#include <stdio.h>

#define SET_ADDRESS "(hccn_tool -i {device} -ip -s address A netmask M)"
#define UNKNOWN(what)                                                          \
	"{place}: the " what " isn't known, and a rank table 1.2 needs it of " \
	"every device; see dist-train devices there, or take table=1.0"
#define FAMILY(what)                                                           \
	"{other place} has an IPv{other count} " what " address and {place} "  \
	"an IPv{count} one: all need the same family"

/* What was found and what to do, by kind of fault; {names} are explained at
 * ranktable_fault_text(). Faults without a message aren't looked for here. */
static const char *const messages[FAULT_KINDS] = {
	[FAULT_RANK_HIGH] = "rank {count} is missing, and {place} has rank "
			    "{rank}: {n} ranks are 0 to {last}; each process "
			    "of the step needs a device",
	[FAULT_RANK_TWICE] = "rank {rank} is that of {other place} and of "
			     "{place}: ranks are 0 to {last}, each once; is a "
			     "node's row sent twice?",
	[FAULT_DEVICE_ID] = "{place}: the ids of chip {chip} are 0 to {count}; "
			    "correct gres.conf or the inventory",
	[FAULT_CHIPS] = "node {other node} has chips {other chip} and node "
			"{node} has {chip}: a step takes one kind; ask for "
			"nodes with --constraint or --nodelist",
	[FAULT_SERVER_NODES] = "nodes {other node} and {node} both are server "
			       "{server}: give each its own address or name",
	[FAULT_SERVER_HOSTS] = "node {node} has the host addresses {other "
			       "host} and {host}: only one is possible",
	[FAULT_SERVER_SPLIT] = "node {node} has the ranks up to {other rank} "
			       "and again from {rank}: the ranks of a server "
			       "must be together; use srun "
			       "--distribution=block",
	[FAULT_DEVICE_TWICE] = "{place} is that of rank {other rank} and of "
			       "rank {rank}: one process per device; start "
			       "fewer on this node",
	[FAULT_SERVER_SIZE] = "node {other node} has {other count} devices and "
			      "node {node} has {count}: {table chip} needs the "
			      "same number on every node; use "
			      "--ntasks-per-node or --gres",
	[FAULT_DEVICE_COUNT] = "node {node} has {count} devices: of a 910A's "
			       "eight, 1, 2, 4 or 8 work together; use "
			       "--gres=npu:4, for example, or table=none with "
			       "cards that have no HCCS links",
	[FAULT_DEVICE_SET] = "node {node}: the devices {devices}; of a 910A's "
			     "eight, four work together as " CHIP_SETS_OF_FOUR
			     "; ask for one of these sets, or for all eight",
	[FAULT_NO_SUPER_DEVICE] = UNKNOWN("super device id"),
	[FAULT_NO_POD] = UNKNOWN("super pod"),
	[FAULT_SERVER_PODS] = "node {node} is in the super pods {other pod} "
			      "and {pod}: a server is in one; correct the "
			      "inventory",
	[FAULT_POD_SPLIT] = "super pod {pod} ends with node {other node} and "
			    "begins again with node {node}: its nodes must be "
			    "together; order them with --nodelist and "
			    "--distribution=arbitrary, or take table=1.0",
	[FAULT_SUPER_DEVICE_TWICE] = "{other place} and {place} have the super "
				     "device id {super_device} in super pod "
				     "{pod}: each has its own; see npu-smi "
				     "info -t spod-info, or correct the "
				     "inventory",
	[FAULT_POD_ADDRESS] = "{place} has no address, and node {node} is in "
			      "super pod {pod}, node {other node} in {other "
			      "pod}: between super pods every device needs "
			      "one; set it with hccn_tool, or write an "
			      "inventory",
	[FAULT_NO_ADDRESS] = "{place} has no address, and a step of {servers} "
			     "servers with chip {table chip} needs one of each "
			     "device; set it " SET_ADDRESS " or write it in an "
			     "inventory",
	[FAULT_ADDRESS_COUNT] = "{other place} has {other count} addresses and "
				"{place} has {count}: the same number is "
				"needed on every device; see dist-train "
				"devices on both",
	[FAULT_ADDRESSES_MAX] = "{place} has {count} addresses: at most 16 are "
				"possible",
	[FAULT_ADDRESS] = "{place}: the address {text} is {why}; set the "
			  "device's " SET_ADDRESS " or correct the inventory",
	[FAULT_ADDRESS_FAMILY] = FAMILY("device"),
	[FAULT_ADDRESS_TWICE] =
		"{other place} ({other address}) and {place} "
		"({address}) have the same address: give each its "
		"own with hccn_tool, or correct the inventory",
	[FAULT_HOST] = "node {node}: the host address {text} is {why}; name "
		       "another interface or address of the node",
	[FAULT_HOST_FAMILY] = FAMILY("host"),
};

static void name_place(const struct ranktable_row *row, char *buf, size_t size)
{
	snprintf(buf, size, "node %s, device %u", row->node, row->device_id);
}

static void report_fault(const struct ranktable_rules *rules,
			 const struct ranktable_fault *fault)
{
	struct err *err = rules->arg;
	char place[320], other[320] = "";

	name_place(fault->row, place, sizeof(place));
	if (fault->other)
		name_place(fault->other, other, sizeof(other));
	ranktable_fault_text(rules, fault, messages[fault->kind],
			     &(struct ranktable_places){place, other},
			     err->text, sizeof(err->text));
}

/* The chip of the step: the first that is known. */
static enum chip find_chip(const struct ranktable *table)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->row[i]->chip != CHIP_UNKNOWN)
			return table->row[i]->chip;
	return CHIP_UNKNOWN;
}

/* 1.2 for a chip that can be in a super pod, where one is known. */
static enum ranktable_version choose_auto(const struct ranktable *table,
					  enum chip chip)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct ranktable_row *row = table->row[i];

		if (chip_facts(chip)->pods && row->has_super_device &&
		    row->super_device_id != UINT32_MAX && row->super_pod_id)
			return RANKTABLE_1_2;
	}
	return RANKTABLE_1_0;
}

static int choose(const struct ranktable *table, enum chip chip,
		  enum ranktable_version asked, enum ranktable_version *ret,
		  struct err *err)
{
	if (!table->n)
		return err_printf(err, "rank table: no node sent a row; no NPU "
				       "of the step is known");
	if (chip == CHIP_950)
		return err_printf(
			err,
			"node %s has chips 950 (A5), which take rank tables of "
			"version 2.0 only, and Slurm doesn't know the EIDs and "
			"the topology that these hold; without a table the "
			"processes find each other through rank 0 (root info): "
			"use --dist-train=ddp",
			table->row[0]->node);
	if (asked == RANKTABLE_1_2 && !chip_facts(chip)->pods)
		return err_printf(err,
				  "node %s has chips %s, which have no super "
				  "pods: take table=1.0 instead of 1.2",
				  table->row[0]->node, chip_facts(chip)->name);
	*ret = asked == RANKTABLE_AUTO ? choose_auto(table, chip) : asked;
	return 0;
}

int ranktable_check(struct ranktable *table, enum ranktable_version asked,
		    enum ranktable_version *ret, struct err *err)
{
	struct ranktable_rules rules = {
		.form = FORM_STEP,
		.first_only = true,
		.report = report_fault,
		.arg = err,
	};
	enum ranktable_version version = asked;

	if (ranktable_sort(table) < 0)
		return err_memory(err);
	rules.row = table->row;
	rules.n = table->n;
	rules.chip = find_chip(table);
	if (choose(table, rules.chip, asked, &version, err) < 0)
		return -1;
	rules.pods = version == RANKTABLE_1_2;
	if (ranktable_rules_check(&rules) < 0)
		return err_memory(err);
	if (rules.nfaults)
		return -1;
	*ret = version;
	return 0;
}
