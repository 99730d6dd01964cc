/* SPDX-License-Identifier: Apache-2.0 */
/* Which step a command means, and where it runs: what Slurm says. */
#ifndef DT_HELPERS_VISIT_STEP_FIND_H
#define DT_HELPERS_VISIT_STEP_FIND_H

#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "helpers/visit/site_ports.h"
#include "helpers/visit/step_text.h"

#include <stdbool.h>
#include <sys/types.h>

/* So many of its nodes are tried: the launcher that leads a step is on one of
 * the first that are there. */
#define FOUND_NODES_MAX 256

struct found_node {
	char name[HOSTLIST_NAME_MAX];
	char addr[HOSTLIST_NAME_MAX]; /* NodeAddr: an address or a name */
};

struct found_step {
	/* As its processes have them in SLURM_JOB_ID and SLURM_STEP_ID: of a
	 * heterogeneous job the first component's. */
	unsigned long job_id, step_id;
	char name[STEP_NAME_SIZE + 16]; /* "12_3.0" */
	unsigned restart;		/* requeues of the job */
	uid_t uid;			/* whose job it is */
	gid_t gid;
	char job_state[32]; /* as Slurm writes it */
	bool running;	    /* else nothing of what follows is known */
	unsigned nnodes;
	struct found_node *node; /* the first `nfound`, in Slurm's order */
	unsigned nfound;
	struct site_ports ports; /* of this cluster */
};

/* Ask Slurm for "JOB" or "JOB.STEP"; JOB may be an element of an array
 * ("12_3") or a component ("12+1"). NULL: the job in whose environment we are,
 * or else the only running one of the user. Without a step it is the newest one
 * that runs and isn't Slurm's own (batch, extern, interactive), and which of
 * several is said on standard error; of a job that has none, step_id is
 * (unsigned long)-1. Blocks, 20 s a question at most. Returns 0, or -1: no such
 * job or step, or Slurm doesn't answer. */
int step_find(const char *text, struct found_step *ret, struct err *err);
void found_step_clear(struct found_step *step);

/* That it doesn't run, for a command that needs it to. Returns -1. */
int found_step_is_over(const struct found_step *step, struct err *err);

/* Become the job's user, where root asks for him: what follows reads files and
 * secrets of his. Returns 0, or -1 when this is another user. */
int found_step_become_user(const struct found_step *step, struct err *err);

#endif
