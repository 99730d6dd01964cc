/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared memory in which the launchers of a node's tasks count how many have
 * arrived (helpers/ranktable/node_barrier.h).
 */
#ifndef DT_SPANK_NODE_BARRIER_FD_H
#define DT_SPANK_NODE_BARRIER_FD_H

#include "core/base/err.h"
#include "core/plan/resolve.h"

#include <slurm/spank.h>

/* In slurmstepd, before any task is forked: create the memory. Returns its
 * descriptor, which the caller closes; -1 when the step needs none, or when
 * memory is short. */
int barrier_make(const struct resolved *resolved);

/* In a task: let what it executes inherit the file; no-op for -1. */
int barrier_hand_over(spank_t sp, int fd, struct err *err);

#endif
