/* SPDX-License-Identifier: Apache-2.0 */
/* What Slurm and the step's launchers say now. */
#ifndef DT_HELPERS_CLI_WHY_WHY_NOW_H
#define DT_HELPERS_CLI_WHY_WHY_NOW_H

#include "helpers/visit/step_find.h"

#include <stdbool.h>

struct why_now {
	bool known;   /* Slurm knows the job */
	bool running; /* the step */
	struct found_step step;
	bool answers;		   /* its launchers do */
	char silence[600];	   /* why they don't */
	unsigned nranks, nnodes;   /* that have answered, with live processes */
	double oldest_s, newest_s; /* how long these run */
	char state[64]; /* of the job, as sacct has it; "": unknown */
};

/* Ask Slurm for "JOB" or "JOB.STEP". *err says why it doesn't know it. Free
 * with why_now_clear(). */
void why_now_find(const char *name, struct why_now *ret, struct err *err);
void why_now_clear(struct why_now *now);

/* Ask the step's launchers; as the job's user. */
void why_now_visit(struct why_now *now);

/* Ask Slurm's accounting what became of the step. Without an answer the state
 * is "". */
void why_now_account(const char *step, struct why_now *now);

#endif
