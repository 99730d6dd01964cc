/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command line as ssh takes it.
 */
#pragma once

#include "core/base/err.h"
#include "core/base/hostlist.h"

#include <stdbool.h>

struct rsh_options {
	const char *host; /* without user@; in argv */
	bool no_input;	  /* -n */
	char *command;	  /* the words after the host, with blanks between,
			     as ssh sends them; the caller's to free */
};

/* Options may stand before and after the host; those that say how to connect,
 * and as whom, mean nothing here. Fails when one is unknown, when there is no
 * host, or when out of memory. */
int rsh_options_read(int argc, char *argv[], struct rsh_options *ret,
		     struct err *err);

/*
 * Which node of the step a host of a command line is.
 */

/* By NodeName, or by an address: of the list that srun has made, or that the
 * name resolves to. Fails when it is none of the step's nodes. */
int rsh_host_find(const char *host, char ret[HOSTLIST_NAME_MAX],
		  struct err *err);

/* The address under which the step's nodes reach this one, as a number.
 * Returns 0 or -1. */
int rsh_host_own(char *ret, unsigned size, struct err *err);

/*
 * The far end of the stand-in for ssh: the command, and the end of all that it
 * has started when the near end is gone. Slurm itself doesn't end a step whose
 * srun was killed.
 *
 * helpers/rsh is one program, dist-train-rsh, at both ends:
 * dist-train-rsh.c	the near end: from ssh's command line to srun's
 * rsh_options.c		ssh's options
 * rsh_host.c		which node of the step a host is
 * rsh_watch.c		the far end, which that srun starts on the other node
 * mpirun, horovodrun, deepspeed and pdsh call it, inside a step of ours, as the
 * user. It opens no connection to a node but the one by which the far end sees
 * the near one, needs no sshd, and reaches no node outside of the allocation.
 */

/* Run `command` by a shell while the connection to that port stands. Returns
 * its exit code (128 + signal) when it and all that it has left behind have
 * ended; 255 when the near end is gone. -1: nothing was started. */
int rsh_watch(const char *ip, unsigned port, const char *command,
	      struct err *err);
