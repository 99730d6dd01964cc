/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train exec FRAMEWORK[,KEY=VALUE]... [--] PROGRAM [ARG]...
 *
 * What `srun --dist-train=...` does, on a cluster that doesn't have the plugin:
 * each task of a plain srun runs it, as the user, and it becomes the user's
 * program or the launcher. It waits for no other task; what only srun could
 * know, the launchers ask each other.
 *
 * exec_cmd.c	the command: is this a task of srun, is it the first one of us,
 *		what can't be had without srun's side; the plan, and what this
 *		process becomes
 * exec_facts.c	what srun's side of the plugin would have handed over, and the
 *		user's profiles; some of it Slurm is asked for
 *
 * The plan, the checks and the hand-over to the launcher are task/, which the
 * plugin calls, too.
 * It returns only when it fails (its error has been shown where it is to be) or
 * when help is asked for.
 */
#pragma once

#include "core/base/err.h"
#include "core/base/idlist.h"
#include "core/facts/job.h"
#include "core/option/option.h"
#include "core/plan/resolve.h"
#include "task/task.h"

/* Set a variable of this process, as task/task.h takes it; `unused` is. */
int exec_env_set(void *unused, const char *name, const char *value,
		 struct err *err);

/* Read the step's facts from this task's environment, and put there what srun
 * and slurmstepd would have handed over: the step's devices, rank 0's node,
 * which task is where, the profiles' text. A count of devices stands for all
 * nodes until the launchers have learned the others': *ret_learn is a set of
 * LEARN_... (core/facts/learned.h), or 0. What another step has
 * left is removed first. Fails when this is no task, and when the step's layout
 * can't be known. Free *ret with job_clear(). */
int exec_facts(const struct request *request, struct job *ret,
	       unsigned *ret_learn, struct err *err);

/* Remove all that was put. */
void exec_facts_remove(void);

/* Read that text, which is changed: node[] by task. Returns 0, or -1 when it
 * isn't the step's. */
int exec_layout_read(char *text, const struct job *job, unsigned *node);

/* The job's NPUs of `node` in what `scontrol -d show job` prints, and by which
 * name Slurm knows them. Returns 0, with an empty list when there are none, or
 * -1 when the text isn't understood. */
int exec_npus_of_node(const char *text, const char *node, struct idlist *ret,
		      const char **ret_name);

/* How many devices of that name the step has on each node, of the job's
 * `available`: what `scontrol show step` prints. */
unsigned long exec_npus_of_step(const char *text, const char *name,
				unsigned available);
