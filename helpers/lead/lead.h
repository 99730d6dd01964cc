/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: how the step's controller leads the step, in dist-train-step alone
 * (helpers/step/dist-train-step.c).
 *
 *	lead		the server with its arbiter (helpers/server), and all
 *			that belongs to it: who doesn't come, the progress
 *			and what srun is told, and tells, over its line
 *	srun_watch	that line
 *
 * It prints nothing; what it has to say goes through the callbacks of its
 * options.
 */
#pragma once

#include "core/base/err.h"
#include "core/plan/plan.h"
#include "helpers/conn/step_secret.h"
#include "helpers/server/server.h"
#include "sys/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lead;
struct server;

/* All are borrowed until lead_close(). */
struct lead_options {
	struct loop *loop;
	const struct plan *plan; /* of the step's world */
	const struct job *job;	 /* of Slurm's step, with all its members */
	int listen_fd;		 /* of the server's port, which is taken over */
	int srun_fd;		 /* the line to srun; 0: none */
	const struct handed_secret *secret;
	bool needs_go; /* the step can't start before everybody is ready */
	/* The step outlives a lost node (doc/design/helpers-server.md), by the
	 * spares and the ladder of plan->resolved. */
	bool recovery;
	/* What member 0 is told. MSG_LEAVE is the last. */
	void (*message)(void *arg, char type, const char *data, size_t n);
	/* All have left, and nothing more comes. */
	void (*over)(void *arg);
	/* Who takes what members tell; NULL: nobody. */
	const struct subscription *told;
	/* For who asks what the step does; NULL: nobody is told. */
	const struct visits *visits;
	/* The first failure of a round is decided; NULL: it isn't told. `node`
	 * is the member's, `why` a line for the user, or "": the member reports
	 * it. Not one of the step itself: a signal to all, a hang. */
	void (*failed)(void *arg, const char *node, int code, const char *why);
	/* arbiter_options.unsure; or NULL */
	bool (*unsure)(const void *arg);
	/* srun says that the job ends at another time than it was handed over:
	 * seconds since the epoch, 0: never. NULL: it isn't told. */
	void (*end_time)(void *arg, int64_t seconds);
	/* Lines for the user, each with its newline. */
	void (*say)(void *arg, const char *lines);
	void *arg;
};

/* NULL on failure. */
struct lead *lead_open(const struct lead_options *options, struct err *err);

struct server *lead_server(const struct lead *lead);

/* The whole step was told to end: launchers that haven't connected yet, and may
 * never have been started, aren't waited for once the others are gone. */
void lead_told_to_end(struct lead *lead);

/* What is under way before processes start, for who watches; "": nothing. */
void lead_does(struct lead *lead, const char *text);

void lead_close(struct lead *lead);

/*
 * What the controller tells srun, and hears from it (core/facts/handover.h),
 * over a line of its own (srun_watch.h); no-ops where there is none.
 */

/* Slurm has sent SIGTERM to some launcher of the step; and how the step ends,
 * OUTCOME_SIGNALLED and so on (core/facts/handover.h), in addition to what was
 * said before and to what the step's exit code says in the end. srun is told at
 * once, and again with its last word. */
void lead_told_by_slurm(struct lead *lead);
void lead_outcome(struct lead *lead, unsigned bits);
