/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After a process has failed: is it the node's fault, because a device is gone
 * or the driver says that it can't be used? Asked in children, while the loop
 * goes on. By the rules of helpers/check/verdict.h.
 */
#ifndef DT_HELPERS_CHECK_DEVICES_GONE_H
#define DT_HELPERS_CHECK_DEVICES_GONE_H

#include "helpers/check/node_look.h"

#define DEVICES_GONE_MS 1000

struct devices_gone {
	struct loop *loop;
	/* `why` says which device has failed and how, valid during the call;
	 * NULL: none has, as far as anybody can say within DEVICES_GONE_MS. May
	 * close it. */
	void (*done)(void *arg, const char *why);
	void *arg;
	/* its own */
	struct node_look look;
	struct node_look_wish wish;
	char why[512];
};

/* Begin with loop, done and arg set, the rest zero. `gpus`: so many has Slurm
 * given to this task, -1: unknown; `npus`: which NPUs, by the driver's numbers.
 * done() is called from the loop. Returns 0, or -1 (no process, no memory);
 * devices_gone_close() in any case. */
int devices_gone_begin(struct devices_gone *gone, int gpus,
		       const struct idlist *npus, struct err *err);

/* No-op on a zero one, and a second time. */
void devices_gone_close(struct devices_gone *gone);

#endif
