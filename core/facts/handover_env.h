/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file in memory in which the plugin hands an environment to the static
 * launcher (spank/node/later_plugin.h, helpers/container/env_restore.h):
 * strings, each with its NUL. The launcher finds it among its descriptors:
 * their numbers differ between the tasks of a node, and whatever is in the
 * environment may be another task's.
 */
#ifndef DT_CORE_FACTS_HANDOVER_ENV_H
#define DT_CORE_FACTS_HANDOVER_ENV_H

#define HANDOVER_ENV_NAME "dist-train-env"

/* The first byte of a string: NAME=VALUE is to be set, NAME to be unset, the
 * root directory outside as DEVICE:INODE; the launcher is wanted, not the
 * program alone; the step has other nodes, and this one's name. */
#define HANDOVER_ENV_SET      '+'
#define HANDOVER_ENV_UNSET    '-'
#define HANDOVER_ENV_ROOT     '/'
#define HANDOVER_ENV_LAUNCHER '!'
#define HANDOVER_ENV_NODE     '@'

#endif
