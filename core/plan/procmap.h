/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All processes of a step, for frameworks in which each one has to know all
 * others: who is where, in which role. Unlike a plan this costs as much as the
 * step has processes.
 */
#pragma once

#include "core/base/err.h"
#include "core/plan/plan.h"

struct rank_place {
	unsigned node;	/* its position in SLURM_STEP_NODELIST */
	unsigned local; /* among the processes of that node */
	enum role role;
	unsigned index; /* among the processes of its role */
};

/* The processes of the plan's step in the order of ranks, world_size of them,
 * for the caller to free. NULL when the facts don't tell the places, or tell
 * another one for the plan's own task than it has. */
struct rank_place *procmap_make(const struct plan *plan, struct err *err);

/* Whether the facts are there from which the places come; else the reason. */
int procmap_check_facts(const struct plan *plan, struct err *err);

/* The process's part in the devices of its node: it is the `*ret_index`-th of
 * `*ret_n` that share them, none of them when *ret_n is 0. A chief has those
 * of a node on which nobody else could use them. */
void procmap_device_owner(const struct plan *plan,
			  const struct rank_place *peers, unsigned rank,
			  unsigned *ret_index, unsigned *ret_n);

/* Where each node of the step can be reached, in the order of
 * SLURM_STEP_NODELIST, `nnodes` of them: names, or addresses where srun has
 * told them; of a single one it is the coordinator's address. Free with
 * procmap_free_hosts(), or cleanup_hosts. NULL when they aren't known. */
char **procmap_hosts(const struct plan *plan, struct err *err);
void procmap_free_hosts(char **hosts);
static inline void cleanup_hosts_fn(char ***hosts)
{
	procmap_free_hosts(*hosts);
}
#define cleanup_hosts __attribute__((cleanup(cleanup_hosts_fn)))

/* Both, for who writes lists of processes. */
struct procmap {
	struct rank_place *peer;
	char **host;
};

/* Fails as the two do; in both cases free with cleanup_procmap. */
int procmap_find(const struct plan *plan, struct procmap *ret, struct err *err);
void procmap_clear(struct procmap *map);
#define cleanup_procmap __attribute__((cleanup(procmap_clear)))

/* Which processes to list. */
struct procmap_choice {
	enum role role;
	unsigned first, end; /* ranks among which they are looked for */
	bool ports;	     /* "node1:20000" instead of "node1" */
};

/* Where they are, comma-separated in the order of ranks. The text is the
 * caller's; NULL: out of memory. */
char *procmap_text(const struct plan *plan, const struct procmap *map,
		   const struct procmap_choice *choice, unsigned *ret_n,
		   struct err *err);

/*
 * The nodes of a step as launchers and other platforms want to be told: a list
 * in the order of their first tasks, with the number of workers that each one
 * has room for.
 */

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
