/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start the step's controller beside srun (helpers/step/dist-train-step.c): in
 * srun, before the tasks are. It is a process of its own, in a group of its
 * own, and has nothing of srun's but two ports that are bound here, and a line.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/handover.h"

/* Ports in the order in which they are tried; 0: no more. */
struct step_ports {
	unsigned (*port)(const void *arg, unsigned try);
	const void *arg;
};

/* Its two ports, bound before it is there. */
struct step_doors {
	int fd[2];
	unsigned port, facts_port;
};

/* At ports of SrunPortRange; where there is none, of `ports`. Returns 0, or -1
 * with what failed and what would help. */
int step_doors_open(const struct step_ports *ports, struct step_doors *ret,
		    struct err *err);

struct step_start {
	const char *name;		      /* "JOB.STEP.REQUEUE" */
	const struct handover_secret *secret; /* of its launchers */
	const char *credential;		      /* in which that is */
	const struct step_doors *doors;	      /* are closed here, at any rate */
};

/* Doesn't wait for it. *ret_line_fd is srun's end of the line; the other end
 * closes with the program. Returns 0, or -1 as above. */
int step_start(const struct step_start *step, int *ret_line_fd,
	       struct err *err);
