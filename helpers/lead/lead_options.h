/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_LEAD_LEAD_OPTIONS_H
#define DT_HELPERS_LEAD_LEAD_OPTIONS_H

#include "core/plan/plan.h"
#include "helpers/conn/step_secret.h"
#include "helpers/server/subscription.h"
#include "helpers/server/visits.h"
#include "sys/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
