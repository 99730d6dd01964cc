/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/arbiter_lines.h"

#include "helpers/conn/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *line_killed(char ret[ARBITER_LINE_SIZE], unsigned long n)
{
	snprintf(ret, ARBITER_LINE_SIZE,
		 "dist-train: %lu other process%s ended\n", n,
		 n == 1 ? " was" : "es were");
	return ret;
}

const char *line_restart(char ret[ARBITER_LINE_SIZE], unsigned n, unsigned max,
			 const char *whose, unsigned pause_ms)
{
	char pause[32] = "";

	if (pause_ms >= 1000)
		snprintf(pause, sizeof(pause), ", in %.1f s",
			 pause_ms / 1000.0);
	snprintf(ret, ARBITER_LINE_SIZE,
		 "dist-train: restart %u of %u of %s's processes%s\n", n, max,
		 whose, pause);
	return ret;
}

const char *line_group_down(char ret[ARBITER_LINE_SIZE],
			    const struct line_groups *g, const char *why)
{
	int n = snprintf(ret, ARBITER_LINE_SIZE,
			 "dist-train: replica group %u stays down: %s; ",
			 g->group, why);

	if (g->able && g->able >= g->min)
		snprintf(ret + n, (size_t)(ARBITER_LINE_SIZE - n),
			 "%u of %u groups go on\n", g->able, g->n);
	else if (g->able)
		snprintf(ret + n, (size_t)(ARBITER_LINE_SIZE - n),
			 "the step ends, because %u of %u groups are fewer "
			 "than min-replicas=%u\n",
			 g->able, g->n, g->min);
	else
		snprintf(ret + n, (size_t)(ARBITER_LINE_SIZE - n),
			 "it was the last one\n");
	return ret;
}

const char *line_no_restart(char ret[ARBITER_LINE_SIZE], unsigned nabsent,
			    unsigned n)
{
	snprintf(ret, ARBITER_LINE_SIZE,
		 "dist-train: no restart: the launchers of %u of %u tasks have "
		 "not answered\n",
		 nabsent, n);
	return ret;
}

const char *line_unused(char ret[ARBITER_LINE_SIZE], unsigned used,
			unsigned max, const char *why)
{
	if (used >= max)
		snprintf(ret, ARBITER_LINE_SIZE,
			 "dist-train: no restart: restarts=%u is used up\n",
			 max);
	else if (used)
		snprintf(ret, ARBITER_LINE_SIZE,
			 "dist-train: no restart after %u of restarts=%u: %s\n",
			 used, max, why);
	else
		snprintf(ret, ARBITER_LINE_SIZE,
			 "dist-train: restarts=%u not used: %s\n", max, why);
	return ret;
}

bool lost_by_silence(int why)
{
	return why == ETIMEDOUT || why == EHOSTUNREACH || why == ENETUNREACH;
}

void line_lost(char ret[ARBITER_LINE_SIZE], int why, unsigned member,
	       const char *who, long silent_s, const char *rank)
{
	if (lost_by_silence(why))
		snprintf(ret, ARBITER_LINE_SIZE,
			 "dist-train: no sign of life from %s for %ld s: node "
			 "or network lost%s\n",
			 who, silent_s, rank);
	else if (member == MEMBER_NONE)
		snprintf(ret, ARBITER_LINE_SIZE,
			 "dist-train: the launcher on %s has ended or lost its "
			 "connection%s\n",
			 who, rank);
	else
		snprintf(ret, ARBITER_LINE_SIZE,
			 "dist-train: the launcher of task %u on %s has ended "
			 "or lost its connection%s\n",
			 member, who, rank);
}

void line_unreachable(char ret[ARBITER_LINE_SIZE],
		      const struct line_server *server)
{
	snprintf(ret, ARBITER_LINE_SIZE,
		 "dist-train: %s can't reach the launcher of task 0 at %s port "
		 "%u within %ld s: %s; the nodes must reach each other at the "
		 "ports of the administrator's ports=\n",
		 server->node, server->ip, server->port, server->after_s,
		 strerror(server->why));
}

void line_srun_gone(char ret[ARBITER_LINE_SIZE], long silent_s)
{
	if (silent_s)
		snprintf(ret, ARBITER_LINE_SIZE,
			 "dist-train: no sign of life from srun for %ld s: its "
			 "host or network is lost\n",
			 silent_s);
	else
		snprintf(ret, ARBITER_LINE_SIZE,
			 "dist-train: srun has ended or lost its connection\n");
}

void line_early(char ret[ARBITER_LINE_SIZE], const char *who, long grace_s)
{
	snprintf(ret, ARBITER_LINE_SIZE,
		 "dist-train: %.300s ended with exit code 0, and others still "
		 "ran %ld s later (early-exit=fail)\n",
		 who, grace_s);
}

const char *line_stop(char ret[ARBITER_LINE_SIZE], const char *reason)
{
	snprintf(ret, ARBITER_LINE_SIZE, "%s%.1000s%s",
		 *reason ? "dist-train: " : "", reason, *reason ? "\n" : "");
	return ret;
}
