/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plugins whose line in plugstack.conf comes after ours: Slurm calls their
 * task_init after ours. If such a plugin enters a container, the image's
 * environment replaces what we have set; with pyxis the first task's values
 * also replace those of the node's other tasks.
 */
#ifndef DT_SPANK_NODE_LATER_PLUGIN_H
#define DT_SPANK_NODE_LATER_PLUGIN_H

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/facts/job.h"

#include <slurm/spank.h>
#include <stdbool.h>

/* Whether a SPANK plugin with a task_init was loaded after ours. Call it where
 * no other thread forks. */
bool later_plugin_find(void);

/* Set the step's variables (ENV_OURS, ENV_FACT) and our hand-over variables
 * once more after such a plugin, whether it enters a container or not: the
 * static launcher, which Slurm will execute, gets them in a file in memory.
 * Fails when memory is short. */
int later_plugin_hand_over(spank_t sp, const struct job *job,
			   const struct envset *set, bool launcher,
			   struct err *err);

#endif
