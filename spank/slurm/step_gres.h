/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many of its job's devices a step has on a node, from slurmctld's records
 * of the two: in srun for all nodes (spank/srun/ask_gres.c), in a task of a
 * heterogeneous step for its own (spank/node/component_npus.c).
 */
#pragma once

#include "core/base/err.h"
#include "core/base/idlist.h"

#include <slurm/slurm.h>
#include <stdbool.h>

/* Whether one of the texts of a request (tres_per_node and its like, or NULL)
 * has any gres; whether the step's record has. */
bool step_gres_named(const char *asked);
bool step_gres_asked(const job_step_info_t *step);

/* The job's devices on `node`, which is the `at`-th of its own. */
int step_gres_of_job(const job_info_t *job, unsigned at, const char *node,
		     const char *name, struct idlist *ret, struct err *err);

/* What the job has on all its nodes of such devices. */
unsigned long step_gres_total(const job_info_t *job, const char *name);

/* How many of the job's `available` devices the step has on a node, whose tasks
 * are `single` where each node of the step has one. Fails where Slurm doesn't
 * say it. */
int step_gres_share(const job_info_t *job, const job_step_info_t *step,
		    const char *name, bool single, unsigned available,
		    unsigned *ret, struct err *err);

/* The step has a part of the job's generic devices on a node, and Slurm doesn't
 * say which. Returns -1. */
int step_gres_refuse_part(const char *name, unsigned has, unsigned of,
			  struct err *err);
