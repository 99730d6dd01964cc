/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On which NUMA node a device is, from what its driver shows in /proc and
 * /sys.
 */
#ifndef DT_HELPERS_NODE_LOCALITY_H
#define DT_HELPERS_NODE_LOCALITY_H

#include "core/base/idlist.h"

/* NUMA nodes by device index: the number in the device file's name, which is
 * Slurm's index. -1: not known. */
struct locality {
	int node[IDLIST_MAX];
};

/* Read them from the first driver that is there, beginning with the one that
 * `variable` (CUDA_VISIBLE_DEVICES and the like; NULL: none is set) limits. */
void locality_read(const char *root, const char *variable,
		   struct locality *ret);

#endif
