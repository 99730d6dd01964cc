/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that the launchers of a node's tasks share
 * (helpers/ranktable/node_memory.h).
 */
#ifndef DT_SPANK_NODE_NODE_MEMORY_FD_H
#define DT_SPANK_NODE_NODE_MEMORY_FD_H

#include "core/base/err.h"
#include "core/plan/resolve.h"

#include <slurm/spank.h>

/* In slurmstepd, before any task is forked: create the memory. Returns its
 * descriptor, which the caller closes; -1 when the step needs none, or when
 * memory is short. */
int node_memory_make(const struct resolved *resolved);

/* In a task: let what it executes inherit the file; no-op for -1. */
int node_memory_hand_over(spank_t sp, int fd, struct err *err);

#endif
