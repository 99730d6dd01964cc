/* SPDX-License-Identifier: Apache-2.0 */
/* Which step a command means, and where it runs: what Slurm says. */
#ifndef DT_HELPERS_VISIT_STEP_FIND_H
#define DT_HELPERS_VISIT_STEP_FIND_H

#include "core/base/err.h"
#include "core/base/hostlist.h"

#include <stdbool.h>
#include <sys/types.h>

struct found_step {
	unsigned long job_id, step_id;
	unsigned restart; /* requeues of the job */
	uid_t uid;	  /* whose job it is */
	gid_t gid;
	bool running; /* else nothing of what follows is known */
	unsigned nnodes;
	char (*ip)[HOSTLIST_NAME_MAX]; /* of each node, in Slurm's order; as
					  NodeAddr has it */
};

/* Ask Slurm for "JOB" or "JOB.STEP"; JOB may be an element of an array
 * ("12_3"). Without a step it is the newest one that runs and isn't Slurm's own
 * (batch, extern, interactive); of a job that has none, step_id is (unsigned
 * long)-1. Blocks, 20 s a question at most. Returns 0, or -1: no such job or
 * step, or Slurm doesn't answer. */
int step_find(const char *text, struct found_step *ret, struct err *err);
void found_step_clear(struct found_step *step);

/* Become the job's user, where root asks for him: what follows reads files and
 * secrets of his. Returns 0, or -1 when this is another user. */
int found_step_become_user(const struct found_step *step, struct err *err);

#endif
