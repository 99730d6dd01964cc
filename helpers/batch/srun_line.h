/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command line of srun, or the options of an sbatch script, read as srun and
 * sbatch would: what it says of the step's layout, and the option that this
 * software adds. All other options are skipped with their arguments.
 */
#pragma once

#include "core/base/err.h"

#include <stdbool.h>
#include <stdio.h>

/* The options that decide where tasks and devices are. */
enum ask_id {
	ASK_NODES,
	ASK_NODELIST,
	ASK_NTASKS,
	ASK_TASKS_PER_NODE,
	ASK_GPUS,
	ASK_GPUS_PER_NODE,
	ASK_GPUS_PER_TASK,
	ASK_TASKS_PER_GPU,
	ASK_GRES,
	ASK_DISTRIBUTION,
	ASK_COUNT,
};

/* srun's name of each: "nodes", ... */
extern const char *const ask_names[ASK_COUNT];

/* Texts as on the command line, NULL where not given; borrowed. */
struct step_ask {
	const char *value[ASK_COUNT];
};

#define PARTS_MAX 32

/* A component of a heterogeneous job or step. */
struct part {
	unsigned group; /* of the job */
	struct step_ask ask;
	const char *request; /* its own; else the last one of the line, or that
				of the job */
};

struct srun_line {
	struct step_ask ask;
	const char *request;  /* of the option --dist-train; NULL: none */
	char *const *command; /* PROGRAM [ARG]..., ends with NULL; of several
				 components the last one's */
	unsigned nparts;      /* components, in the order of the step; 0: it is
				 no heterogeneous step */
	struct part part[PARTS_MAX];
};

/* Read the words after `srun`. `option` is the name of this software's option.
 * What `ret` has already stays where the line says nothing; `job` are the
 * components of the job, whose options hold then, `njob` 0 where it has none,
 * or isn't known. A line is added to `notes` for each option that isn't known,
 * and for what isn't understood; it begins with `where`.
 * Fails when an option lacks its argument, or memory; and where the step has a
 * component that the job hasn't. */
int srun_line_read(int argc, char *argv[], const char *option,
		   const char *where, FILE *notes, const struct part *job,
		   unsigned njob, struct srun_line *ret, struct err *err);

/* What `over` says wins over `ask`. */
void overlay_ask(const struct step_ask *over, struct step_ask *ask);

/* The same of the options after #SBATCH. */
int sbatch_options_read(int argc, char *argv[], const char *option, FILE *notes,
			struct srun_line *ret, struct err *err);

/*
 * From srun's options to nodes, tasks and devices. Arithmetic alone: what
 * depends on the cluster is assumed, and said in a note.
 */

struct step_layout {
	char *nodes;	       /* their number, or names as a host list */
	char *tasks, *devices; /* by node, run-length: "2(x3),1" */
	bool cyclic;	       /* tasks are dealt out over the nodes in turn */
	unsigned plane;	       /* so many at once; 0: not said */
	unsigned task_devices; /* bound to each task; 0: it sees the node's */
	bool npu;
};

/* Lay the step out. A line in `notes` for each assumption. Fails when a value
 * isn't understood, or when srun would refuse the sum of them. Free with
 * step_layout_clear() in both cases. */
int step_layout_make(const struct step_ask *ask, FILE *notes,
		     struct step_layout *ret, struct err *err);
void step_layout_clear(struct step_layout *layout);
