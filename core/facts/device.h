/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which devices a node, a task and a process have, in the three numberings
 * that meet here: Slurm's index on the node (SLURM_STEP_GPUS, gres.conf
 * order), the entries of the variable that limits what a process sees
 * (CUDA_VISIBLE_DEVICES and the like), and the index by which the process
 * opens a device (its position among those it sees).
 */
#pragma once

#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/base/idlist.h"

#include <stdbool.h>

/* The variables by which Slurm's gres/gpu plugin limits what a task sees, in
 * the order in which they are looked for (Slurm: gres_common.c). */
extern const char *const device_variables[];

/* The one for Ascend NPUs, which Slurm doesn't set. */
#define DEVICE_VARIABLE_ASCEND "ASCEND_RT_VISIBLE_DEVICES"

/* What Slurm said about this node's devices. */
struct device_facts {
	struct idlist step;   /* the step's, by Slurm's index */
	struct idlist task;   /* those of this task, if told apart */
	const char *variable; /* one of device_variables, or NULL */
	bool npu; /* the step has devices that Slurm limits by none of them,
		     as it has no plugin for NPUs */
	char *step_visible; /* its value for the step, or NULL */
	char *task_visible; /* its value for this task, or NULL */
	char *npus_visible; /* NPUs: somebody's list in Ascend's variable, or
			       NULL */
};

/* How many devices the step has on this node, as far as known. */
unsigned device_count(const struct device_facts *facts);

/* The devices of one process. */
struct process_devices {
	struct idlist own;    /* the indices by which it opens them */
	unsigned nvisible;    /* how many it sees */
	const char *variable; /* to be set to `visible`; NULL: leave as it is */
	char visible[1024];
};

/* Divide what a task sees among its `n` processes (in task mode: what all `n`
 * tasks of the node see), for process `index`: contiguous shares; when there
 * are fewer devices than processes they are shared in turn. A task to which
 * Slurm bound fewer devices than the step has owns all that it sees.
 * `visible_mode` is the key's word; visible=one and visible=all take the
 * variable for Ascend NPUs where Slurm sets none (of a list there with as many
 * items, visible=one takes its item), and do nothing without devices. Fails
 * when the devices are too many to list, or Slurm's facts contradict. */
int device_assign(const struct device_facts *facts, unsigned index, unsigned n,
		  int visible_mode, struct process_devices *ret,
		  struct err *err);

/* A process that is to see no device at all. */
void device_none(const struct device_facts *facts, struct process_devices *ret);

/* The same devices by Slurm's index on the node, whatever the process sees of
 * them. */
void device_on_node(const struct device_facts *facts, unsigned index,
		    unsigned n, struct idlist *ret);

void device_clear(struct device_facts *facts);

/*
 * Which NPUs a task's processes have, in the driver's numbers: as a launcher
 * has found them, who can ask the driver (helpers/npu/devinfo.h).
 */

struct npu_task {
	struct idlist own;  /* physical, one for each of the processes */
	struct idlist step; /* the numbers by which a process of the step can
			       see all of the step's on this node, ascending */
	struct idlist at;   /* of each process, its place in `step` */
};

/*
 * Slurm's two ways to write generic resources: what a node's share of a job
 * is ("gpu:a100:2(IDX:0,3),npu:8(IDX:0-7)", job_info_t.gres_detail_str), and
 * what a step asked for ("gres:gpu:a100:2,gres:npu:4" in 22.05,
 * "gres/gpu:2" later; job_step_info_t.tres_per_node).
 */

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
