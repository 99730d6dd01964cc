/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file in memory in which the plugin hands an environment to the static
 * launcher (spank/node/later_plugin.h, helpers/launch/env_restore.h): strings,
 * each with its NUL. The launcher finds it among its descriptors: their numbers
 * differ between the tasks of a node, and whatever is in the environment may be
 * another task's.
 */
#ifndef DT_CORE_FACTS_HANDOVER_ENV_H
#define DT_CORE_FACTS_HANDOVER_ENV_H

#define REASSERT_NAME "dist-train-reassert"

/* The first byte of a string: NAME=VALUE is to be set, NAME to be unset, the
 * root directory outside as DEVICE:INODE; the launcher is wanted, not the
 * program alone. */
#define REASSERT_SET	  '+'
#define REASSERT_UNSET	  '-'
#define REASSERT_ROOT	  '/'
#define REASSERT_LAUNCHER '!'

#endif
