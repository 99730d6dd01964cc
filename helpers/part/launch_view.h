/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the launcher shows to the rooms that have parts of it or are used by its
 * phases: the step, as this node's launcher knows it. They read it, call the
 * functions of what is shown (procs.h, session.h) and those of launch_tell.h
 * and note.h with `launch`; struct launch is the launcher's own.
 */
#pragma once

#include "core/facts/job.h"
#include "core/option/config.h"
#include "core/plan/plan.h"
#include "helpers/channel/session.h"
#include "helpers/files/files.h"
#include "helpers/npu/devinfo.h"
#include "helpers/procs/procs.h"
#include "sys/loop.h"

struct launch;
struct own_lines;
struct part;
struct phase;
struct timeline;

/* Its parts (helpers/part/part.h). */
struct parts {
	const struct part *const *table;
	unsigned n; /* that are open */
};

/* Where the launcher is (helpers/part/phase.h). */
struct phase_walk {
	const struct phase *const *table;
	const struct phase *const *at; /* NULL: not begun; of NULL: at the end
					*/
	bool meeting;	/* `at` is done here: MSG_GO is awaited */
	unsigned nleft; /* rounds that have ended */
};

/* What a part or a phase keeps (its `size`). */
struct own {
	const void *of;
	void *data;
};

#define OWN_MAX 48 /* parts and phases that keep something */

struct launch_view {
	struct launch *launch;
	const struct config *config;
	const struct request *request;
	const struct plan *plan; /* of this round */
	/* The same: its world, this rank's place. Each round has its own, which
	 * helpers/round puts there. */
	struct job *job;
	const struct job *step;	   /* of Slurm's step, the same in each round */
	const struct job *members; /* of the channel: a task is a launcher */
	const struct npu_task *npus;
	const struct run_dir *run_dir;
	const char *rank_table; /* "": none */
	const char *program;	/* that the processes run */
	const struct timeline *timeline;
	struct own_lines *own_lines; /* without output */
	struct loop *loop;
	struct procs *procs;

	/* Each is set by who owns it, when that is there; else NULL. */
	struct session *session;
	struct output *output; /* NULL: the workers have ours */
	struct metrics *metrics;
	struct rounds *rounds;
	struct sight *sights; /* that have begun; or NULL */
	struct node_tasks *node_tasks;

	struct parts parts;
	struct phase_walk walk;
	struct own own[OWN_MAX];

	int keepers_fd; /* of the node's other tasks, or -1 */
	int exit_code;	/* as the arbiter says */
};

/* struct launch begins with it. */
static inline struct launch_view *launch_view(const struct launch *l)
{
	return (struct launch_view *)l;
}

/* What that part or phase keeps; NULL: it isn't there. */
void *own_of(const struct launch *l, const void *part_or_phase);

/* Where torch may leave an exception of that rank of this node; "" where it may
 * not. */
void launch_error_file(const struct launch *l, unsigned rank, char *buf,
		       size_t size);

/* For part.c and phase.c: make it, all zeros, and free all. The first one
 * returns 0 or -1. */
int own_make(struct launch *l, const void *part_or_phase, size_t size,
	     struct err *err);
void own_free(struct launch *l);
