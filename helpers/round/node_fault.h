/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a process has failed by its node's fault, so that another node would
 * do better. With recovery such a node gets no place in the next round
 * (MSG_CONDEMNED). As few as possible are taken for that: a program that fails
 * by itself fails on each spare too, and costs them all.
 *
 *	SIGBUS		memory that can't be read: a hardware fault (the kernel
 *			tells it so), or this node's /dev/shm is full
 *	a device gone	(helpers/check/devices_gone.c) where the check before
 *			the start has found it well
 *
 * None of these: the program's own exit code; SIGSEGV, SIGABRT; SIGKILL, also
 * the kernel's for want of memory, since the step's limit is the same on each
 * node.
 */
#ifndef DT_HELPERS_ROUND_NODE_FAULT_H
#define DT_HELPERS_ROUND_NODE_FAULT_H

#include "helpers/procs/procs.h"

#include <stdbool.h>

struct launch;

/* The first failure of this node's processes; tells the arbiter. */
void node_fault_check(struct launch *l, const struct proc *proc);

/* All of them have ended: where one has failed, ask for the devices. Returns
 * whether that goes on; procs.all_ended is called when it is over. Not before
 * all have ended, for what the launcher starts would be ended with them. */
bool node_fault_asks(struct launch *l);

#endif
