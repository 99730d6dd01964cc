/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line to srun: a connection to the port that its side of the plugin
 * listens on (spank/srun/srun_liveness.h). The kernels find out when one of
 * both is gone (sys/socket.h).
 */
#ifndef DT_HELPERS_SRUN_SRUN_WATCH_H
#define DT_HELPERS_SRUN_SRUN_WATCH_H

#include "core/facts/handover.h"
#include "sys/loop.h"

#include <stdint.h>

struct srun_watch {
	struct loop *loop;
	struct loop_watch watch;
	const char *ip;
	unsigned port, tries;
	long lease_s;
	unsigned char token[TOKEN_SIZE];
	struct loop_timer retry;
	bool was_open; /* the port, once */
	bool sent;     /* the token */
	bool there;    /* srun has answered it */
	unsigned char in[1 + SRUN_END_SIZE];
	unsigned nin;
	/* Set after srun_watch_open(): srun says that the job ends at another
	 * time (seconds since the epoch; 0: never). NULL: it isn't heard. */
	void (*end_time)(void *arg, int64_t seconds);
	void (*gone)(void *arg, long silent_s);
	void *arg; /* for both */
};

/* Begin to watch; `gone` is called once when srun was there, or its port was
 * open, and isn't any more: nothing has come from its host for `silent_s`, or
 * that is 0 and srun has ended. An srun that can't be reached isn't watched.
 * `ip` is borrowed. */
void srun_watch_open(struct srun_watch *w, struct loop *loop, const char *ip,
		     unsigned port, long lease_s,
		     const unsigned char token[TOKEN_SIZE],
		     void (*gone)(void *arg, long silent_s), void *arg);

/* The same for a line that srun has given to this process: it leads the step.
 * The descriptor is taken over. */
void srun_watch_take(struct srun_watch *w, struct loop *loop, int fd,
		     void (*gone)(void *arg, long silent_s), void *arg);

/* One of SRUN_ALL_WELL and the like when the step is over, or before that
 * SRUN_TOLD or SRUN_OUTCOME and its byte (core/facts/handover.h). */
void srun_watch_tell(struct srun_watch *w, const char *text, size_t n);

void srun_watch_close(struct srun_watch *w);

#endif
