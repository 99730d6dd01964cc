/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's two ways to write generic resources: what a node's share of a job
 * is ("gpu:a100:2(IDX:0,3),npu:8(IDX:0-7)", job_info_t.gres_detail_str), and
 * what a step asked for ("gres:gpu:a100:2,gres:npu:4" in 22.05,
 * "gres/gpu:2" later; job_step_info_t.tres_per_node).
 */
#ifndef DT_CORE_FACTS_GRES_H
#define DT_CORE_FACTS_GRES_H

#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/base/idlist.h"

#include <stdbool.h>

/* Which of the usual names of accelerators for which Slurm has no gres plugin
 * is in a list of types (GresTypes); NULL: none, or no list. */
const char *gres_generic_name(const char *types);

/* The n-th name of other accelerators: how many a node has is all that is asked
 * of them. NULL after the last. */
const char *gres_counted_name(size_t n);

/* The n-th name of what is a part of a GPU, and makes it one of the job's. NULL
 * after the last. */
const char *gres_shared_name(size_t n);

/* The indices of all devices named `name`, of whatever type, in one node's
 * detail. Returns 0 (with an empty list when there are none), or -1 when the
 * text isn't of that form. */
int gres_detail(const char *detail, const char *name, struct idlist *ret);

/* How many of `name` a request asks for; false when it doesn't name it. */
bool gres_asked(const char *request, const char *name, unsigned long *ret);

/* What srun hands over of a step's devices: "node[1-2]:0-7;node3:0,1", Slurm's
 * indices of each node. Those of `node`, none if it isn't named. Fails when the
 * text is no such list. */
int gres_of_node(const char *text, const char *node, struct idlist *ret,
		 struct err *err);

/* The same for all of these nodes: ret[i] are the devices of the i-th. */
int gres_of_nodes(const char *text, const struct hostindex *nodes,
		  struct idlist *ret, struct err *err);

#endif
