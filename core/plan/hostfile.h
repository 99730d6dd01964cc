/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes of a step as launchers and other platforms want to be told: a list
 * in the order of their first tasks, with the number of workers that each one
 * has room for.
 */
#ifndef DT_CORE_PLAN_HOSTFILE_H
#define DT_CORE_PLAN_HOSTFILE_H

#include "core/base/err.h"
#include "core/plan/plan.h"

struct hostfile {
	char **host;	 /* names, or addresses: procmap_hosts() */
	unsigned *slots; /* workers on each */
	unsigned n;
	unsigned long total; /* slots of all */
};

/* Fails when the facts don't tell them. Free with hostfile_clear() in both
 * cases, or with cleanup_hostfile. */
int hostfile_find(const struct plan *plan, struct hostfile *ret,
		  struct err *err);
void hostfile_clear(struct hostfile *nodes);
#define cleanup_hostfile __attribute__((cleanup(hostfile_clear)))

/* Each node's host, `middle` and slots, with `between` two of them:
 * "node1:2,node2:2". `middle` NULL: hosts only. NULL: out of memory; else the
 * caller's. */
char *hostfile_text(const struct hostfile *nodes, const char *middle,
		    const char *between, struct err *err);

/* How many workers a launcher is to start on this node: the key procs, else
 * its devices if each node has one task, else its tasks. */
unsigned hostfile_own_slots(const struct plan *plan);

/* The same of this task's node, which has so many tasks, and whose devices srun
 * has counted. */
unsigned hostfile_slots(const struct plan *plan, unsigned task,
			unsigned node_tasks);

#endif
