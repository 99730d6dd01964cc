/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a task takes along into a container. Plugins such as pyxis enter it in
 * their task_init: from then on another root directory is there, with neither
 * Slurm nor our helpers, perhaps another C library or none, and the image's
 * environment has been put over the task's.
 */
#ifndef DT_SPANK_NODE_CONTAINER_H
#define DT_SPANK_NODE_CONTAINER_H

#include "core/base/envset.h"
#include "core/base/err.h"
#include "spank/slurm/adapter.h"

#include <slurm/spank.h>
#include <stdbool.h>

/* The launcher's name in a container: of a descriptor. */
#define LAUNCHER_INSIDE_SIZE 32

/* In task_init_privileged, as root: remember the root directory and the
 * environment, open the static launcher and the step's secret. What fails is
 * told where it turns out to be needed. */
void container_remember(spank_t sp, const struct adapter *adapter);

/* Whether the task is in another root directory since then. */
bool container_entered(void);

/* Where a container was entered: what its environment has put over variables
 * that are the step's to say (ENV_OURS, ENV_FACT) is undone, so that these are
 * as the user has set them, or not at all. */
int container_restore(spank_t sp, const struct envset *set, struct err *err);

/* Whether the variable is the step's to say, not the image's or the user's
 * environment's alone. */
bool container_is_steps(const struct env_entry *e);

/* Whether the static launcher is installed. */
bool container_has_launcher(void);

/* The name under which the launcher can be executed in the container. Fails,
 * with the remedy, where it can't. */
int container_launcher(const char *node, char ret[LAUNCHER_INSIDE_SIZE],
		       struct err *err);

#endif
