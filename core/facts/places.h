/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of a step's nodes are in its world, and where: place 0 is node rank 0.
 * Nodes are numbers, their positions in SLURM_STEP_NODELIST. A node without a
 * place is a spare, or out (doc/design/helpers-roster.md). Each round has its
 * places; the arbiter chooses them, all others read them.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/job.h"

/* The place of a node that has none. */
#define PLACE_NONE (~0U)

struct places {
	unsigned *node; /* by place; owned */
	unsigned n;
};

/* Those of round 0: nodes 0 to nnodes - nspares - 1. Fails when no node is left
 * for the world, and when out of memory. places_clear() afterwards. */
int places_first(unsigned nnodes, unsigned nspares, struct places *ret,
		 struct err *err);

/* Read "0-2,5,4", of a step of `nnodes` nodes. Fails when the text isn't such a
 * list, has a node twice, none, or one that the step doesn't have, and when out
 * of memory. */
int places_parse(const char *text, unsigned nnodes, struct places *ret,
		 struct err *err);

/* The same text, for the caller to free; NULL: out of memory. */
char *places_text(const struct places *places);

/* The place of a node, or PLACE_NONE. */
unsigned places_of(const struct places *places, unsigned node);

void places_clear(struct places *places);

/*
 * The order of a step's nodes in the world, with the key order=topology, as
 * srun hands it over: "0-2;5,4" are the nodes of places 0 to 4, and a ';' ends
 * those that share a block (or, where there are no blocks, a leaf switch).
 */

/* Read such a text, which must have each of `nnodes` nodes once. ret_domain,
 * if not NULL, gets the number of each node's block, by node, for the caller to
 * free. Fails when the text is another one, and when out of memory. */
int node_order_parse(const char *text, unsigned nnodes, struct places *ret,
		     unsigned **ret_domain, struct err *err);

/* The text of `n` nodes by place; domain[i] is that of node i. For the caller
 * to free; NULL: out of memory. */
char *node_order_text(const unsigned *node, const unsigned *domain, unsigned n);

/*
 * The world as a step of its own. In recovery a step has nodes that are spares
 * or out; with order=topology its nodes are in another order than Slurm's.
 * Everything that a process sees, its plan, its environment, rank
 * tables and host lists, is made of the facts of a step that has the world's
 * nodes alone, in the order of their places (doc/design/helpers-roster.md).
 */

/* The facts of this task in such a step. Node numbers are places, tasks are in
 * blocks: a task is its place's first and its SLURM_LOCALID, whatever Slurm's
 * distribution. `order` stays that of the step's nodes. A node without a place
 * has the facts, too; its place, nodeid and procid are PLACE_NONE.
 *
 * `step` is as job_read() made it, and stays what messages to other launchers,
 * names of files and Slurm go by. What this node found by itself (nic,
 * interfaces, own_addr, nic_addr, devices) is copied: where rank 0's node isn't
 * the same one as before, whoever found it looks again. The cost is that of the
 * step's nodes. *ret is its own copy, but for `command`: job_clear().
 *
 * Fails where the step's lists are missing or contradict each other, and when
 * out of memory. */
int job_world(const struct job *step, const struct places *places,
	      struct job *ret, struct err *err);
