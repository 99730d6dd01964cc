/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a job is requeued when its step has ended, and why: the key requeue,
 * and on-node-loss=requeue (doc/design/0100-the-end-of-a-job.md). Pure
 * arithmetic on what srun has found out.
 */
#ifndef DT_SPANK_ENDING_REQUEUE_DECISION_H
#define DT_SPANK_ENDING_REQUEUE_DECISION_H

#include "core/option/requeue.h"
#include "spank/slurm/job_life.h"
#include "spank/srun/srun_heard.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many lives in a row without progress end the chain. */
#define REQUEUE_IDLE_LIVES 3

struct requeue_case {
	const char *job; /* its name for the user */
	unsigned causes; /* asked for: REQUEUE_TIME_LIMIT and so on */
	unsigned most;	 /* requeues=N */
	long lead_s; /* so long before the job's end the ranks are told of it */
	const char *progress_file; /* NULL: none */

	struct srun_heard heard;
	bool node_lost;	 /* and nothing took its place */
	bool still_runs; /* the step, and the job's end has come */
	struct job_life life;
	int64_t now;
	unsigned idle_lives;  /* without progress, this one too */
	const char *progress; /* what the file has, for the user: "it is 10" */
};

/* Whether the step has ended well, with nobody told that the end is near: then
 * nothing has to be asked. */
bool requeue_is_needless(const struct srun_heard *heard, bool node_lost);

/* Whether to requeue the job, and the line for the user that says why or why
 * not; "": nothing is to be said. */
bool requeue_decide(const struct requeue_case *c, char *line, size_t size);

#endif
