/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What srun has heard of the end of its step, before the launchers' last word
 * (core/facts/handover.h).
 */
#ifndef DT_SPANK_ENDING_SRUN_HEARD_H
#define DT_SPANK_ENDING_SRUN_HEARD_H

#include "core/facts/handover.h"

#include <stdbool.h>

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

#endif
