/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many CPU cores Slurm has bound the task to.
 */
#ifndef DT_TASK_TASK_CORES_H
#define DT_TASK_TASK_CORES_H

#include <stdbool.h>

/* Whether no core of this machine has two threads; false where the kernel
 * doesn't say. Reads a byte of sysfs. */
bool cores_are_single(void);

/* Cores of the calling process: its CPUs divided by the number of threads per
 * core that are among them. 0 when the kernel doesn't say. `single`: what
 * cores_are_single() has said; false costs a look into sysfs. */
unsigned cores_of_self(bool single);

#endif
