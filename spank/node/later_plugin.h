/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plugins whose line in plugstack.conf stands behind ours: Slurm calls their
 * task_init after ours. One that enters a container there puts the image's
 * environment over what we have set, and with pyxis the first task's values
 * over those of the node's other tasks.
 */
#ifndef DT_SPANK_NODE_LATER_PLUGIN_H
#define DT_SPANK_NODE_LATER_PLUGIN_H

#include "core/base/envset.h"
#include "core/base/err.h"

#include <slurm/spank.h>
#include <stdbool.h>

/* Whether a SPANK plugin with a task_init was loaded behind ours. Call where no
 * other thread is forking. */
bool later_plugin_find(void);

/* Have what the step decides (ENV_OURS, ENV_FACT) and our hand-over put into
 * effect again behind such a plugin, whether it enters a container or not: the
 * static launcher, which Slurm is to execute, gets them in a file in memory.
 * Fails when Slurm has no memory for that. */
int later_plugin_hand_over(spank_t sp, const struct envset *set, bool launcher,
			   struct err *err);

#endif
