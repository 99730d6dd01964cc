/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In srun, with the keys order=topology or groups: where the step's nodes are
 * in the network, and their order in the world. One question to the controller,
 * and none without these keys.
 */
#ifndef DT_SPANK_SRUN_ASK_ORDER_H
#define DT_SPANK_SRUN_ASK_ORDER_H

#include "core/base/err.h"
#include "core/option/option.h"
#include "core/plan/resolve.h"
#include "core/topology/topology.h"
#include "spank/srun/ask_procmap.h"

/* *ret_order is as in struct job, for the caller to free; NULL where it is
 * Slurm's own, and where Slurm knows no topology, or the key has no effect:
 * then a line has said so. *ret_topology is for topology_clear(), in each case;
 * nothing is in it where nothing has been asked. Returns 0, or -1 when
 * slurmctld doesn't answer, or out of memory. */
int ask_order(const struct request *request, const struct resolved *resolved,
	      const struct step_procmap *peers, unsigned nnodes,
	      unsigned ntasks, struct topology *ret_topology, char **ret_order,
	      struct err *err);

#endif
