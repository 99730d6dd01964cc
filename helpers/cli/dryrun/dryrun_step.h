/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step that isn't there: its tasks as Slurm would lay them out, and the
 * facts that each of them would find.
 */
#pragma once

#include "core/ascend/chip.h"
#include "core/base/err.h"
#include "core/facts/components.h"
#include "core/facts/places.h"
#include "core/groups/groups_report.h"
#include "core/plan/plan.h"
#include "core/topology/topology.h"

#include <stdbool.h>
#include <stdio.h>

/* What no machine is asked for: the address of rank 0's node (RFC 5737, for
 * documentation) and the interface that routes to it. */
#define DRYRUN_ADDR "192.0.2.1"
#define DRYRUN_NIC  "eth0"

/* What the user gives; texts as on the command line, NULL for the default. */
struct dryrun_spec {
	const char *nodes;     /* host list or a number; one node */
	const char *tasks;     /* per node: N or N,N,...; 1 */
	const char *devices;   /* per node: N or N,N,...; 0 */
	bool cyclic;	       /* tasks are dealt out over the nodes in turn */
	unsigned plane;	       /* so many tasks at once then; 0: one, or all */
	unsigned task_devices; /* so many are bound to each task; 0: all tasks
				  of a node see the node's */
	bool npu; /* they are NPUs, which Slurm has no plugin for */
	unsigned long job_id, step_id;
	/* A heterogeneous step: `nodes`, `tasks` and `devices` are those of its
	 * components, one after the other. 0: it isn't */
	unsigned nparts;
	const struct dryrun_part *part;
};

/* A component of it. */
struct dryrun_part {
	unsigned nnodes;
	bool cyclic; /* as above */
	unsigned plane;
	struct component_wish wish;
};

struct dryrun_task {
	unsigned node, local;
};

struct dryrun {
	char *nodes; /* host list */
	unsigned nnodes, ntasks;
	unsigned long job_id, step_id;
	unsigned *tasks, *devices; /* by node */
	struct dryrun_task *task;  /* by SLURM_PROCID */
	char *procs;		   /* devices by task, run-length; or NULL */
	char *tasks_text;	   /* tasks by node, run-length */
	char *taskmap;		   /* core/facts/taskmap.h; or NULL */
	char *commas;		   /* as many as the largest node's tasks */
	struct topology topology;  /* where one is given (dryrun_order.c) */
	char *order;		   /* as in struct job, or NULL; then also */
	struct places places;	   /* of all nodes */
	unsigned *in_world; /* procids in the order of ranks, spares' last */
	unsigned tasks_max;
	unsigned task_devices; /* those of the spec */
	bool npu;
	char *firsts; /* of a heterogeneous step, as in struct job; or NULL */
	unsigned nparts;
	struct component_wish wish[COMPONENTS_MAX];
};

/* Lay a step out. Fails when the texts don't describe one. Free with
 * dryrun_clear(). */
int dryrun_make(const struct dryrun_spec *spec, struct dryrun *ret,
		struct err *err);

void dryrun_clear(struct dryrun *example);

/* What a person should know of a heterogeneous step although it works, or "".
 * Fails as dryrun_job(). */
int dryrun_components_remark(const struct dryrun *example,
			     char ret[COMPONENTS_REMARK_SIZE], struct err *err);

/* The facts of one task; of a heterogeneous step what all have told each other,
 * which fails where a component can't have what it asks for. Free with
 * job_clear(). */
int dryrun_job(const struct dryrun *example, unsigned procid, struct job *ret,
	       struct err *err);

/* One task of the step at a time, with its plan. */
struct dryrun_view {
	const struct dryrun *example;
	const struct request *request; /* of the component that it is at */
	const struct request *part; /* of each component; NULL: they are one */
	const struct config *config;
	char *const *command; /* the program, or NULL (struct job) */
	const char *words;    /* the option as the user wrote it, or NULL */
	bool loaded;
	unsigned procid; /* of the example's task */
	struct job job; /* of which the plan is made: in recovery the world's */
	struct plan plan;
};

/* The names of the nodes that are spares at the start, as many as the plan has;
 * hostnames_free(). NULL: none, or out of memory. */
char **dryrun_view_spares(const struct dryrun_view *view);

/* The procid of task `i` in the order of ranks, and the node at a place: both
 * Slurm's where the step has no order of its own. */
unsigned dryrun_task_at(const struct dryrun *example, unsigned i);
unsigned dryrun_node_at(const struct dryrun *example, unsigned place);

/* Move to task `i` in the order of ranks. Fails when its plan does. */
int dryrun_view_task(struct dryrun_view *view, unsigned i, struct err *err);

/* Move to the task that has `rank`, which must be below world_size. */
int dryrun_view_rank(struct dryrun_view *view, unsigned rank, struct err *err);

void dryrun_view_clear(struct dryrun_view *view);

/* The parallel groups of a step that isn't there (key groups). */

/* Refuse what srun would refuse of them; groups-strict where a topology is
 * given. The view has a task. */
int dryrun_groups_check(const struct dryrun_view *view, struct err *err);

/* Count them in the view's step; nothing is in *ret without the key, and no
 * level is known without a topology. Fails when the sizes don't fit, and when
 * out of memory. groups_report_clear(). */
int dryrun_groups_count(const struct dryrun_view *view,
			struct groups_report *ret, struct err *err);

/* The same, and which ranks are in a group that crosses. */
struct dryrun_groups {
	struct groups_report report;
	unsigned char *mark; /* groups_mark(); NULL: none is */
};

int dryrun_groups_mark(const struct dryrun_view *view,
		       struct dryrun_groups *ret, struct err *err);
void dryrun_groups_clear(struct dryrun_groups *groups);

/* The kinds of which the group of `rank` crosses, bit by bit; 0 for a rank that
 * there isn't, or is on another node than `node`. */
unsigned dryrun_groups_of(const struct dryrun_groups *groups, unsigned rank,
			  unsigned node);

/* What a step with NPUs would be refused for while it starts. */

/* Hold the rules that a layout alone can break against the view's step: one
 * NPU for each process, and those of the rank table for this chip, or with
 * CHIP_UNKNOWN for every chip. Nothing is refused of other frameworks' steps.
 * Ends at task 0. */
int dryrun_npus_check(struct dryrun_view *view, enum chip chip,
		      struct err *err);

/* Where the nodes of a step that isn't there are in the network, as files say
 * it, and the order that follows from it. */

/* Read the topology from `path` (core/topology/topology_read.c), "-" for
 * standard input, NULL for none, and super pods from the inventory of `config`.
 * With order=topology the step gets its order. `notes` gets a line where the
 * order shown isn't srun's, as when the inventory can't be read. Fails when
 * `path` can't be read or nobody knows one of the step's nodes, and on a wrong
 * line of the inventory. */
int dryrun_order_read(const char *path, const struct request *request,
		      const struct config *config, FILE *notes,
		      struct dryrun *e, struct err *err);

/* Tell the step's nodes in the order of the world, those of one place in the
 * network together: "top, s1" and "node[1,3]". Nothing without a topology.
 * Returns 0, or -1: `each` has, or out of memory. */
int dryrun_order_each(const struct dryrun *e,
		      int (*each)(void *arg, const char *where,
				  const char *nodes),
		      void *arg);

/* The innermost block or switch of a node, or NULL. */
const char *dryrun_order_unit(const struct dryrun *e, unsigned node);
