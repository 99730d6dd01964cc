/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A framework is data and two functions. A new one changes nothing that
 * exists: one file in frameworks/, one line in frameworks.def, one in the
 * Makefile, one golden test, one page.
 */
#ifndef DT_CORE_FRAMEWORK_H
#define DT_CORE_FRAMEWORK_H

#include "core/envset.h"
#include "core/err.h"
#include "core/plan.h"

#include <stddef.h>

/* What has to be found out before a framework's environment can be made. */
enum framework_needs {
	NEEDS_COORDINATOR = 1 << 0,   /* address and port of rank 0's node */
	NEEDS_DEVICES = 1 << 1,	      /* which devices each node has */
	NEEDS_NIC = 1 << 2,	      /* the interface that routes to rank 0 */
	NEEDS_ERROR_FILE = 1 << 3,    /* a place for torch's error files */
	NEEDS_NPU_ADDRESSES = 1 << 4, /* those of each node's NPUs */
	NEEDS_PMI = 1 << 5,	      /* PMIx or PMI-2 in each task */
	NEEDS_PEERS = 1 << 6,	      /* the place and a port of each process */
	NEEDS_PLACES = 1 << 7,	      /* the place of each process */
	NEEDS_ADDRESSES = 1 << 8,     /* of all nodes, not their names */
	NEEDS_COUNTS = 1 << 9,	      /* the number of devices of each node */
	NEEDS_HOST_FILE = 1 << 10,    /* and a way to all nodes, for mpirun */
};

struct framework {
	const char *name;
	const char *alias;   /* NULL: none */
	const char *summary; /* one line for help and tables */
	const char *tested;  /* with which versions of it; NULL: with none */
	unsigned needs;
	enum role role;	 /* of its processes */
	bool npu;	 /* its devices are Ascend NPUs */
	bool npu_too;	 /* they are in a step that has NPUs */
	bool launches;	 /* starts its own workers: one process per node */
	bool local_rank; /* gives LOCAL_RANK, with which devices are chosen */
	bool once;	 /* the program runs once, in rank 0; each node has its
			    service (run-on=first: nodes without a rank) */
	bool takes_all;	 /* a process takes all devices that it sees, so that it
			    is to see its own only */
	/* Which processes there are besides or instead of `role`. May be
	 * NULL. */
	void (*roles)(const struct request *request, struct role_wish *ret);
	/* Refuse a plan; runs in srun where srun knows enough. May be NULL. */
	int (*check)(const struct plan *plan, struct err *err);
	/* Refuse what the user has set, in srun. May be NULL. */
	int (*check_user)(const struct request *request, env_lookup_fn lookup,
			  void *arg, struct err *err);
	/* Add this process's variables to the set. */
	int (*env)(const struct plan *plan, const struct process *process,
		   struct envset *set, struct err *err);
	/* The service that the plan's task has. Whether the step has any: the
	 * same on all nodes. May be NULL. */
	bool (*service)(const struct plan *plan, struct service *ret);
	/* The variables of a program that starts workers on all nodes itself,
	 * instead of `env` (run-on=first). May be NULL. */
	int (*env_first)(const struct plan *plan, const struct process *process,
			 struct envset *set, struct err *err);
	/* The Python program in our folder of helpers that runs in this
	 * process instead of the user's, or NULL. May be NULL. */
	const char *(*server)(const struct plan *plan,
			      const struct process *process);
};

/* The framework of that name or alias; NULL with the nearest match and all
 * names in *err. */
const struct framework *framework_find(const char *name, struct err *err);

/* Whether a step of it may have Ascend NPUs. */
static inline bool framework_may_npu(const struct framework *framework)
{
	return framework->npu || framework->npu_too;
}

/* Whether the step has. */
bool framework_has_npus(const struct request *request, const struct job *job);

/* What has to be found out for the framework and its dialect: needs. */
unsigned request_needs(const struct request *request);

/* Whether the program starts the workers itself: one process per node. */
bool request_launches(const struct request *request);

/* All frameworks in the order of their table; NULL behind the last. */
const struct framework *framework_nth(size_t n);

/* The whole environment of one process: neutral names, the framework's and
 * the interface's, as a set that is not yet compared with the user's. */
int process_env(const struct plan *plan, const struct process *process,
		struct envset *set, struct err *err);

#endif
