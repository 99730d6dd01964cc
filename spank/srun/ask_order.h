/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In srun, with the key order=topology: the order of the step's nodes in the
 * world. One question to the controller, and none without the key.
 */
#ifndef DT_SPANK_SRUN_ASK_ORDER_H
#define DT_SPANK_SRUN_ASK_ORDER_H

#include "core/base/err.h"
#include "core/option/option.h"
#include "core/plan/resolve.h"
#include "spank/srun/ask_procmap.h"

/* *ret_order is as in struct job, for the caller to free; NULL where it is
 * Slurm's own, and where Slurm knows no topology, or the key has no effect:
 * then a line has said so. Returns 0, or -1 when slurmctld doesn't answer, or
 * out of memory. */
int ask_order(const struct request *request, const struct resolved *resolved,
	      const struct step_procmap *peers, unsigned nnodes,
	      unsigned ntasks, char **ret_order, struct err *err);

#endif
