/* SPDX-License-Identifier: Apache-2.0 */
/*
 * srun's end of the line to the step's controller beside it (step_start.h) or,
 * where that couldn't be started, to the launcher of task 0; and a thread that
 * sleeps until something happens there. The other end sees srun's death by the
 * kernel; srun sees the other end's, and does what Slurm does only on Ctrl-C:
 * it gives a step up of which some node doesn't answer any more.
 *
 * The controller's line is a socket that srun has made itself. The launcher
 * connects to a TCP port: whoever does has to send the step's token first;
 * strangers are dropped when their number grows (srun_callers.h). Once the
 * launcher is there, the port is closed.
 */
#ifndef DT_SPANK_SRUN_SRUN_LIVENESS_H
#define DT_SPANK_SRUN_SRUN_LIVENESS_H

#include "core/facts/handover.h"
#include "spank/srun/srun_heard.h"

#include <stdbool.h>
#include <stdint.h>

struct srun_liveness_options {
	unsigned char token[TOKEN_SIZE];
	long lease_s;  /* without a sign of life: a launcher counts as lost */
	long grace_s;  /* that the step's end may take after it */
	bool recovery; /* the step outlives a lost node; it has a line_fd */
	int line_fd;   /* to the controller beside srun, which says SRUN_THERE
			  when it leads the step: nobody else is listened to,
			  and no port opened; taken over. 0: there is none */
	/* Slurm has sent SIGTERM to a launcher; in srun's thread. NULL: nobody
	 * is told. */
	void (*told)(void);
};

/* How the step has ended, as far as srun has heard of it. */
struct srun_end {
	struct srun_heard heard;
	bool node_lost; /* and nothing took its place */
};

/* Listen, in the range of SrunPortRange if there is one. Returns the port, or
 * 0 when none is to be had, and with a line, where nobody calls. Once per srun:
 * called again it returns the same port, and a line is closed. */
unsigned srun_liveness_open(const struct srun_liveness_options *options);

/* The job ends at another time than was handed over, in seconds since the
 * epoch, 0: never. Who leads is told. From any thread. */
void srun_liveness_end_time(int64_t seconds);

/* End the thread, before the plugin is unloaded. Returns whether there was one;
 * then *ret_end is set. */
bool srun_liveness_close(struct srun_end *ret_end);

#endif
