/* SPDX-License-Identifier: Apache-2.0 */
/*
 * srun's end of the line to the launcher of task 0: a TCP port, and a thread
 * that sleeps until something happens there. The launcher sees srun's death by
 * the kernel's reset; srun sees the launcher's, and does what Slurm does only
 * on Ctrl-C: it gives a step up of which some node doesn't answer any more.
 *
 * Whoever connects has to send the step's token first; strangers are dropped
 * when their number grows. Once the launcher is there, the port is closed.
 */
#ifndef DT_SPANK_SRUN_SRUN_LIVENESS_H
#define DT_SPANK_SRUN_SRUN_LIVENESS_H

#include "core/facts/handover.h"

struct srun_liveness_options {
	unsigned char token[TOKEN_SIZE];
	long lease_s; /* without a sign of life: the launcher counts as lost */
	long grace_s; /* that the step's end may take after it */
	unsigned requeue_job; /* the job to requeue with a lost node; 0: none */
};

/* Listen, in the range of SrunPortRange if there is one. Returns the port, or
 * 0 when none is to be had. Once per srun: called again it returns the same
 * port, and nothing else changes. */
unsigned srun_liveness_open(const struct srun_liveness_options *options);

/* End the thread, before the plugin is unloaded. */
void srun_liveness_close(void);

#endif
