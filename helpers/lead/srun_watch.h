/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The controller's end of the line that srun has given it
 * (spank/ending/srun_liveness.h). The kernel tells when srun has ended.
 */
#pragma once

#include "core/facts/handover.h"
#include "sys/loop.h"

#include <stdint.h>

struct srun_watch {
	struct loop *loop; /* NULL: there is no line */
	struct loop_watch watch;
	unsigned char in[1 + SRUN_END_SIZE];
	unsigned nin;
	/* The job ends at another time: seconds since the epoch; 0: never. */
	void (*end_time)(void *arg, int64_t seconds);
	void (*gone)(void *arg); /* srun has ended; once */
	void *arg;		 /* for both */
};

/* Watch srun, which knows that this process leads the step. `fd` is taken over.
 * The owner has set end_time, gone and arg. */
void srun_watch_open(struct srun_watch *w, struct loop *loop, int fd);

/* One of SRUN_ALL_WELL and the like when the step is over, or before that
 * SRUN_TOLD or SRUN_OUTCOME and its byte (core/facts/handover.h). No-op without
 * a line. */
void srun_watch_tell(struct srun_watch *w, const char *text, size_t n);

void srun_watch_close(struct srun_watch *w);
