/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The srun that starts `dist-train doctor --node-report` on each node.
 */
#ifndef DT_HELPERS_CLI_DOCTOR_DOCTOR_SRUN_H
#define DT_HELPERS_CLI_DOCTOR_DOCTOR_SRUN_H

#include "helpers/cli/doctor/doctor.h"
#include "sys/subprocess.h"

/* Start it for the nodes of the host list, with pipes to and from all of them;
 * that to them is non-blocking. What Slurm knows of the first one and of its
 * plugins is asked of scontrol before. */
int doctor_srun_start(const struct doctor_options *options, const char *nodes,
		      const struct doctor *doctor, struct subprocess *ret,
		      struct err *err);

/* Close the pipes, wait a little, and end it. */
void doctor_srun_end(struct subprocess *srun);

#endif
