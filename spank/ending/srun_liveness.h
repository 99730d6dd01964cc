/* SPDX-License-Identifier: Apache-2.0 */
/*
 * srun's end of the line to the step's controller beside it (step_start.h), and
 * a thread that sleeps until something happens there. The other end sees srun's
 * death by the kernel; srun sees the other end's, and does what Slurm does only
 * on Ctrl-C: it gives a step up of which some node doesn't answer any more.
 */
#pragma once

#include "core/facts/handover.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What srun has heard of the end of its step, before the launchers' last word
 * (core/facts/handover.h).
 */

struct srun_heard {
	bool told;	  /* Slurm has sent SIGTERM to a launcher */
	bool has_outcome; /* and it is: */
	unsigned outcome; /* OUTCOME_SIGNALLED and so on */
	bool byte_is_next;
};

/* Take a byte of the launcher's; false: it is none of these. */
static inline bool srun_heard_take(struct srun_heard *h, char byte)
{
	if (h->byte_is_next) {
		h->outcome = (unsigned char)byte;
		h->has_outcome = true;
		h->byte_is_next = false;
	} else if (byte == *SRUN_OUTCOME) {
		h->byte_is_next = true;
	} else if (byte == *SRUN_TOLD) {
		h->told = true;
	} else {
		return false;
	}
	return true;
}

/* --- the thread --- */

struct srun_liveness_options {
	bool recovery; /* the step outlives a lost node */
	int line_fd;   /* to the controller, which says SRUN_THERE when it leads
			  the step; taken over */
	/* Slurm has sent SIGTERM to a launcher; in srun's thread. NULL: nobody
	 * is told. */
	void (*told)(void);
};

/* How the step has ended, as far as srun has heard of it. */
struct srun_end {
	struct srun_heard heard;
	bool node_lost; /* and nothing took its place */
};

/* Listen to the controller. Once per srun: called again it closes the line. */
void srun_liveness_open(const struct srun_liveness_options *options);

/* The job ends at another time than was handed over, in seconds since the
 * epoch, 0: never. The controller is told. From any thread. */
void srun_liveness_end_time(int64_t seconds);

/* End the thread, before the plugin is unloaded. Returns whether there was one;
 * then *ret_end is set. */
bool srun_liveness_close(struct srun_end *ret_end);
