/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory in which the launchers of a node's tasks count each other
 * (helpers/ranktable/node_barrier.h).
 */
#ifndef DT_SPANK_NODE_BARRIER_FD_H
#define DT_SPANK_NODE_BARRIER_FD_H

#include "core/base/err.h"
#include "core/option/option.h"

#include <slurm/spank.h>

/* In slurmstepd, before any task is forked: the memory's file, for the caller
 * to close; -1 when this request needs none, or there is no room. */
int barrier_make(const struct request *request);

/* In a task: let what it executes inherit the file; no-op for -1. */
int barrier_hand_over(spank_t sp, int fd, struct err *err);

#endif
