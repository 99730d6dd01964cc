/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step that isn't there: its tasks as Slurm would lay them out, and the
 * facts that each of them would find.
 */
#ifndef DT_HELPERS_CLI_EXPLAIN_DRYRUN_STEP_H
#define DT_HELPERS_CLI_EXPLAIN_DRYRUN_STEP_H

#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/plan/plan.h"

#include <stdbool.h>

/* What no machine is asked for: the address of rank 0's node (RFC 5737, for
 * documentation) and the interface that routes to it. */
#define DRYRUN_ADDR "192.0.2.1"
#define DRYRUN_NIC  "eth0"

/* What the user gives; texts as on the command line, NULL for the default. */
struct dryrun_spec {
	const char *nodes;   /* host list or a number; one node */
	const char *tasks;   /* per node: N or N,N,...; 1 */
	const char *devices; /* per node: N or N,N,...; 0 */
	bool cyclic;	     /* tasks are dealt out over the nodes in turn */
	unsigned long job_id, step_id;
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
	unsigned tasks_max;
};

/* Lay a step out. Fails when the texts don't describe one. Free with
 * dryrun_clear(). */
int dryrun_make(const struct dryrun_spec *spec, struct dryrun *ret,
		struct err *err);

void dryrun_clear(struct dryrun *example);

/* The facts of one task. Free with job_clear(). */
int dryrun_job(const struct dryrun *example, unsigned procid, struct job *ret,
	       struct err *err);

/* One task of the step at a time, with its plan. */
struct dryrun_view {
	const struct dryrun *example;
	const struct request *request;
	const struct config *config;
	bool loaded;
	struct job job;
	struct plan plan;
};

/* Move to the task of that procid. Fails when its plan does. */
int dryrun_view_task(struct dryrun_view *view, unsigned procid,
		     struct err *err);

/* Move to the task that has `rank`, which must be below world_size. */
int dryrun_view_rank(struct dryrun_view *view, unsigned rank, struct err *err);

void dryrun_view_clear(struct dryrun_view *view);

#endif
