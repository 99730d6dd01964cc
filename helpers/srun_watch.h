/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether srun still lives: a connection to the port that its side of the
 * plugin listens on, over which nothing is ever sent. The kernels do the rest
 * (helpers/net.h).
 */
#ifndef DT_HELPERS_SRUN_WATCH_H
#define DT_HELPERS_SRUN_WATCH_H

#include "helpers/loop.h"

struct srun_watch {
	struct loop *loop;
	struct loop_watch watch;
	bool there;
	void (*gone)(void *arg);
	void *arg;
};

/* Begin to watch; `gone` is called once when srun was there and isn't any
 * more. An srun that can't be reached isn't watched. */
void srun_watch_open(struct srun_watch *w, struct loop *loop, const char *ip,
		     unsigned port, long lease_s, void (*gone)(void *arg),
		     void *arg);
void srun_watch_close(struct srun_watch *w);

#endif
