/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's texts about its topology.
 */
#ifndef DT_CORE_TOPOLOGY_TOPOLOGY_READ_H
#define DT_CORE_TOPOLOGY_TOPOLOGY_READ_H

#include "core/base/err.h"
#include "core/topology/topology.h"

/* Read what `scontrol show topology` prints, or a topology.conf, for the nodes
 * of the host list `nodes`:
 *	SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-2]	(topology_tree.c)
 *	SwitchName=s9 Level=1 Nodes=n[1-4] Switches=s[1-2]
 *	BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2
 *(topology_block.c) AggregatedBlock=b1,b2 BlockIndex=2 Nodes=n[1-4] BlockSize=4
 * Only lines that begin with one of these three names count. A node that no
 * line has stays unknown; of two innermost lines the later one is its own.
 *
 * Fails when a list in such a line is none, when switches contain each other in
 * a circle or more than TOPOLOGY_LEVELS_MAX deep, when `nodes` is no host list,
 * and when out of memory. topology_clear(ret) afterwards. */
#define TOPOLOGY_LEVELS_MAX 16
int topology_read(const char *text, const char *nodes, struct topology *ret,
		  struct err *err);

#endif
