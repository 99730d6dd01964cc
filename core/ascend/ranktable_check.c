/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about ranks, servers and devices. */
#include "core/ascend/ranktable_parts.h"
#include "core/base/cleanup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* By rank; equal ones in an order that doesn't depend on who came first. */
static int compare_rows(const void *pa, const void *pb)
{
	const struct ranktable_row *a = *(struct ranktable_row *const *)pa;
	const struct ranktable_row *b = *(struct ranktable_row *const *)pb;
	int order;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	order = compare_text(a->node, b->node);
	if (!order)
		order = compare_text(a->server_id, b->server_id);
	if (!order && a->device_id != b->device_id)
		order = a->device_id < b->device_id ? -1 : 1;
	return order ? order : compare_text(a->device_ip, b->device_ip);
}

static int check_ranks(const struct ranktable *table, struct err *err)
{
	if (!table->n)
		return err_printf(err, "rank table: no node sent a row; the "
				       "step has no NPU that anyone knows of");
	for (size_t i = 0; i < table->n; i++) {
		const struct ranktable_row *row = table->row[i];
		const struct ranktable_row *former =
			i ? table->row[i - 1] : row;

		if (row->rank == i)
			continue;
		if (i && row->rank == former->rank)
			return err_printf(
				err,
				"rank %u is that of node %s, device %u and of "
				"node %s, device %u: ranks are 0 to %zu, each "
				"once; is a node's row sent twice?",
				row->rank, former->node, former->device_id,
				row->node, row->device_id, table->n - 1);
		return err_printf(err,
				  "rank %zu is missing, and node %s, device %u "
				  "has rank %u: %zu ranks are 0 to %zu; each "
				  "process of the step needs a device",
				  i, row->node, row->device_id, row->rank,
				  table->n, table->n - 1);
	}
	return 0;
}

static int check_chips(const struct ranktable *table, struct err *err)
{
	const struct ranktable_row *first = NULL;

	for (size_t i = 0; i < table->n; i++) {
		const struct ranktable_row *row = table->row[i];
		const struct chip_facts *chip = chip_facts(row->chip);

		if (row->device_id > chip->max_device)
			return err_printf(err,
					  "node %s, device %u: the ids of chip "
					  "%s are 0 to %u; correct gres.conf "
					  "or the inventory",
					  row->node, row->device_id, chip->name,
					  chip->max_device);
		if (!first && row->chip != CHIP_UNKNOWN)
			first = row;
		if (!first || row->chip == first->chip ||
		    row->chip == CHIP_UNKNOWN)
			continue;
		return err_printf(err,
				  "node %s has chips %s and node %s has %s: a "
				  "step takes one kind; ask for nodes with "
				  "--constraint or --nodelist",
				  first->node, chip_facts(first->chip)->name,
				  row->node, chip->name);
	}
	return 0;
}

/* A server is one node, and a node one server. */
static int check_names(const struct ranktable *table, struct err *err)
{
	for (size_t i = 1; i < table->n; i++) {
		const struct ranktable_row *a = table->row[i - 1];
		const struct ranktable_row *b = table->row[i];
		bool server = !strcmp(a->server_id, b->server_id);

		if (server && strcmp(a->node, b->node) != 0)
			return err_printf(err,
					  "nodes %s and %s both are server %s: "
					  "give each its own address or name",
					  a->node, b->node, b->server_id);
		if (server && compare_text(a->host_ip, b->host_ip))
			return err_printf(err,
					  "node %s has the host addresses %s "
					  "and %s: one is possible",
					  b->node,
					  a->host_ip ? a->host_ip : "(none)",
					  b->host_ip ? b->host_ip : "(none)");
	}
	return 0;
}

struct run {
	const struct ranktable_row *first, *last;
};

static int compare_runs(const void *pa, const void *pb)
{
	const struct run *a = pa, *b = pb;
	int order = strcmp(a->first->server_id, b->first->server_id);

	if (order)
		return order;
	return a->first->rank < b->first->rank ? -1 : 1;
}

static int interleaved(const struct run *run, const struct run *again,
		       struct err *err)
{
	const char *a = run->first->node, *b = again->first->node;

	if (strcmp(a, b) != 0)
		return err_printf(err,
				  "nodes %s and %s both are server %s: give "
				  "each its own address or name",
				  a, b, run->first->server_id);
	return err_printf(err,
			  "node %s has the ranks up to %u and again from %u: "
			  "the ranks of a server must be together; use srun "
			  "--distribution=block",
			  a, run->last->rank, again->first->rank);
}

/* The first server in order of rank whose rows aren't one run. */
static int check_order(const struct ranktable *table, struct err *err)
{
	size_t n = ranktable_nservers(table), k = 0, end;
	cleanup_free struct run *run = calloc(n, sizeof(*run));
	const struct run *found = NULL;

	if (!run)
		return err_memory(err);
	for (size_t i = 0; i < table->n; i = end) {
		end = ranktable_server_end(table, i);
		run[k++] = (struct run){table->row[i], table->row[end - 1]};
	}
	qsort(run, n, sizeof(*run), compare_runs);
	for (size_t i = 1; i < n; i++)
		if (!strcmp(run[i - 1].first->server_id,
			    run[i].first->server_id) &&
		    (!found || run[i - 1].first->rank < found->first->rank))
			found = &run[i - 1];
	return found ? interleaved(found, found + 1, err) : 0;
}

static int same_device(const struct ranktable *table, size_t i, size_t j,
		       struct err *err)
{
	const struct ranktable_row *a = table->row[i], *b;

	while (table->row[i]->device_id != table->row[j]->device_id)
		i++;
	a = table->row[i];
	b = table->row[j];
	return err_printf(err,
			  "node %s, device %u is that of rank %u and of rank "
			  "%u: one process per device; start fewer on this "
			  "node",
			  a->node, a->device_id, a->rank, b->rank);
}

static int wrong_set(const struct ranktable *table, size_t i, struct err *err)
{
	return err_printf(err,
			  "node %s: the devices %u, %u, %u and %u; of a 910A's "
			  "eight, four work together as %s; ask for one of "
			  "these sets, or for all eight",
			  table->row[i]->node, table->row[i]->device_id,
			  table->row[i + 1]->device_id,
			  table->row[i + 2]->device_id,
			  table->row[i + 3]->device_id, CHIP_SETS_OF_FOUR);
}

/* The server of the rows [i, end); the first server's rows are [0, n0). */
static int check_server(const struct ranktable *table, enum chip chip, size_t i,
			size_t end, size_t n0, struct err *err)
{
	uint64_t mask = 0;

	for (size_t j = i; j < end; j++) {
		uint64_t bit = UINT64_C(1) << table->row[j]->device_id;

		if (mask & bit)
			return same_device(table, i, j, err);
		mask |= bit;
	}
	if (chip_facts(chip)->equal_servers && end - i != n0)
		return err_printf(err,
				  "node %s has %zu devices and node %s has "
				  "%zu: %s needs the same number on every "
				  "node; use --ntasks-per-node or --gres",
				  table->row[0]->node, n0, table->row[i]->node,
				  end - i, chip_facts(chip)->name);
	if (!chip_takes_set(chip, mask))
		return wrong_set(table, i, err);
	return 0;
}

static int check_servers(const struct ranktable *table, struct err *err)
{
	size_t n0 = ranktable_server_end(table, 0), end;
	enum chip chip = ranktable_chip(table); /* looks at all where unknown */

	for (size_t i = 0; i < table->n; i = end) {
		end = ranktable_server_end(table, i);
		if (check_server(table, chip, i, end, n0, err) < 0)
			return -1;
	}
	return 0;
}

int ranktable_check(struct ranktable *table, enum ranktable_version asked,
		    enum ranktable_version *ret, struct err *err)
{
	enum ranktable_version version;

	if (table->n)
		qsort(table->row, table->n, sizeof(struct ranktable_row *),
		      compare_rows);
	if (check_ranks(table, err) < 0 || check_chips(table, err) < 0 ||
	    check_names(table, err) < 0 || check_order(table, err) < 0 ||
	    check_servers(table, err) < 0 ||
	    ranktable_choose(table, asked, &version, err) < 0)
		return -1;
	if (version == RANKTABLE_1_2 && ranktable_check_pods(table, err) < 0)
		return -1;
	if (ranktable_check_addresses(table, err) < 0)
		return -1;
	*ret = version;
	return 0;
}
