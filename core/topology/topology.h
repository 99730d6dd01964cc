/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of a step's nodes share a block (an NVLink domain, a super pod) and
 * which a switch.
 *
 * core/topology is pure and needs core/base alone. srun fills a struct topology
 * with what slurmctld tells, `dist-train explain` with a file: texts from
 * elsewhere.
 * topology.h		what is known of each node
 * topology_read.h	from Slurm's texts
 * topology_enclose.h	domains that Slurm doesn't tell
 * topology_order.h	an order of the nodes in which neighbours are near
 *
 * Nodes are numbers, their positions in SLURM_STEP_NODELIST. Blocks and
 * switches are "units", numbers too.
 */
#ifndef DT_CORE_TOPOLOGY_TOPOLOGY_H
#define DT_CORE_TOPOLOGY_TOPOLOGY_H

#include <stdbool.h>

/* The unit of a node that is in none, or of which nobody has told. */
#define TOPOLOGY_NONE (~0U)

struct topology {
	unsigned nnodes;
	/* Levels of a node's path: those of blocks, from the largest
	 * (aggregated) one to the block itself, then those of switches, from
	 * the root to the leaf. A level that a node's branch doesn't have holds
	 * the next outer one, or at the front the next inner one. */
	unsigned block_depth, depth;
	unsigned *path; /* by node and level; units; owned */
	char **name;	/* by unit; owned */
	unsigned *leaf; /* by unit: how many nodes this leaf switch has, the
			   step's and others; 0: it is none; NULL: nobody has
			   told; owned */
	unsigned nunits;
	bool enclosed; /* the outermost blocks aren't Slurm's */
};

/* The block of a node and its leaf switch, or TOPOLOGY_NONE. */
unsigned topology_block(const struct topology *t, unsigned node);
unsigned topology_switch(const struct topology *t, unsigned node);

/* The name of a unit; "?" for TOPOLOGY_NONE. Borrowed. */
const char *topology_name(const struct topology *t, unsigned unit);

/* Whether anything is known of any node. */
bool topology_is_known(const struct topology *t);

void topology_clear(struct topology *t);

#endif
