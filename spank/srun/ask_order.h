/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In srun, with the keys order=topology or groups: where the step's nodes are
 * in the network, and their order in the world. One question to the controller
 * and one file, and neither without these keys.
 */
#ifndef DT_SPANK_SRUN_ASK_ORDER_H
#define DT_SPANK_SRUN_ASK_ORDER_H

#include "core/base/err.h"
#include "core/option/option.h"
#include "core/plan/resolve.h"
#include "core/topology/topology.h"
#include "spank/slurm/step_job.h"
#include "spank/srun/ask_procmap.h"

/* `inventory` is the administrator's file of NPUs, whose super pods are blocks;
 * NULL: there is none, or the step has no NPUs. Where this user can't read it
 * here, a line says so, and super pods don't count.
 * *ret_order is as in struct job, for the caller to free; NULL where it is
 * Slurm's own, and where Slurm knows no topology, or the key has no effect:
 * then a line has said so. *ret_topology is for topology_clear(), in each case;
 * nothing is in it where nothing has been asked. Returns 0, or -1 when
 * slurmctld doesn't answer, when a line of the inventory is wrong, or out of
 * memory. */
int ask_order(const struct request *request, const struct resolved *resolved,
	      const struct srun_step *step, const struct step_procmap *peers,
	      const char *inventory, struct topology *ret_topology,
	      char **ret_order, struct err *err);

#endif
