/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What slurmctld says of this life of a job: from its start until it ends or is
 * requeued. Times are in seconds since the epoch.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How this life stands; it may be completing in each but the first. */
enum job_fate {
	FATE_RUNS,
	FATE_REQUEUED, /* somebody has requeued it: Slurm, the user */
	FATE_CANCELLED,
	FATE_TIMEOUT,
	FATE_PREEMPTED,
	FATE_NODE_FAIL,
	FATE_OVER, /* for another reason */
};

struct job_life {
	enum job_fate fate;
	int64_t submitted; /* or requeued the last time */
	int64_t end;	   /* by its limit or its preemption; 0: never */
	int64_t preempted; /* when Slurm has decided on that; 0: it hasn't */
	unsigned restarts; /* how often it was requeued */
	bool batch;	   /* sbatch has submitted it */
	bool may_requeue;  /* --requeue */
	bool expedite;	   /* --requeue=expedite, since 25.11 */
};
