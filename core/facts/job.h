/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about the step and one of its tasks, as Slurm gave them.
 *
 * They come from the task's environment, where Slurm has applied the offsets
 * of heterogeneous steps (SPANK's items lack them), and from what srun handed
 * over.
 *
 * core/facts holds what Slurm and the node said, read and checked:
 * job.h		the step and this task
 * device.h	its devices, as Slurm counts them; gres.c reads Slurm's lists
 * taskmap.h	which task is on which node
 * places.h	which nodes are in the world; job_world.c: the facts of a step
 *		that has these alone
 * roles.h, port.h, share_cores.h	arithmetic on facts alone
 * handover.h	the variables by which srun, slurmstepd and the launcher tell
 *		each other what only one of them knows
 * The plugin fills a struct job in each task, the launcher fills it once more,
 * and core/plan reads it. Nothing here asks Slurm or the kernel itself: whoever
 * calls hands in a function that looks variables up.
 */
#pragma once

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/facts/device.h"
#include "core/option/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct job {
	unsigned long job_id, step_id;
	unsigned restart; /* SLURM_RESTART_COUNT: requeues of the job */
	int64_t end_time; /* when the job's time is over, in seconds since the
			     epoch; 0: never, or nobody has said */
	unsigned round;	  /* restarts in place: the launcher counts them */
	unsigned ntasks, nnodes;
	unsigned procid, localid, nodeid;
	unsigned place; /* of this node: nodeid, or in recovery what
			   job_world() says, which may be PLACE_NONE */
	unsigned local_ntasks;
	bool keepers;  /* slurmstepd has made what they need
			  (core/facts/keeping.h) */
	bool bound;    /* srun was asked to bind tasks to devices: one task may
			  see all of them and another one a part */
	bool by_slurm; /* the launchers know each other by AUTH_TYPE_SLURM */
	bool task_prolog; /* it may change the devices that a task sees */
	bool het; /* several components: what srun handed over reached only
		     one of them and isn't used */
	/* One component, and no srun's side of the plugin has handed over
	 * anything (srun --async): the launchers meet, as under dist-train
	 * exec. */
	bool unhooked;
	bool dealt; /* het, and the launchers have told each other what they
		       have: `procs` are the processes of each task of the step,
		       `nodes`, `tasks` and `taskmap` are by SLURM_NODEID */
	/* of a heterogeneous step: its component's first task, and how many; in
	 * srun as many as `ntasks`, as srun sees one component alone */
	unsigned first, component_tasks;
	bool imagined; /* there is no such step: what only a node knows is
			  shown as ENV_ON_NODE */

	unsigned cpus_per_task; /* SLURM_CPUS_PER_TASK; 0: not said */
	unsigned cpus_on_node;	/* the step's, of SLURM_CPUS_ON_NODE; 0 */
	unsigned cpus_bound;	/* CPUs of this task, where Slurm gives it
				   fewer than the node has; 0: all, or not
				   looked */
	unsigned cores;		/* of this task, found by those who can look;
				   0: unknown */

	char *node_name;  /* this node */
	char *resv_ports; /* SLURM_STEP_RESV_PORTS: "21000-21002,21007" */

	char *rank0_node; /* NodeName of rank 0's node, or NULL */
	char *rank0_addr; /* its IP address, or NULL */
	char *nodes;	  /* SLURM_STEP_NODELIST, or NULL */
	char *tasks;	  /* SLURM_STEP_TASKS_PER_NODE, or NULL */
	char *gtids;	  /* SLURM_GTIDS: this node's tasks, or NULL */
	char *taskmap; /* which task is where (core/facts/taskmap.h), or NULL */
	char *addrs;   /* an IP address for each of `nodes`, or NULL */
	char *order;   /* of the step's nodes in the world
			  (core/facts/places.c); NULL: Slurm's */
	char *gres; /* the step's devices by node (core/facts/device.h), or NULL
		     */
	char *procs;	  /* processes by task in device mode, or NULL */
	char *node_procs; /* the same by node, where they are dealt; else NULL
			   */
	char *firsts;	  /* the first task of each task's component; NULL: not
			     learned (core/facts/components.h) */
	char *world; /* its name among the worlds of a step with roles, or NULL
		      */
	unsigned begun;	     /* how often that world has begun anew */
	unsigned device_max; /* where `procs` has the world's nodes alone: the
				largest count of the step's; else 0 */
	char *nic;	     /* the interface that routes to rank 0, or NULL */
	char *interfaces;    /* this node's (core/base/interface.h), or NULL */
	char *nccl_conf;     /* the file in which NCCL finds its interfaces, or
				NULL: in none, as far as anybody has looked */
	char *own_addr;	     /* this node's address on it, or NULL */
	char *nic_addr; /* that of the key addr=nic on rank 0's node, or NULL */
	char *mpi_type; /* SLURM_MPI_TYPE: srun's --mpi, or NULL */
	char *rdma;	/* this node's RDMA ports, "mlx5_0:1,...", or NULL */
	char *const *command; /* the user's program and its arguments, ends with
				 NULL; borrowed from who knows it (srun and the
				 launcher), NULL: not known */
	struct profile profile; /* the administrator's, for this step */
	struct device_facts devices;
};

/* The texts of a job, which it owns: where they are, and what they are of. */
struct job_field {
	size_t at;
	const char *variable; /* that has it; NULL: launchers learn it */
	bool step;	      /* srun hands it over with the step */
	bool worlds;	      /* of some of the step's nodes another one */
};

#define JOB_NFIELDS 22
extern const struct job_field job_fields[JOB_NFIELDS];

static inline char **job_field(struct job *job, const struct job_field *text)
{
	return (char **)((char *)job + text->at);
}

/* Read the facts through `lookup`. Fails when a variable that Slurm always
 * sets is missing or isn't what it should be, and when srun's side handed
 * over another version. Free with job_clear(). */
int job_read(env_lookup_fn lookup, void *arg, bool het, struct job *ret,
	     struct err *err);

/* What job->gres, which was found later, says of this node's devices. */
int job_take_gres(struct job *job, env_lookup_fn lookup, void *arg,
		  struct err *err);

/* The version in the value of HANDOVER_ID, or -1 if it doesn't name this step.
 */
int job_handover_version(const char *id, unsigned long job_id,
			 unsigned long step_id);

/* "JOB.STEP.REQUEUE", which DIST_TRAIN_STEP holds. */
#define JOB_STEP_SIZE 64
const char *job_step(const struct job *job, char buf[JOB_STEP_SIZE]);

/* Whether the environment was left by another step of ours: `found` is its
 * DIST_TRAIN_STEP, or NULL. */
bool job_is_stale(const struct job *job, const char *found);

/* Whether each node has one task of the step, as device mode and launchers
 * need it. */
bool job_one_task_per_node(const struct job *job);

/* A step of one task on each node. */
struct job_of_nodes {
	struct job job; /* borrows */
	char tasks[32];
};

/* What the step is with one launcher for each node: its tasks are the nodes,
 * and this one is `node_rank`. The places are in the order of the world, the
 * first of them task 0's. Borrows from `job`; returns ret->job. */
const struct job *job_of_nodes(const struct job *job, unsigned node_rank,
			       struct job_of_nodes *ret);

void job_clear(struct job *job);
