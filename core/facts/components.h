/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The components of a heterogeneous step (`srun A : B`), and how many processes
 * each of their tasks is, once the launchers have told each other what they
 * have (core/facts/learned.h). Pure. doc/design/spank-slurm.md.
 *
 * Each component is as a step of its own: procs=device and procs=N need one
 * task per node there, and auto is device where each of its nodes has one task
 * and some has more than one device. One that has no device at all has a
 * process for each task.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/job.h"

#define COMPONENTS_MAX 128 /* Slurm's MAX_HET_JOB_COMPONENTS */

/* The key procs of a component. */
struct component_wish {
	int word;   /* PROCS_... */
	unsigned n; /* of PROCS_N */
};

/* The number of a task's component in the step, from 0, and how many there are:
 * from job->firsts. Returns 0, or -1 where these aren't components. */
int component_of(const struct job *job, unsigned task, unsigned *ret,
		 unsigned *ret_n, struct err *err);

/* From devices by task to processes by task (job->procs), and by node
 * (job->node_procs); job->dealt is true then. `wish` is that of each component,
 * or of all where n is 1. Fails where a component can't have what it asks for,
 * and where what was learned contradicts itself.
 *
 * `remark` gets what a person should know although it works, or "". */
#define COMPONENTS_REMARK_SIZE 256
int components_deal(struct job *job, const struct component_wish *wish,
		    unsigned n, char remark[COMPONENTS_REMARK_SIZE],
		    struct err *err);

/* The ranks of this node, "4,5,6,7", for the caller to free; NULL when out of
 * memory, or job->gtids are no tasks of the step. Of a job that is dealt. */
char *components_own_ranks(const struct job *job);
