/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the plugin knows in the process that has loaded it: filled by the
 * early hooks, used by the later ones.
 *
 * spank/ is dist_train.so, the only place with <slurm/...>. It links libc only.
 * plugin.c	the hooks, in the order in which they run
 * slurm/		what SPANK and Slurm's API tell, and the log
 * srun/		runs in srun, sbatch or salloc, as the user
 * node/		runs in slurmstepd as root, and in the task as the user
 *
 * plugin.c calls srun/ and node/, which call slurm/; srun/ and node/ never call
 * each other: they run on different machines, and what srun knows goes to the
 * nodes in environment variables (core/facts/handover.h).
 * No hook returns an error and nothing here ends a daemon: an error is kept in
 * struct adapter and raised in the task (doc/design/spank.md).
 */
#pragma once

#include "core/base/err.h"
#include "core/base/interface.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "core/plan/resolve.h"
#include "sys/interfaces.h"

#include <slurm/spank.h>
#include <stdbool.h>

/* -1 each where there is none. */
struct keepers_socket {
	int launcher, keepers;
};

struct adapter {
	const char *option_text; /* as the user gave it; NULL: not given */
	bool inherited;	 /* in srun: sbatch or salloc gave it, not this srun */
	bool left_alone; /* on a node: it doesn't mean this step */
	char *config_text; /* plugin's arguments, one per line */
	struct config config;
	/* What option_once() has; srun has one after the other for the
	 * components of a step. framework NULL: option not used. */
	struct request request;
	struct resolved resolved;     /* of the request alone */
	struct route route;	      /* route to rank 0; in slurmstepd only */
	struct interfaces interfaces; /* of this node; in slurmstepd only */
	char *hccn_conf;	      /* text of /etc/hccn.conf, where needed */
	int node_memory_fd;	      /* spank/node/inherited.c; or -1 */
	struct keepers_socket keepers; /* the same */
	bool cores_single;	       /* no core of the node has two threads */
	bool later_plugin;	       /* a later plugin has a task_init */
	bool failed;		       /* `err` is set; task_init raises it */
	struct err err;
};
