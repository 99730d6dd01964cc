/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread in srun that asks slurmctld now and then when the job ends: its
 * limit may be changed, and Slurm may preempt it. For steps with the keys
 * end-signal or requeue alone; it isn't that of srun_liveness.h, since a
 * question may take long.
 */
#ifndef DT_SPANK_ENDING_END_WATCH_H
#define DT_SPANK_ENDING_END_WATCH_H

#include "spank/slurm/job_life.h"

#include <stdbool.h>
#include <stdint.h>

/* So long before the job's end it is asked for the last time. */
#define END_WATCH_LAST_S 3

struct end_watch_options {
	unsigned job_id;
	long lead_s; /* the ranks are told so long before the end */
	int64_t end; /* as known now; 0: never */
	/* In the thread. The end is another one now: */
	void (*changed)(int64_t end);
	/* The end has come, or Slurm ends the job, and the step still runs. */
	void (*last_moment)(const struct job_life *life);
};

/* Begin to watch. No-op where no thread can be made, and when called again. */
void end_watch_open(const struct end_watch_options *options);

/* Slurm has sent SIGTERM to the step: ask at once. From any thread. */
void end_watch_told(void);

/* End the thread, within a second. Returns whether it has ended: a question
 * that is under way then isn't waited for. */
bool end_watch_close(void);

/* When to ask the next time; pure. */
int64_t end_watch_next(int64_t now, int64_t end, long lead_s);

#endif
