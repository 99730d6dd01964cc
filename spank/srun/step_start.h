/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start the step's controller beside srun (helpers/step/dist-train-step.c): in
 * srun, before the tasks are. It is a process of its own, in a group of its
 * own, and has nothing of srun's but two ports that are bound here, and a line.
 */
#ifndef DT_SPANK_SRUN_STEP_START_H
#define DT_SPANK_SRUN_STEP_START_H

#include "core/base/err.h"
#include "core/facts/handover.h"

/* Ports in the order in which they are tried; 0: no more. */
struct step_ports {
	unsigned (*port)(const void *arg, unsigned try);
	const void *arg;
};

struct step_start {
	const char *name;		      /* "JOB.STEP.REQUEUE" */
	const struct handover_secret *secret; /* of its launchers */
	const char *credential;		      /* in which that is */
	struct step_ports ports; /* for launchers, without SrunPortRange */
};

struct step_started {
	int line_fd; /* srun's end; the other end closes with the program */
	unsigned port, facts_port;
};

/* Doesn't wait for it. Returns 0, or -1 with what failed and what would help.
 */
int step_start(const struct step_start *step, struct step_started *ret,
	       struct err *err);

#endif
