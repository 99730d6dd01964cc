/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/arbiter_lines.h"

#include <stdio.h>

const char *line_killed(char ret[ARBITER_LINE_SIZE], unsigned long n)
{
	snprintf(ret, ARBITER_LINE_SIZE,
		 "dist-train: %lu other process%s ended\n", n,
		 n == 1 ? " was" : "es were");
	return ret;
}

const char *line_restart(char ret[ARBITER_LINE_SIZE], unsigned n, unsigned max,
			 unsigned pause_ms)
{
	char pause[32] = "";

	if (pause_ms >= 1000)
		snprintf(pause, sizeof(pause), ", in %.1f s",
			 pause_ms / 1000.0);
	snprintf(ret, ARBITER_LINE_SIZE,
		 "dist-train: restart %u of %u of the step's processes%s\n", n,
		 max, pause);
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

void line_lost(char ret[ARBITER_LINE_SIZE], bool node, unsigned member,
	       const char *who, long lease_s, const char *rank)
{
	if (node)
		snprintf(ret, ARBITER_LINE_SIZE,
			 "dist-train: no sign of life from %s for %ld s: node "
			 "or network lost (%s)\n",
			 who, lease_s, rank);
	else
		snprintf(ret, ARBITER_LINE_SIZE,
			 "dist-train: the launcher of task %u on %s was killed "
			 "(%s)\n",
			 member, who, rank);
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
