/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The far end of the stand-in for ssh: the command, and the end of all that it
 * has started when the near end is gone. Slurm itself doesn't end a step whose
 * srun was killed.
 */
#ifndef DT_HELPERS_RSH_RSH_WATCH_H
#define DT_HELPERS_RSH_RSH_WATCH_H

#include "core/base/err.h"

/* Run `command` by a shell while the connection to that port stands. Returns
 * its exit code (128 + signal) when it and all that it has left behind have
 * ended; 255 when the near end is gone. -1: nothing was started. */
int rsh_watch(const char *ip, unsigned port, const char *command,
	      struct err *err);

#endif
