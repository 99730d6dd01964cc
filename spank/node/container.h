/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a task takes along into a container. Plugins such as pyxis enter it in
 * their task_init: from then on another root directory is there, with neither
 * Slurm nor our helpers, perhaps another C library or none, and the image's
 * environment has been put over the task's.
 */
#pragma once

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/facts/job.h"

#include <slurm/spank.h>
#include <stdbool.h>

/* Size of the launcher's path in a container, /proc/self/fd/N. */
#define LAUNCHER_INSIDE_SIZE 32

/* In slurmstepd, as root, once for all tasks of the node: remember the step's
 * environment, open the static launcher and, where launchers ask it for tokens,
 * the socket of Slurm's own authentication. Not in user_init or later: with
 * SlurmdParameters=contain_spank that runs in a process whose descriptors no
 * task inherits. A failure is reported later, by the function that needs what
 * is missing. */
void container_prepare(spank_t sp);
void container_forget(void);

/* In task_init_privileged, as root: remember the root directory. */
void container_remember_root(void);

/* Whether the task's root directory has changed since then. */
bool container_entered(void);

/* Fails in a container without a network where the step has several nodes. */
int container_reaches_nodes(const struct job *job, struct err *err);

/* After a container was entered: restore the variables that the step computes
 * (ENV_OURS, ENV_FACT) to the user's values, or unset them, where the image's
 * environment has replaced them. Fails when Slurm refuses a value. */
int container_restore(spank_t sp, const struct envset *set, struct err *err);

/* Whether the step computes this variable, so that the image's value doesn't
 * count. */
bool container_is_steps(const struct env_entry *e);

/* The descriptor of that socket, which the task's program inherits from now on;
 * -1: there is none. Whether a container is entered later isn't known. */
int container_socket(void);

/* Whether the static launcher is installed. */
bool container_has_launcher(void);

/* The path by which the launcher can be executed in the container. Fails where
 * the launcher isn't installed on `node` or the container has no /proc; the
 * error says the remedy. */
int container_launcher(const char *node, char ret[LAUNCHER_INSIDE_SIZE],
		       struct err *err);
