/* SPDX-License-Identifier: Apache-2.0 */
/* Super pods, and which version of the table a chip takes. */
#include "core/ascend/ranktable_parts.h"
#include "core/base/cleanup.h"

#include <stdlib.h>
#include <string.h>

/* To the driver and the library the highest number is no id. */
static bool has_id(const struct ranktable_row *row)
{
	return row->has_super_device && row->super_device_id != UINT32_MAX;
}

static bool has_pod(const struct ranktable_row *row)
{
	return has_id(row) && row->super_pod_id;
}

/* The first row that has its super pod's facts, or that lacks them. */
static const struct ranktable_row *find_pod(const struct ranktable *table,
					    bool has)
{
	for (size_t i = 0; i < table->n; i++)
		if (has_pod(table->row[i]) == has)
			return table->row[i];
	return NULL;
}

static int no_pod(const struct ranktable_row *row, struct err *err)
{
	return err_printf(err,
			  "node %s, device %u: the %s isn't known, and a rank "
			  "table 1.2 needs it of every device; see dist-train "
			  "devices there, or take table=1.0",
			  row->node, row->device_id,
			  has_id(row) ? "super pod" : "super device id");
}

static int choose_auto(const struct ranktable *table,
		       enum ranktable_version *ret, struct err *err)
{
	enum chip chip = ranktable_chip(table);
	const struct ranktable_row *without = find_pod(table, false);

	if (chip == CHIP_910A || chip == CHIP_910B || !find_pod(table, true)) {
		*ret = RANKTABLE_1_0;
		return 0;
	}
	if (without)
		return no_pod(without, err);
	*ret = RANKTABLE_1_2;
	return 0;
}

int ranktable_choose(const struct ranktable *table,
		     enum ranktable_version asked, enum ranktable_version *ret,
		     struct err *err)
{
	enum chip chip = ranktable_chip(table);

	if (chip == CHIP_950)
		return err_printf(
			err,
			"node %s has chips 950 (A5), which take rank tables of "
			"version 2.0 only, and Slurm doesn't know the EIDs and "
			"the topology that these hold; without a table the "
			"processes find each other through rank 0 (root info): "
			"use --dist-train=ddp",
			table->row[0]->node);
	if (asked == RANKTABLE_AUTO)
		return choose_auto(table, ret, err);
	if (asked == RANKTABLE_1_2 && (chip == CHIP_910A || chip == CHIP_910B))
		return err_printf(err,
				  "node %s has chips %s, which have no super "
				  "pods: take table=1.0 instead of 1.2",
				  table->row[0]->node, chip_facts(chip)->name);
	if (asked == RANKTABLE_1_2 && find_pod(table, false))
		return no_pod(find_pod(table, false), err);
	*ret = asked;
	return 0;
}

static int compare_pods(const void *pa, const void *pb)
{
	const struct ranktable_row *a = *(struct ranktable_row *const *)pa;
	const struct ranktable_row *b = *(struct ranktable_row *const *)pb;
	int order = strcmp(a->super_pod_id, b->super_pod_id);

	if (order)
		return order;
	if (a->super_device_id != b->super_device_id)
		return a->super_device_id < b->super_device_id ? -1 : 1;
	return a->rank < b->rank ? -1 : 1;
}

static int check_ids(const struct ranktable *table, struct err *err)
{
	size_t size = table->n * sizeof(struct ranktable_row *);
	cleanup_free struct ranktable_row **row = malloc(size);

	if (!row)
		return err_memory(err);
	memcpy(row, table->row, size);
	qsort(row, table->n, sizeof(struct ranktable_row *), compare_pods);
	for (size_t i = 1; i < table->n; i++) {
		const struct ranktable_row *a = row[i - 1], *b = row[i];

		if (a->super_device_id == b->super_device_id &&
		    !strcmp(a->super_pod_id, b->super_pod_id))
			return err_printf(err,
					  "node %s, device %u and node %s, "
					  "device %u have the super device id "
					  "%u in super pod %s: each has its "
					  "own; see npu-smi info -t spod-info, "
					  "or correct the inventory",
					  a->node, a->device_id, b->node,
					  b->device_id, b->super_device_id,
					  b->super_pod_id);
	}
	return 0;
}

static int check_servers(const struct ranktable *table, struct err *err)
{
	for (size_t i = 1; i < table->n; i++) {
		const struct ranktable_row *a = table->row[i - 1];
		const struct ranktable_row *b = table->row[i];

		if (!strcmp(a->server_id, b->server_id) &&
		    strcmp(a->super_pod_id, b->super_pod_id) != 0)
			return err_printf(err,
					  "node %s is in the super pods %s and "
					  "%s: a server is in one; correct the "
					  "inventory",
					  b->node, a->super_pod_id,
					  b->super_pod_id);
	}
	return 0;
}

struct run {
	const struct ranktable_row *first, *last;
};

static int compare_runs(const void *pa, const void *pb)
{
	const struct run *a = pa, *b = pb;
	int order = strcmp(a->first->super_pod_id, b->first->super_pod_id);

	if (order)
		return order;
	return a->first->rank < b->first->rank ? -1 : 1;
}

/* The servers of a pod are together. */
static int check_order(const struct ranktable *table, struct err *err)
{
	cleanup_free struct run *run = calloc(table->n, sizeof(*run));
	size_t n = 0;

	if (!run)
		return err_memory(err);
	for (size_t i = 0; i < table->n; i++) {
		const struct ranktable_row *row = table->row[i];

		if (!n || strcmp(row->super_pod_id,
				 run[n - 1].first->super_pod_id) != 0)
			run[n++].first = row;
		run[n - 1].last = row;
	}
	qsort(run, n, sizeof(*run), compare_runs);
	for (size_t i = 1; i < n; i++)
		if (!strcmp(run[i - 1].first->super_pod_id,
			    run[i].first->super_pod_id))
			return err_printf(
				err,
				"super pod %s ends with node %s and begins "
				"again with node %s: its nodes must be "
				"together; order them with --nodelist and "
				"--distribution=arbitrary, or take table=1.0",
				run[i].first->super_pod_id,
				run[i - 1].last->node, run[i].first->node);
	return 0;
}

/* Between pods the devices talk over their network. */
static int check_network(const struct ranktable *table, struct err *err)
{
	const struct ranktable_row *first = table->row[0];

	for (size_t i = 1; i < table->n; i++) {
		const struct ranktable_row *row = table->row[i];

		if (!strcmp(row->super_pod_id, first->super_pod_id))
			continue;
		if (!first->device_ip || !row->device_ip)
			return err_printf(
				err,
				"node %s, device %u has no address, and node "
				"%s is in super pod %s, node %s in %s: between "
				"super pods every device needs one; set it "
				"with hccn_tool, or write an inventory",
				first->device_ip ? row->node : first->node,
				first->device_ip ? row->device_id
						 : first->device_id,
				first->node, first->super_pod_id, row->node,
				row->super_pod_id);
	}
	return 0;
}

int ranktable_check_pods(const struct ranktable *table, struct err *err)
{
	if (check_servers(table, err) < 0 || check_order(table, err) < 0 ||
	    check_ids(table, err) < 0)
		return -1;
	return check_network(table, err);
}
