/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The srun that starts `dist-train doctor --node-report` on each node, and the
 * one of `--all-reduce`.
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

/* A line of srun's that tells which tasks have ended by themselves, "srun:
 * error: node[2-3]: tasks 1-2: Exited with exit code 2", or couldn't be
 * started: each of these nodes that isn't ready has the fact "gone", or
 * "refused", then. Returns how many. */
unsigned doctor_srun_gone(struct doctor *doctor, const char *line);

/* Close the pipes, wait a little, and end it. */
void doctor_srun_end(struct subprocess *srun);

/* Run dist-train-all-reduce as a step of the job with one process per device:
 * by the option --dist-train where this srun has it, else by `dist-train exec`.
 * Blocks; it is ended after the option's time, and killed after limit_ms. Into
 * buf goes all that it prints. Returns 0, or -1 when there was no srun or no
 * end of it. */
int doctor_srun_all_reduce(const struct doctor_options *options,
			   const char *nodes, const struct doctor *doctor,
			   int limit_ms, char *buf, size_t size,
			   struct err *err);

#endif
