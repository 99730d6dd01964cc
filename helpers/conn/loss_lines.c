/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/loss_lines.h"

#include "core/base/text.h"
#include "helpers/conn/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

char *lines_of_world(const char *lines, const char *world)
{
	static const char us[] = "dist-train: ";
	const size_t nus = sizeof(us) - 1;
	struct text_stream stream;
	FILE *f = world ? text_stream_open(&stream) : NULL;

	while (f && *lines) {
		size_t n = strcspn(lines, "\n") + 1;

		if (!strncmp(lines, us, nus) &&
		    strncmp(lines + nus, world, strlen(world)) != 0) {
			fprintf(f, "%s%s: ", us, world);
			lines += nus;
			n -= nus;
		}
		n = strnlen(lines, n);
		fwrite(lines, 1, n, f);
		lines += n;
	}
	return f ? text_stream_take(&stream) : NULL;
}

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
