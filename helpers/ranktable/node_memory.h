/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that slurmstepd has made and that the launchers of a step on one node
 * share (struct node_memory, core/facts/handover.h). They wait for each other
 * there, and the first one tells the others in which folder its rank table is.
 * Whatever is in it comes from the same user, and may be wrong.
 */
#ifndef DT_HELPERS_RANKTABLE_NODE_MEMORY_H
#define DT_HELPERS_RANKTABLE_NODE_MEMORY_H

#include <limits.h>

/* The memory's file as the plugin has handed it over, or -1, which all of these
 * take. */
int node_memory_handed(void);

/* Wait until `n` have called this; blocks. Those of a task that was killed
 * aren't waited for without end. */
void node_memory_wait(int fd, unsigned n);

/* Tell the others this launcher's folder, once. */
void node_memory_tell(int fd, const char *folder);

/* The folder that was told. Returns 0, or -1 when none was. */
int node_memory_folder(int fd, char ret[PATH_MAX]);

#endif
