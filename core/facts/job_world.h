/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world as a step of its own. In recovery a step has nodes that are spares
 * or out; with order=topology its nodes are in another order than Slurm's.
 * Everything that a process sees, its plan, its environment, rank
 * tables and host lists, is made of the facts of a step that has the world's
 * nodes alone, in the order of their places (doc/design/0080-lost-nodes.md).
 */
#ifndef DT_CORE_FACTS_JOB_WORLD_H
#define DT_CORE_FACTS_JOB_WORLD_H

#include "core/base/err.h"
#include "core/facts/job.h"
#include "core/facts/places.h"

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

#endif
