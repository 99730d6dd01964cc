/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where rank 0 will run: its node, and an address that the others can reach.
 * srun finds both, because a slow name look-up there delays nothing else.
 */
#ifndef DT_SPANK_SLURM_RANK0_H
#define DT_SPANK_SLURM_RANK0_H

#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "spank/slurm/step_job.h"

#include <netdb.h>
#include <stdbool.h>

struct rank0 {
	char node[HOSTLIST_NAME_MAX];
	char addr[NI_MAXHOST]; /* IP address as text; empty: not known */
};

/* The node: from srun's environment where that is certain, else from the
 * controller (one RPC). Its address: NodeAddr. One that is a loopback here (a
 * host's own name in its hosts file) is replaced by the one that routes to
 * another node of the job. Not knowing an address is no failure: the node's
 * name is left. */
int rank0_find(const struct srun_step *step, struct rank0 *ret,
	       struct err *err);

/* The address of a node whose name means a loopback here, so that this host is
 * that node: the one by which it reaches another one of `nodes`. Returns 0, or
 * -1 with `ret` as it was. */
int rank0_own_address(const char *node, const char *nodes, char *ret,
		      unsigned size);

#endif
