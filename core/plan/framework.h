/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A framework is data and two functions. A new one changes nothing that
 * exists: one file in frameworks/, with the keys that only it has, one line in
 * frameworks.def, one golden test, one page.
 */
#pragma once

#include "core/base/argset.h"
#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/facts/roles.h"

#include <stdbool.h>

struct api;
struct job;
struct option_key;
struct plan;
struct process;
struct request;
struct service;
struct world_wish;

struct framework {
	const char *name;
	const char *summary;  /* one line for help and tables */
	const char *tested;   /* with which versions of it; NULL: with none */
	const char *defaults; /* KEY=VALUE,... for what neither the user nor
				 the administrator says; NULL: none */
	unsigned needs;
	const struct option_key *keys; /* its own: OWN_KEY(0) and so on, then
					  one without a name; NULL: none */
	enum role role;		       /* of its processes */
	bool npu;		       /* its devices are Ascend NPUs */
	bool npu_too;		       /* they are in a step that has NPUs */
	bool sorts_servers;   /* takes a rank table's servers in the order of
				 their names as texts */
	bool program_is_file; /* the step's program is a file of ours, which
				 srun reads and no node needs */
	bool launches;	      /* starts its own workers: one process per node */
	bool local_rank; /* gives LOCAL_RANK, with which devices are chosen */
	bool once;	 /* the program runs once, in rank 0; each node has its
			    service (run-on=first: nodes without a rank) */
	bool together;	 /* no process can do without the others: one that ends
			    with 0 has failed, unless the user gives
			    early-exit */
	unsigned nports; /* that the program uses on the first node, from the
			    coordinator's on; 0: that one alone */
	const char *grpc_address; /* the variable with the address of a gRPC
				     server that rank 0's program starts at the
				     coordinator's port; NULL: it starts none */
	bool takes_all; /* a process takes all devices that it sees, so that it
			   is to see its own only */
	/* Which processes there are besides or instead of `role`. May be
	 * NULL. */
	void (*roles)(const struct request *request, struct role_wish *ret);
	/* Several worlds in one step, by replica groups (core/plan/plan.h).
	 * May be NULL: one. */
	void (*worlds)(const struct request *request, struct world_wish *ret);
	/* What it needs by its keys besides `needs`. May be NULL. */
	unsigned (*needs_too)(const struct request *request);
	/* Whether its ranks come from PMI, with NEEDS_PMI. NULL: they do. */
	bool (*pmi)(const struct request *request);
	/* The KEY=VALUE for which each task needs the launcher; NULL: there is
	 * none. May be NULL. */
	const char *(*launcher_why)(const struct request *request);
	/* Refuse a plan; runs in srun where srun knows enough, and where the
	 * option is read, with the plan of the step that asks for the least
	 * (core/plan/request_check.c: no addresses, no command). May be
	 * NULL. */
	int (*check)(const struct plan *plan, struct err *err);
	/* Refuse what the user has set, in srun. May be NULL. */
	int (*check_user)(const struct request *request, env_lookup_fn lookup,
			  void *arg, struct err *err);
	/* Add this process's variables to the set. NULL: it has none but the
	 * neutral ones. */
	int (*env)(const struct plan *plan, const struct process *process,
		   struct envset *set, struct err *err);
	/* Arguments after the program's own, but not in a step with
	 * run-on=first. May be NULL. */
	int (*args)(const struct plan *plan, const struct process *process,
		    struct argset *args, struct err *err);
	/* Where its first node answers over HTTP once it is ready
	 * (core/plan/serving.h). False: nowhere. May be NULL. */
	bool (*api)(const struct plan *plan, struct api *ret);
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

/* Whether a step of it may have Ascend NPUs. */
static inline bool framework_may_npu(const struct framework *framework)
{
	return framework->npu || framework->npu_too;
}

/* What has to be found out before a framework's environment can be made. */
enum framework_needs {
	NEEDS_COORDINATOR = 1 << 0,   /* address and port of rank 0's node */
	NEEDS_DEVICES = 1 << 1,	      /* which devices each node has */
	NEEDS_NIC = 1 << 2,	      /* the interface that routes to rank 0 */
	NEEDS_ERROR_FILE = 1 << 3,    /* a place for torch's error files */
	NEEDS_NPU_ADDRESSES = 1 << 4, /* those of each node's NPUs */
	NEEDS_PMI = 1 << 5,	      /* PMIx or PMI-2 in each task */
	NEEDS_PROCMAP = 1 << 6,	      /* the place and a port of each process */
	NEEDS_TASKMAP = 1 << 7,	      /* the place of each process */
	NEEDS_ADDRESSES = 1 << 8,     /* of all nodes, not their names */
	NEEDS_COUNTS = 1 << 9,	      /* the number of devices of each node */
	NEEDS_HOST_FILE = 1 << 10,    /* and a way to all nodes, for mpirun */
	NEEDS_CERTIFICATE = 1 << 11,  /* of the step, for TLS; with a service */
	NEEDS_PEERS = 1 << 12,	      /* place, port and address of each
					 process, as variables */
	NEEDS_OWN_ADDRESS = 1 << 13,  /* of the node, on that interface */
};
