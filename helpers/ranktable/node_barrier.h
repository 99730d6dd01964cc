/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launchers of a step on one node wait for each other: a counter in memory
 * that slurmstepd has made and all of its tasks share.
 */
#ifndef DT_HELPERS_RANKTABLE_NODE_BARRIER_H
#define DT_HELPERS_RANKTABLE_NODE_BARRIER_H

/* The memory's file as the plugin has handed it over, or -1. */
int node_barrier_handed(void);

/* Wait until `n` have called this; blocks. Those of a task that was killed
 * aren't waited for without end. */
void node_barrier_wait(int fd, unsigned n);

#endif
