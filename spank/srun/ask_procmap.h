/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The map of processes to nodes, which srun passes to the nodes for
 * frameworks in which each process must know where all others are. One
 * question to the controller.
 */
#ifndef DT_SPANK_SRUN_ASK_PROCMAP_H
#define DT_SPANK_SRUN_ASK_PROCMAP_H

#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/option/option.h"
#include "core/plan/resolve.h"
#include "spank/slurm/step_job.h"

struct step_procmap {
	char *nodes, *tasks; /* as SLURM_STEP_NODELIST and _TASKS_PER_NODE */
	char *taskmap;	     /* core/facts/taskmap.h; NULL: blocks */
	char *addrs;	     /* an IP address for each of the nodes, or NULL */
	char first[HOSTLIST_NAME_MAX]; /* task 0's node */
	unsigned first_node;	       /* its number */
};

/* Addresses are looked up in recovery, with addr=ip, and with addr=auto where
 * the name of the first node means nothing on this host. Returns 0 or -1; free
 * with step_procmap_clear(). */
int ask_procmap(const struct srun_step *step, const struct request *request,
		const struct resolved *resolved, struct step_procmap *ret,
		struct err *err);
void step_procmap_clear(struct step_procmap *peers);

#endif
