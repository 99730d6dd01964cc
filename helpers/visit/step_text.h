/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name of a step as people write it, and what `scontrol -o show` prints of
 * its job, its steps and their nodes. Pure. A job's name and comment are its
 * user's and stand there without quotes: nothing behind them is believed that
 * they could have forged.
 */
#ifndef DT_HELPERS_VISIT_STEP_TEXT_H
#define DT_HELPERS_VISIT_STEP_TEXT_H

#include "core/base/err.h"
#include "core/base/hostlist.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define STEP_NAME_SIZE 64

/* "JOB" or "JOB.STEP"; JOB is a number, an element of an array (12_3), or a
 * component of a heterogeneous job (12+1). */
struct step_name {
	char job[STEP_NAME_SIZE];
	long step; /* -1: none is named */
};

/* Returns 0, or -1: it is no such name, or one of Slurm's own steps. */
int step_name_read(const char *text, struct step_name *ret, struct err *err);

/* Of a job. */
struct job_text {
	unsigned long id;
	unsigned long leader; /* of a heterogeneous job the first component's;
				 the id else */
	unsigned restart;     /* requeues */
	uid_t uid;
	gid_t gid;
	char state[32];
	/* how its steps are called: each of these, or "" */
	char plain[STEP_NAME_SIZE], shown[STEP_NAME_SIZE];
};

/* What `scontrol -o show job JOB` has printed. 0, or -1; 1: it is a
 * heterogeneous job, and its components (JOB+0) are to be asked for. */
int job_text_read(const char *text, const char *job, struct job_text *ret,
		  struct err *err);

/* A step that runs. */
struct step_text {
	long step; /* -1: none */
	uid_t uid;
	const char *nodes; /* in the text, with its length */
	size_t nodes_len;
	/* "HOST:PID"; "" not known. The step's name stands before it, and may
	 * hold another: it is where to look, and proves nothing. */
	char srun[HOSTLIST_NAME_MAX];
	unsigned nrunning; /* of the job, Slurm's own don't count */
};

/* What `scontrol -o show step JOB` has printed: the step `wanted`; -1: the
 * newest. */
void step_text_read(const char *text, const struct job_text *job, long wanted,
		    struct step_text *ret);

/* The next line's value of `key` (at a word's begin), copied and cut. Returns
 * whether it is there. */
bool text_value(const char *line, const char *key, char *ret, size_t size);

/* The begin of the next line, or of the end. */
const char *text_next_line(const char *line);

#endif
