/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts of other nodes that srun's side of the plugin finds out, where it isn't
 * there or, in a heterogeneous step, reaches one component alone: each task
 * tells its own, and gets those of all as the lists that srun
 * would have handed over (core/facts/job.h). Texts in, texts out; the launchers
 * carry them (helpers/meet).
 *
 * A task tells "NODEID COUNT ADDRESS FIRST NODE NPUS", "-" for what isn't asked
 * for or there: FIRST is the first task of its component, NPUS are Slurm's
 * indices of its node's. All get lines of a name and a list; with blocks of
 * tasks there is no taskmap, without NPUs no gres. The nodes of a heterogeneous
 * step are those by SLURM_NODEID, where Slurm's own list is sorted by name:
 *
 *	counts 8(x3),4
 *	addrs 10.0.0.1,10.0.0.2
 *	taskmap cyclic
 *	firsts 0(x3),3
 *	nodes node[2-4],node1
 *	tasks 1(x4)
 *	gres node2:0,1;node3:0;node4:0;node1:4,5
 */
#pragma once

#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/facts/job.h"

#define LEARN_COUNTS  (1U << 0) /* job->procs */
#define LEARN_ADDRS   (1U << 1) /* job->addrs */
#define LEARN_TASKMAP (1U << 2) /* job->taskmap */
/* job->firsts, nodes, tasks, taskmap and gres */
#define LEARN_COMPONENTS (1U << 3)

#define LEARNED_NPUS_SIZE 1024
#define LEARNED_OWN_SIZE  (128 + HOSTLIST_NAME_MAX + LEARNED_NPUS_SIZE)

/* The words of HANDOVER_LEARN, "counts,addrs", as a set of LEARN_...; "" is
 * none. Returns 0, or -1 for another word. */
int learned_words(const char *words, unsigned *ret, struct err *err);

/* The words of such a set, "counts,components". Returns buf. */
#define LEARNED_WORDS_SIZE 48
const char *learned_words_text(unsigned what, char buf[LEARNED_WORDS_SIZE]);

/* What this task tells. Returns 0, or -1 when it doesn't know what is asked
 * for. */
int learned_own(const struct job *job, unsigned what,
		char ret[LEARNED_OWN_SIZE], struct err *err);

/* What all tell, by task. NULL when out of memory. */
struct learned *learned_new(const struct job *job, unsigned what);
void learned_free(struct learned *learned);

/* A task tells `text`; what it has told before stays. Returns how many tasks
 * have told nothing yet, or -1 when the text makes no sense. */
int learned_add(struct learned *learned, unsigned task, const char *text);

/* What all get to know, for the caller to free, when all have told; NULL when
 * out of memory, or a node is missing. */
char *learned_text(const struct learned *learned, struct err *err);

/* Put that into the job in place of its own. Returns 0, or -1 with the job as
 * it was when the text doesn't hold what was asked for, or out of memory. */
int learned_apply(const char *text, unsigned what, struct job *job,
		  struct err *err);
