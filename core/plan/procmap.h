/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All processes of a step, for frameworks in which each one has to know all
 * others: who is where, in which role. Unlike a plan this costs as much as the
 * step has processes.
 */
#ifndef DT_CORE_PLAN_PROCMAP_H
#define DT_CORE_PLAN_PROCMAP_H

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

#endif
