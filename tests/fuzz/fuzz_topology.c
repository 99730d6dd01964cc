/* SPDX-License-Identifier: Apache-2.0 */
/* What Slurm prints of its topology. Whatever it is, an order has every node
 * once, and begins with the first. */
#include "core/topology/topology.h"

#include "tests/fixtures/topology_cross.h"
#include "tests/fuzz/fuzz.h"

#define NODES 6

static void check_paths(const struct topology *t)
{
	RULE(t->nnodes == NODES && t->block_depth <= t->depth);
	for (unsigned i = 0; i < NODES * t->depth; i++)
		RULE(t->path[i] == TOPOLOGY_NONE || t->path[i] < t->nunits);
}

static void check_order(const struct topology *t, unsigned nworld)
{
	struct topology_wish wish = {.nworld = nworld};
	bool seen[NODES] = {false};
	struct err err;
	unsigned *order = topology_order(t, &wish, &err);

	RULE(order && order[0] == 0);
	for (unsigned i = 0; i < NODES; i++) {
		RULE(order[i] < NODES && !seen[order[i]]);
		seen[order[i]] = true;
	}
	for (unsigned size = 1; size <= NODES; size++) {
		unsigned ngroups = (NODES + size - 1) / size;

		RULE(cross_blocks(t, order, NODES, size) <= ngroups);
		RULE(cross_switches(t, order, NODES, size) <= ngroups);
	}
	free(order);
}

/* With domains around it, which no block crosses. */
static void check_enclosed(struct topology *t, size_t size)
{
	static char name[3][2] = {"A", "B", "C"};
	char *domain[NODES];
	struct err err;

	for (unsigned i = 0; i < NODES; i++, size /= 2)
		domain[i] = size % 3 == 2 ? NULL : name[(size + i) % 3];
	RULE(topology_enclose(t, "pod", domain, NODES, &err) == 0);
	check_paths(t);
	check_order(t, 0);
	for (unsigned i = 1; i < NODES; i++)
		RULE(!domain[i] || !domain[0] || domain[i] == domain[0] ||
		     topology_block(t, i) != topology_block(t, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct topology t;
	struct err err;

	if (topology_read(text, "node[1-6]", &t, &err) < 0) {
		fuzz_check_error(err.text);
	} else {
		check_paths(&t);
		check_order(&t, 0);
		check_order(&t, 4);
		check_enclosed(&t, size);
		topology_clear(&t);
	}
	free(text);
	return 0;
}
