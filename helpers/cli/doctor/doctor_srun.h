/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The srun that starts `dist-train doctor --node-report` on each node.
 */
#ifndef DT_HELPERS_CLI_DOCTOR_DOCTOR_SRUN_H
#define DT_HELPERS_CLI_DOCTOR_DOCTOR_SRUN_H

#include "helpers/cli/doctor/doctor.h"

#include <sys/types.h>

struct doctor_srun {
	pid_t pid;
	int in, out; /* pipes to and from all nodes */
};

/* Start it for the nodes of the host list. What Slurm knows of the first one
 * and of its plugins is asked of scontrol before. */
int doctor_srun_start(const struct doctor_options *options, const char *nodes,
		      const struct doctor *doctor, struct doctor_srun *ret,
		      struct err *err);

/* Close the pipes, wait a little, and end it. */
void doctor_srun_end(struct doctor_srun *srun);

#endif
