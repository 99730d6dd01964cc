/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many cores a task has that Slurm has bound already.
 */
#ifndef DT_SPANK_NODE_TASK_CORES_H
#define DT_SPANK_NODE_TASK_CORES_H

/* Of the calling process: its CPUs, or half of them where both of a core's
 * threads are among them, and so on. 0 when the kernel doesn't tell. */
unsigned cores_of_self(void);

#endif
