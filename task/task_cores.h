/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many CPU cores Slurm has bound the task to.
 */
#ifndef DT_TASK_TASK_CORES_H
#define DT_TASK_TASK_CORES_H

/* Cores of the calling process: its CPUs divided by the number of threads per
 * core that are among them. 0 when the kernel doesn't say. */
unsigned cores_of_self(void);

#endif
