/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who gets which cores, and how many are a process's own.
 */
#pragma once

#include "core/base/idset.h"
#include "core/facts/job.h"

#include <limits.h>

/* One core, of which at least one CPU is allowed. */
struct core {
	struct idset cpus; /* its allowed CPUs: more than one with SMT */
	int node;	   /* NUMA node */
	int package;	   /* socket */
};

enum share_kind {
	SHARE_NOTHING, /* fewer cores than processes */
	SHARE_EQUAL,   /* equal shares of all, in the order of local ranks */
	SHARE_NEAR,    /* near each process's device */
};

/* A core of which no process makes use. */
#define SHARE_NOBODY UINT_MAX

/* Divide the cores, which are sorted by NUMA node, among nprocs processes.
 * proc_node[i] is the NUMA node of process i's device, -1 when it isn't known.
 *
 * When all are known and each node has a core for each of its processes, the
 * processes of a node share its cores; a node without a process's device goes
 * to those of its socket, or to nobody. Else all cores are shared. Shares are
 * contiguous and equal (within one core). Fills ret_owner[ncores]. */
enum share_kind share_cores(const struct core *cores, unsigned ncores,
			    const int *proc_node, unsigned nprocs,
			    unsigned *ret_owner);

/* How many cores a task may count as its own, when it may run on `ncores`:
 * not more than it asked for, and not more than an equal part of the step's
 * CPUs on this node, which its tasks may share without being bound. At least
 * 1; 0 when ncores is. */
unsigned share_of_task(const struct job *job, unsigned ncores);

/* An equal part of a task's cores for each of its processes, at least 1; 0
 * when ncores is. */
unsigned share_of_process(unsigned ncores, unsigned nprocs);
