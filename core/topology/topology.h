/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of a step's nodes share a block (an NVLink domain, a super pod) and
 * which a switch.
 *
 * core/topology is pure and needs core/base alone. srun fills a struct topology
 * with what slurmctld tells, `dist-train explain` with a file: texts from
 * elsewhere.
 * topology.c		what is known of each node, and domains that Slurm
 *			doesn't tell
 * topology_read.c	from Slurm's texts
 * topology_order.c	an order of the nodes in which neighbours are near
 *
 * Nodes are numbers, their positions in SLURM_STEP_NODELIST. Blocks and
 * switches are "units", numbers too.
 */
#pragma once

#include "core/base/err.h"

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

/* Domains that Slurm doesn't tell, such as Ascend's super pods, as the
 * outermost blocks. */

/* Put a level of blocks around all others: node i of `n` is in domain[i], or
 * with NULL in none; equal texts are one domain, "WHAT TEXT" is its name. `t`
 * has as many nodes, or none yet.
 *
 * Two domains never share a block: one of Slurm's that has nodes of several of
 * them no longer counts for these nodes. So whoever crosses a domain crosses a
 * block. Switches may be shared. Without any domain *t stays as it is.
 *
 * Fails when out of memory; topology_clear(t) in any case. */
int topology_enclose(struct topology *t, const char *what, char *const *domain,
		     unsigned n, struct err *err);

/*
 * Slurm's texts about its topology.
 */

/* Read what `scontrol show topology` prints, or a topology.conf, for the nodes
 * of the host list `nodes`:
 *	SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-2]	(topology_tree.c)
 *	SwitchName=s9 Level=1 Nodes=n[1-4] Switches=s[1-2]
 *	BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2
 * (topology_block.c)
 *	AggregatedBlock=b1,b2 BlockIndex=2 Nodes=n[1-4] BlockSize=4
 *	RingName=r1 Nodes=n1,n3,n2 RingSize=3	(26.05: topology_ring.c)
 *	TorusName=t1 Dims=2x2x1 Nodes=n[1-4]	(topology_torus3d.c)
 * A ring and a torus are blocks; how near nodes are inside one isn't told. Only
 * lines that begin with one of these names count. A node that no
 * line has stays unknown; of two innermost lines the later one is its own.
 *
 * Fails when a list in such a line is none, when switches contain each other in
 * a circle or more than TOPOLOGY_LEVELS_MAX deep, when `nodes` is no host list,
 * and when out of memory. topology_clear(ret) afterwards. */
#define TOPOLOGY_LEVELS_MAX 16
int topology_read(const char *text, const char *nodes, struct topology *ret,
		  struct err *err);

/*
 * An order of a step's nodes in which neighbours are near: nodes of a block
 * follow each other, in a block those of a switch, on a switch they keep
 * Slurm's order, and Slurm's first node stays the first. So few groups of
 * neighbours as possible cross a block, then a switch
 * (doc/design/core-topology.md).
 */

/* What else counts for the order; all 0 is fine. */
struct topology_wish {
	const unsigned *slurm; /* the nodes in Slurm's order, nnodes of them, by
				  their first tasks; the first one stays; NULL:
				  0, 1, 2... */
	unsigned nworld;       /* nodes that have ranks, the others at the end
				  are spares; 0: all */
	const unsigned *group; /* the sizes in nodes of groups of neighbours
				  that are to cross as little as possible;
				  NULL: all that divide the world evenly */
	unsigned ngroups;
};

/* The nodes by place, nnodes of them, for the caller to free; NULL: out of
 * memory. Without knowledge it is Slurm's order. */
unsigned *topology_order(const struct topology *t,
			 const struct topology_wish *wish, struct err *err);
