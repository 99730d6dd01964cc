/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the launcher shows to the rooms that have parts of it or are used by its
 * phases: the step, as this node's launcher knows it. They read it, call the
 * functions of what is shown (procs.h, session.h) and those of step.h and
 * note.h with `launch`; struct launch is the launcher's own.
 */
#ifndef DT_HELPERS_LAUNCH_LAUNCH_VIEW_H
#define DT_HELPERS_LAUNCH_LAUNCH_VIEW_H

#include "core/facts/job.h"
#include "core/option/config.h"
#include "core/plan/plan.h"
#include "helpers/channel/session.h"
#include "helpers/files/files.h"
#include "helpers/npu/npu_task.h"
#include "helpers/procs/procs.h"
#include "sys/loop.h"

struct launch;
struct timeline;

struct launch_view {
	struct launch *launch;
	const struct config *config;
	const struct request *request;
	const struct plan *plan;   /* of this round */
	const struct job *job;	   /* the same: its world, this rank's place */
	const struct job *step;	   /* of Slurm's step, the same in each round */
	const struct job *members; /* of the channel: a task is a launcher */
	const struct npu_task *npus;
	const struct run_dir *run_dir;
	const char *rank_table; /* "": none */
	const struct timeline *timeline;
	struct loop *loop;
	struct procs *procs;

	/* Each is set by who owns it, when that is there; else NULL. */
	struct session *session;
	struct output *output; /* NULL: the workers have ours */
	struct metrics *metrics;
	struct common_fault *fault;
	struct node_fault *node_fault;
	struct rounds *rounds;
	struct ending *ending;
	struct look *look;
	struct watch *watch;
	struct check *check;
	struct node_tasks *node_tasks;

	int keepers_fd; /* of the node's other tasks, or -1 */
	int exit_code;	/* as the arbiter says */
};

struct launch_view *launch_view(const struct launch *l);

/* Fill l->view with what is there from the begin. */
void launch_show(struct launch *l);

/* The facts of the world from now on are these; those before are the caller's.
 * The plan is made of them later. */
struct job launch_take_job(struct launch *l, const struct job *job);

#endif
