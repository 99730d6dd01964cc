/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/output/line_writer.h"

#include "core/base/text.h"
#include "core/plan/framework.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void record_node(const char *name, char ret[RECORD_NODE_SIZE])
{
	snprintf(ret, RECORD_NODE_SIZE, "%s", name);
	for (char *p = ret; *p; p++)
		if (*p == '"' || *p == '\\' || *p < ' ')
			*p = '_';
}

const char *record_now(char buf[RECORD_TIME_SIZE])
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(buf, RECORD_TIME_SIZE, "%lld.%03ld",
		 (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000,
		 now.tv_nsec / 1000 % 1000);
	return buf;
}

char *record_step_line(const struct plan *plan, const char *command,
		       const char *more)
{
	const char *job = getenv("SLURM_JOB_NAME");
	char now[RECORD_TIME_SIZE], step[JOB_STEP_SIZE];
	char name[JSON_QUOTE_SIZE(64)], *line;
	size_t size = JSON_QUOTE_SIZE(strlen(command));
	cleanup_free char *quoted = malloc(size);

	if (!quoted ||
	    asprintf(&line,
		     "{\"t_ms\":%s,\"step\":\"%s\",\"event\":\"step\","
		     "\"schema\":%d,\"job_name\":%s,\"framework\":\"%s\","
		     "\"world_size\":%u,\"nnodes\":%u,\"command\":%s%s}\n",
		     record_now(now), job_step(plan->job, step), RECORD_SCHEMA,
		     json_quote(job ? job : "", name, sizeof(name)),
		     plan->request->framework->name, plan->world_size,
		     plan->nnodes, json_quote(command, quoted, size), more) < 0)
		return NULL;
	return line;
}

char *record_mark_line(const char *step, unsigned round, enum record_mark mark,
		       const char *node, const char *more)
{
	char name[RECORD_NODE_SIZE], now[RECORD_TIME_SIZE], *line;

	record_node(node ? node : "", name);
	if (asprintf(&line,
		     "{\"t_ms\":%s,\"step\":\"%s\",\"event\":\"%s\"%s%s%s,"
		     "\"round\":%u%s}\n",
		     record_now(now), step, mark_word(mark),
		     node ? ",\"node\":\"" : "", name, node ? "\"" : "", round,
		     more) < 0)
		return NULL;
	return line;
}
