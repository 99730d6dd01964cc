/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which devices a node, a task and a process have, in the three numberings
 * that meet here: Slurm's index on the node (SLURM_STEP_GPUS, gres.conf
 * order), the entries of the variable that limits what a process sees
 * (CUDA_VISIBLE_DEVICES and the like), and the index by which the process
 * opens a device (its position among those it sees).
 */
#ifndef DT_CORE_FACTS_DEVICE_H
#define DT_CORE_FACTS_DEVICE_H

#include "core/base/err.h"
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

#endif
