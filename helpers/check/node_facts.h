/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: what a node can say of itself before its processes start, and
 * what is made of that. `dist-train doctor` asks the same.
 *
 * node_facts.h	the facts, as lines "KEY TEXT" (facts_node.c,
 *		facts_devices.c)
 * node_look.h	all of them at once, in children with a time limit
 * verdict.c	which nodes they condemn: helpers/judge has the rules
 * pairs.h	who measures with whom, and who is slow: pure
 * pair_talk.h	one measurement
 * node_check.h	the check of a step, where its launchers meet
 * devices_gone.c	whether a device has failed, asked after a failure
 *
 * Everything here runs as the job's user and changes nothing. Whatever asks a
 * driver or a file system may hang: that runs in children, and nobody waits for
 * them longer than a limit.
 */
#pragma once

#include "core/base/idlist.h"
#include "helpers/check/node_look.h"

#include <stdbool.h>

/* A folder below which the files of GPUs, RDMA ports and NCCL are, for tests */
#define HARDWARE_ROOT_VARIABLE "DIST_TRAIN_HARDWARE_ROOT"

/* The value of HARDWARE_ROOT_VARIABLE, or "". */
const char *hardware_root(void);

/* Each function below writes its lines to the descriptor `out`. It blocks as
 * long as the driver or the file system does: call it in a child. The keys are
 * those of helpers/judge. */

/* The GPUs and their faults. `given`: so many has Slurm given, -1: unknown.
 * Their tools get limit_ms. */
void facts_gpus(int out, int limit_ms, int given);

/* Whether this node's GPUs are divided (MIG): then their number isn't that of
 * Slurm's. */
bool facts_gpus_in_parts(void);

/* The InfiniBand and RoCE ports. */
void facts_rdma(int out);

/* /dev/shm: its size and what is free. */
void facts_shm(int out);

/* Whether a file can be written in the folder, and what is free there. */
void facts_run_dir(int out, const char *path);

/* Which device files of `given` GPUs (-1: unknown) can be opened, and processes
 * outside of any step that hold one of any kind. */
void facts_devices(int out, int given);

/* Of the NPUs with these numbers: which files can't be opened, and what the
 * driver's library says of them. */
void facts_npus(int out, const struct idlist *npus);

/*
 * After a process has failed: is it the node's fault, because a device is gone
 * or the driver says that it can't be used? Asked in children, while the loop
 * goes on. By the rules of helpers/check/verdict.c.
 */

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
