/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: what the key stage names is brought to this node before the
 * launcher starts its processes. It runs in the launcher, as the user; what may
 * block (a shared file system, a lock) runs in children of it.
 *
 *	stage.c		the launcher's phase and part; of it (stage_own.h):
 *	stage_found.c	what there is
 *	stage_fetch.c	brings one thing after the other
 *	stage_seen.c	lets processes see them
 *	copy_give.h	from one launcher to another; copy_take.h
 *	view.h		what the processes see; path_view.h where that can't be
 *
 * Who reads the shared path, and who gets a copy from whom, the step's
 * controller decides (helpers/step/stage_hosts.h). The copies themselves are
 * those of helpers/copies.
 */
#pragma once

#include "sys/child.h"

#include <limits.h>
#include <stdlib.h>

struct launch;

/* What a child executes instead, with what it is made of. */
struct stage_command {
	char file[PATH_MAX];
	char **argv;
};

static inline void stage_command_clear(struct stage_command *command)
{
	free(command->argv);
}

/* Let a child that is to be started see what is staged. `own` has to stay until
 * then. Returns 0, or -1 when out of memory. */
int stage_child(const struct launch *l, struct child *child,
		struct stage_command *own, struct err *err);
