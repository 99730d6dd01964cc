/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who runs where: every rank, role, device and coordinator. All arithmetic is
 * here; frameworks only give names to what they find in a plan.
 *
 * A plan is made for one task from the request and the facts, on its own node
 * and without talking to anyone; its cost doesn't grow with the step.
 *
 * plan_make.c	request and facts to a plan
 * plan_process.c	a plan and an index to one process
 * process_env.h	a process to its environment, through its framework
 * framework.h, dialect.h	what a file in frameworks/ or dialects/ fills in
 * world.c		the same as its replica group sees it
 * procmap.h	lists of the whole step, where asked for
 *
 * plan_make() runs in srun (to refuse early), in each task before its program
 * starts, and in the launcher. It never reads a file, asks Slurm or logs.
 */
#pragma once

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/base/interface.h"
#include "core/facts/device.h"
#include "core/facts/job.h"
#include "core/facts/port.h"
#include "core/facts/roles.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "core/plan/coordinator.h"
#include "core/plan/resolve.h"

#include <stdbool.h>

/* A process that the plan adds to those of the user's tasks
 * (core/plan/plan_process.c).
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

/* A process's place in its replica group (core/plan/plan.h). */
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
	const char *start_command;    /* command by which the program, a script
				 that runs once, starts the processes;
				 NULL: it is what they run */
	struct plan_files {	      /* NULL: the launcher hasn't made them */
		const char *hosts;    /* "node1 slots=2" */
		const char *machines; /* "node1:2" */
		const char *rsh;      /* the stand-in for ssh: a path */
		const char *agent; /* the same on all nodes: a path, or words */
		const char *cert;  /* of the step, PEM; it signs itself */
		const char *key;   /* of the certificate, PEM */
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
 * that comes from; NULL: the library's own choice. core/plan/coordinator.h has
 * what the others are told. */
const char *plan_nic(const struct plan *plan, const char **ret_source);

/* Where the number of a process comes from, for a person. */
const char *plan_rank_source(const struct plan *plan);

/* The port of a node's process, where each process of the step has one: the
 * coordinator's is that of local index 0. */
unsigned plan_port(const struct plan *plan, unsigned local);

/* The administrator's ports, for the step's launchers: without those that its
 * processes take, in any round if Slurm has reserved them. */
struct port_range plan_other_ports(const struct plan *plan,
				   const struct config *config);

/* From the request and the facts to the plan of one task. */

/* Make the plan of the task that `job` describes: in recovery the world's job
 * (core/plan/recovery.h). The request, the configuration and the job must
 * outlive it. Fails when the request can't be had with this layout. */
int plan_make(const struct request *request, const struct config *config,
	      const struct job *job, struct plan *ret, struct err *err);

/*
 * run-on=first: the program runs once, on the first node, as a launcher that
 * starts workers on all nodes itself. The other tasks wait.
 */

/* Fails when the framework's processes can't be made by one program. */
int plan_first(struct plan *plan, struct err *err);

/* What lets launchers such as mpirun, horovodrun and pdsh reach the step's
 * nodes without ssh, and tells them which nodes those are. */
int plan_launcher_env(const struct plan *plan, struct envset *set,
		      struct err *err);

/* Whether the program of this process is to start the gRPC server of its
 * framework on the coordinator's port, so that we may listen there until it
 * does (sys/early/early_listener.h). Not where others don't wait for it, where
 * the user has chosen the port, which may be for something else then, and where
 * the program is a script that starts the processes. `set` is resolved.
 * Nor where `program`, the first word of its command, isn't Python: what else
 * uses that port may speak another protocol. */
bool plan_listens_early(const struct plan *plan, const struct process *process,
			const struct envset *set, const char *program);

/* The processes of a plan, one by one. */

/* The index-th of the plan's nprocs processes. */
int plan_process(const struct plan *plan, unsigned index, struct process *ret,
		 struct err *err);

/* The devices of the index-th process by Slurm's index on the node, whatever
 * the process sees of them: for a person, and for what is near them. None where
 * the plan has no such process. */
void plan_devices_on_node(const struct plan *plan, unsigned index,
			  struct idlist *ret);

/* The text of SLURM_STEP_TASKS_PER_NODE as the processes are to see it, or
 * NULL when it stays Slurm's. Returns buf or the job's own text. */
const char *plan_procs_by_task(const struct plan *plan, char *buf,
			       unsigned size);

/* What a person should know although the plan works: a LOCAL_RANK that is no
 * valid index into what the process sees; fewer cores than processes, or fewer
 * CPUs than were asked for. Each is said of exactly one process of the step:
 * true then, and the line is in buf. */
bool plan_remark(const struct plan *plan, const struct process *process,
		 char *buf, unsigned size);

/*
 * The part of a plan that is about roles: for frameworks that say which
 * processes there are (`roles`).
 */

/* How many processes of each role there are where each task is one. */
int plan_roles_of_tasks(struct plan *plan, struct err *err);

/* The same in device mode, with the processes of this node. */
int plan_roles_of_nodes(struct plan *plan, struct err *err);

/* The processes by node of such a plan, as Slurm writes it. */
const char *plan_roles_by_task(const struct plan *plan, char *buf,
			       unsigned size);

/* The role of a process whose rank is known, and its part in the node's
 * devices: none when *ret_owners is 0. */
int plan_role_of(const struct plan *plan, struct process *process,
		 unsigned *ret_owner, unsigned *ret_owners, struct err *err);

/*
 * The other tasks of this node, as a launcher sees them that speaks for all of
 * them: in task mode, and not in recovery.
 */

/* Stays where it is: the plan points to the job, which borrows all that the
 * job of `plan` has. */
struct node_task {
	struct job job;
	struct plan plan;
};

/* How many there are, where a launcher speaks for all; else 0. */
static inline unsigned node_tasks_others(const struct plan *plan)
{
	return plan->resolved.node_launcher ? plan->job->local_ntasks - 1 : 0;
}

/* The plan of the node's task `localid`, from that of another one. It is the
 * task's own, but for devices where Slurm tells each task others
 * (job->bound). Fails as plan_make() does, and when SLURM_GTIDS isn't a
 * list of the node's tasks. */
int node_task_make(const struct plan *plan, const struct config *config,
		   unsigned localid, struct node_task *ret, struct err *err);

/*
 * Role services: processes that the plan adds to a node because the others
 * need them, such as a scheduler. They have no rank; launchers start them
 * first and end them last.
 */

/* The process of the plan's service, when this task has it. */
int service_process(const struct plan *plan, struct process *ret,
		    struct err *err);

/* What log files and reports call it: "scheduler", or "worker-2" where each
 * node has one. */
#define SERVICE_NAME_SIZE 32
const char *service_name(const struct plan *plan, char buf[SERVICE_NAME_SIZE]);

/* Which NPU each process of a task has: exactly one, and nobody else. */

/* Slurm's index on the node of the NPU of each of the plan's processes. Fails
 * when one has none or several, or when the node has fewer than processes. */
int plan_npus(const struct plan *plan, struct idlist *ret, struct err *err);

/* Put the driver's numbers into the index-th process. Fails when the list is
 * too long for the library, which reads 128 characters. */
int plan_npus_apply(const struct plan *plan, const struct npu_task *task,
		    unsigned index, struct process *process, struct err *err);

/* Which keys can't go together, as far as neither words nor counts alone
 * tell. */

/* Refuse what no step can have, whatever its nodes and tasks: where the option
 * is read, so that sbatch and salloc see it before anything is queued. The
 * framework must be known. */
int request_check(const struct request *request, struct err *err);

/* Refuse what the processes of this plan can't have: plan_make() calls it once
 * the plan's services are known. */
int request_check_plan(const struct plan *plan, struct err *err);

/*
 * Replica groups: the step's nodes in equal groups of consecutive nodes of
 * SLURM_STEP_NODELIST, each with a world of its own (torchft's key replicas).
 * Ranks keep the order of the step's. A struct process has its world; a plan as
 * its group sees it is that of a step which consists of this group alone.
 */

/* What a request asks for. */
struct world_wish {
	unsigned groups; /* 0: each node is one */
	unsigned least;	 /* with fewer the step fails */
};

/* Refuse more groups as the least than replicas=N has. */
int world_check(const struct request *request, struct err *err);

/* How many groups the plan has, and the port of their stores; also refuses
 * numbers that don't fit the step. No-op for frameworks with one world. */
int world_plan(struct plan *plan, const struct config *config, struct err *err);

/* The world of the step's process `rank`. Fails where the facts don't tell the
 * place of each process. */
int world_of(const struct plan *plan, unsigned rank, struct world *ret,
	     struct err *err);

/* The group of each task of the step: job->ntasks numbers, for the caller to
 * free; or NULL. */
unsigned *world_groups(const struct plan *plan, struct err *err);

/* What a process that isn't a service sees of its group: both as in a step of
 * this group alone. They borrow from plan and process. */
void world_view(const struct plan *plan, const struct process *process,
		struct plan *ret_plan, struct process *ret_process);
