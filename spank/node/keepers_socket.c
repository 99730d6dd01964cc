/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/node/node.h"

#include "core/facts/handover.h"
#include "spank/slurm/step_job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int tell_number(spank_t sp, int fd, struct err *err)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", fd);
	return job_setenv(sp, HANDOVER_KEEPERS, number, err);
}

int keepers_socket_make(spank_t sp, bool wanted, struct keepers_socket *ret,
			struct err *err)
{
	int ends[2];

	if (!wanted || job_hasenv(sp, HANDOVER_KEEPERS)) /* srun forbids it */
		return job_setenv(sp, HANDOVER_KEEPERS, NULL, err);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_printf(err,
				  "slurmstepd has no socket for the keepers of "
				  "the node's tasks: %s",
				  strerror(errno));
	*ret = (struct keepers_socket){ends[0], ends[1]};
	return tell_number(sp, ends[0], err);
}

int keepers_socket_hand_over(spank_t sp, const struct keepers_socket *sockets,
			     bool wanted, struct err *err)
{
	if (!wanted)
		return job_setenv(sp, HANDOVER_KEEPERS, NULL, err);
	if (fcntl(sockets->launcher, F_SETFD, 0) < 0)
		return err_printf(err,
				  "can't pass the keepers' socket to the "
				  "launcher: %s",
				  strerror(errno));
	return tell_number(sp, sockets->launcher, err);
}

void keepers_socket_close(struct keepers_socket *sockets)
{
	if (sockets->launcher >= 0) {
		close(sockets->launcher);
		close(sockets->keepers);
	}
	*sockets = (struct keepers_socket){-1, -1};
}
