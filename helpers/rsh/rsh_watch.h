/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The far end of the stand-in for ssh: the command, and the end of all that it
 * has started when the near end is gone. Slurm itself doesn't end a step whose
 * srun was killed.
 *
 * helpers/rsh is one program, dist-train-rsh, at both ends:
 * dist-train-rsh.c	the near end: from ssh's command line to srun's
 * rsh_options.h		ssh's options
 * rsh_host.h		which node of the step a host is
 * rsh_watch.h		the far end, which that srun starts on the other node
 * mpirun, horovodrun, deepspeed and pdsh call it, inside a step of ours, as the
 * user. It opens no connection to a node but the one by which the far end sees
 * the near one, needs no sshd, and reaches no node outside of the allocation.
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
