/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A limit on what waits in task_init, in the task's own process before its
 * program starts. Nobody else ends such a wait: with proctrack/linuxproc Slurm
 * sends no SIGKILL to what is still called slurmstepd, and drains a node where
 * that lasts for longer than UnkillableStepTimeout (60 s).
 */
#ifndef DT_TASK_TIME_LIMIT_H
#define DT_TASK_TIME_LIMIT_H

/* End this process in so many seconds, with that line on standard error. */
void time_limit_begin(unsigned seconds, const char *line);

/* It was in time: nothing is left for the program. */
void time_limit_end(void);

#endif
