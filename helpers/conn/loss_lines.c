/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/loss_lines.h"

#include "helpers/conn/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool lost_by_silence(int why)
{
	return why == ETIMEDOUT || why == EHOSTUNREACH || why == ENETUNREACH;
}

void line_lost(char ret[LOSS_LINE_SIZE], int why, unsigned member,
	       const char *who, long silent_s, const char *rank)
{
	if (lost_by_silence(why))
		snprintf(ret, LOSS_LINE_SIZE,
			 "dist-train: no sign of life from %s for %ld s: node "
			 "or network lost%s\n",
			 who, silent_s, rank);
	else if (member == MEMBER_NONE)
		snprintf(ret, LOSS_LINE_SIZE,
			 "dist-train: the launcher on %s has ended or lost its "
			 "connection%s\n",
			 who, rank);
	else
		snprintf(ret, LOSS_LINE_SIZE,
			 "dist-train: the launcher of task %u on %s has ended "
			 "or lost its connection%s\n",
			 member, who, rank);
}

void line_unreachable(char ret[LOSS_LINE_SIZE],
		      const struct line_server *server)
{
	snprintf(ret, LOSS_LINE_SIZE,
		 "dist-train: %s can't reach the step's controller at %s port "
		 "%u within %ld s: %s; nodes must reach each other and srun's "
		 "host at the ports of the administrator's ports=, or of "
		 "slurm.conf's SrunPortRange\n",
		 server->node, server->ip, server->port, server->after_s,
		 strerror(server->why));
}
