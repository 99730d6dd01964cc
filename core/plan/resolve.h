/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a request comes to. Each decision that more than one place needs is
 * taken here, once, from the request and from what is known of the step; all
 * others read it and compare no key's word again.
 *
 * srun, slurmstepd, the task and the launcher each call resolve(): the plugin
 * keeps the result in struct adapter, and a plan has its own in
 * plan->resolved. Pure; it can't fail. A new decision is a member here and a
 * line in resolve.c.
 */
#pragma once

#include "core/facts/job.h"
#include "core/option/key_forms.h"
#include "core/option/ladder.h"
#include "core/option/option.h"

#include <stdbool.h>

/* By which ways nodes may tell each other the addresses of their NPUs. */
enum exchange_ways {
	EXCHANGE_MAY_INVENTORY = 1 << 0, /* nothing is told: a file has all */
	EXCHANGE_MAY_PMIX = 1 << 1,
	EXCHANGE_MAY_TCP = 1 << 2,
};

struct resolved {
	/* --- from the request alone --- */
	unsigned needs;	 /* enum framework_needs, the dialect's too */
	bool run_first;	 /* run-on=first: nobody but task 0 has a process */
	bool launches;	 /* the program starts the workers itself: one process
			    per node */
	bool pmi;	 /* each task needs Slurm's PMI */
	bool find_nic;	 /* the interface that routes to rank 0 is looked for */
	bool interfaces; /* and all that the node has */
	bool chief;	 /* no rank table: CM_CHIEF_IP and its like */
	unsigned exchange;    /* enum exchange_ways; 0: no table, no exchange */
	int table_version;    /* TABLE_AUTO, TABLE_1_0, ...; see `table` */
	bool requeue;	      /* a lost node may requeue the job */
	struct ladder ladder; /* what a lost node comes to; `auto` isn't in it
				 any more */
	unsigned spares;      /* nodes that are kept in reserve */
	bool recovery;	  /* it has spares, or a ladder with replace or shrink:
			     the step goes on without a lost node */
	bool may_order;	  /* ranks are ours: order=topology has an effect */
	bool by_topology; /* order=topology, where it has one */
	bool groups;	  /* of ranks: they are counted in the network */
	bool no_launcher; /* supervise=no */
	int check;	  /* CHECK_...: of nodes, before processes start */
	bool recorders;	  /* of the communication libraries: they are set up */
	struct hang hang; /* what a hang comes to; seconds 0: nobody looks */
	struct end_signal end_signal; /* number 0: the ranks get none */
	bool early_exit_fails;	      /* an exit of 0 while others still run */
	bool metrics; /* processes may report how far they are */
	bool stages;  /* folders are brought to each node before they start */

	/* --- from the step too, as far as it is known --- */
	bool device_mode;	  /* the launcher brings up the processes */
	bool device_counts;	  /* the number of devices of each node decides
				     how many processes there are */
	bool ordered;		  /* the nodes' order in the world isn't
				     Slurm's */
	bool loopback;		  /* the ranks meet inside one node */
	bool address_is_told;	  /* addr=nic: only rank 0's node can know the
				     address, and its launcher tells the others
				     before anything starts */
	bool addresses;		  /* of all nodes are wanted, not their names */
	bool own_address;	  /* the node's, by which others reach it */
	bool npu;		  /* the processes' devices are Ascend NPUs */
	bool table;		  /* an Ascend rank table, before they start */
	int visible;		  /* VISIBLE_..., where the key is silent that
				     of the framework or of NPUs */
	const char *launcher_why; /* what the launcher is needed for besides
				     device mode, services and supervise=yes,
				     for messages; NULL: nothing */
	bool node_launcher;	  /* where there is a launcher, a node's first
				     task has it for all tasks of the node; the
				     others have keepers
				     (core/facts/keeping.h) */
	bool folder;		  /* its launcher makes a folder for the step */
};

/* `job` has what is known: NULL where nothing is, and then what may be counts
 * as being. Read of it: nnodes, ntasks, procs, order, devices.npu, nodes,
 * rank0_node, keepers, task_prolog, gres, het, dealt, mpi_type. */
void resolve(const struct request *request, const struct job *job,
	     struct resolved *ret);

/* What the launchers of a heterogeneous step have to tell each other before
 * there is a plan: a set of LEARN_... (core/facts/learned.h), 0: nothing, or
 * nobody can tell. The same in all tasks of the step. `components` are the
 * options of all (HANDOVER_COMPONENTS); NULL: srun hasn't told them, as no node
 * has devices. */
unsigned resolve_components_learn(const struct request *request,
				  const struct resolved *resolved,
				  const struct job *job,
				  const char *components);

/* The same where no srun has handed over anything (struct job's unhooked).
 * `devices`: this node may have none, and others some; `named`: the name of
 * rank 0's node means something here. */
unsigned resolve_unhooked_learn(const struct request *request,
				const struct resolved *resolved,
				const struct job *job, bool devices,
				bool named);

/* Whether what a task sees is divided among its node's tasks, or LOCAL_RANK is
 * a place in it. */
bool resolve_divides_view(const struct request *request);

/* Whether the launcher may be put before the tasks of a node that has so many:
 * before the plan is known, which says it for sure (plan->launcher). */
bool resolved_may_launch(const struct request *request,
			 const struct resolved *resolved,
			 unsigned local_ntasks);
