/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who runs where: every rank, role, device and coordinator. All arithmetic is
 * here; frameworks only give names to what they find in a plan.
 *
 * A plan is made for one task from the request and the facts, on its own node
 * and without talking to anyone; its cost doesn't grow with the step.
 *
 * plan_make.h	request and facts to a plan
 * plan_process.h	a plan and an index to one process
 * process_env.h	a process to its environment, through its framework
 * framework.h, dialect.h	what a file in frameworks/ or dialects/ fills in
 * world.h		the same as its replica group sees it
 * procmap.h, hostfile.h	lists of the whole step, where asked for
 *
 * plan_make() runs in srun (to refuse early), in each task before its program
 * starts, and in the launcher. It never reads a file, asks Slurm or logs.
 */
#ifndef DT_CORE_PLAN_PLAN_H
#define DT_CORE_PLAN_PLAN_H

#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/base/interface.h"
#include "core/facts/device.h"
#include "core/facts/job.h"
#include "core/facts/roles.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "core/plan/coordinator.h"
#include "core/plan/resolve.h"

#include <stdbool.h>

/* A process that the plan adds to those of the user's tasks
 * (core/plan/service.h).
 */
struct service {
	enum role role;
	bool here;	    /* this task's launcher has to start it */
	const char *helper; /* program in our folder; NULL: the user's */
	bool python;	    /* it is one for the command's Python */
	bool reports_ready; /* a line on its standard output says that it is
		       ready; else it answers at the coordinator's port */
	bool in_turn;	    /* each node has one, and the first's comes first */
	bool secret; /* it gets plan->secret, as a line of standard input */
};

/* A process's place in its replica group (core/plan/world.h). */
struct world {
	unsigned replica;	      /* the group */
	unsigned rank, size;	      /* of the group's processes */
	unsigned node_rank, nnodes;   /* of its nodes */
	char addr[HOSTLIST_NAME_MAX]; /* of the node of its rank 0 */
};

struct plan {
	const struct request *request;
	const struct job *job;
	enum role role;
	struct resolved resolved; /* what the request comes to */
	bool serves;   /* some task has a service, before it starts */
	bool needs_go; /* a rank table, a service, a script that starts, or an
			  address that is told: all launchers start together */
	struct service service;
	const char *secret; /* of the step's services; NULL: not made yet */
	struct roles roles; /* all 0: every process has `role` */
	bool spare; /* this node has no place in the world: nothing runs here,
		       and there is no process 0 to look at */
	bool launcher;	     /* it is put before the program, */
	bool keeper;	     /* or this task has a keeper, and the node's first
				task the launcher */
	unsigned nprocs;     /* processes of this task */
	unsigned first_rank; /* of this task */
	unsigned world_size;
	unsigned nodes_procs; /* processes of this node */
	unsigned nports; /* from the coordinator's on: as many as a node has
			    processes where each has one, else those of
			    framework->nports */
	unsigned node_rank, nnodes;
	unsigned nreplicas;    /* groups of nodes, each a world of its own; 0:
				  the step is one world, without groups */
	unsigned min_replicas; /* the step fails when fewer can go on */
	unsigned replica_port; /* of each group's coordinator, in this round */
	bool uniform; /* all nodes have nodes_procs processes, as far as this
			 node can know */
	struct coordinator coordinator; /* with groups: of the step's service */
	struct coordinator service_at;	/* the same, also where `coordinator`
					   is that of a group */
	char nic[INTERFACE_NAME_SIZE];	/* see plan_nic() */
	const char *nic_source;
	const char
		*rank_table; /* its file; NULL: the launcher hasn't made it */
	unsigned hccl_base_port; /* 0: the library's own */
	unsigned ras_port; /* of NCCL's RAS, on each node; 0: no recorders */
	const char *start_command;     /* command by which the program, a script
				  that runs once, starts the processes;
				  NULL: it is what they run */
	struct plan_files {	       /* NULL: the launcher hasn't made them */
		const char *hosts;     /* "node1 slots=2" */
		const char *machines;  /* "node1:2" */
		const char *rsh;       /* the stand-in for ssh */
		const char *cert;      /* of the step, PEM; it signs itself */
		const char *key;       /* of the certificate, PEM */
		const char *recorders; /* the folder for their dumps */
	} files;
};

struct process {
	enum role role;
	bool added;	     /* by the plan, as a service: it has no rank */
	unsigned role_index; /* among the processes of its role */
	bool service;	     /* it never ends by itself (role_is_service()) */
	unsigned rank, local_rank;
	struct world world;	   /* where the plan has groups */
	unsigned local_rank_shown; /* what LOCAL_RANK is to be */
	struct process_devices devices;
	unsigned npu;	   /* physical id of its NPU, as far as known */
	unsigned cores;	   /* that it has for itself; 0: unknown */
	const char *place; /* its cores and memory for a person, or NULL;
			      borrowed from who binds it */
};

/* The one interface to meet on, for libraries that take just one, and where
 * that comes from; NULL: the library's own choice. core/plan/nic.h has what the
 * others are told. */
const char *plan_nic(const struct plan *plan, const char **ret_source);

/* Where the number of a process comes from, for a person. */
const char *plan_rank_source(const struct plan *plan);

/* The port of a node's process, where each process of the step has one: the
 * coordinator's is that of local index 0. */
unsigned plan_port(const struct plan *plan, unsigned local);

#endif
