/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/output/timeline.h"

#include "core/base/cleanup.h"
#include "core/base/env_secret.h"
#include "core/plan/framework.h"
#include "core/plan/plan_process.h"
#include "helpers/output/log_file.h"
#include "helpers/output/log_open.h"
#include "sys/json_quote.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define LINE_MAX_SIZE 512
#define COMMAND_SIZE  256

/* Node names need no escapes in JSON; a byte that would is replaced. */
static void set_node(char node[TIMELINE_NODE_SIZE], const char *name)
{
	snprintf(node, TIMELINE_NODE_SIZE, "%s", name);
	for (char *p = node; *p; p++)
		if (*p == '"' || *p == '\\' || *p < ' ')
			*p = '_';
}

/* Milliseconds since the epoch, "1790857026000.123". */
static void put_now(char *buf, size_t size)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(buf, size, "%lld.%03ld",
		 (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000,
		 now.tv_nsec / 1000 % 1000);
}

/* Training doesn't depend on it: what can't be written is lost. */
static void put_line(const struct timeline *t, const char *line, int n,
		     size_t size)
{
	if (n > 0 && (size_t)n < size && write(t->fd, line, (size_t)n) < 0)
		return;
}

/* What the step is: one line of its record, by the launcher of rank 0. */
static void put_step(const struct timeline *t, const struct plan *plan)
{
	char line[4 * LINE_MAX_SIZE + JSON_QUOTE_SIZE(COMMAND_SIZE)], now[40];
	char command[COMMAND_SIZE], quoted[JSON_QUOTE_SIZE(COMMAND_SIZE)];
	char name[JSON_QUOTE_SIZE(64)];
	const char *job = getenv("SLURM_JOB_NAME");
	int n;

	env_secret_command(plan->job->command, command, sizeof(command));
	put_now(now, sizeof(now));
	n = snprintf(line, sizeof(line),
		     "{\"t_ms\":%s,\"step\":\"%s\",\"event\":\"step\","
		     "\"schema\":%d,\"job_name\":%s,\"framework\":\"%s\","
		     "\"world_size\":%u,\"nnodes\":%u,\"command\":%s}\n",
		     now, t->step, RECORD_SCHEMA,
		     json_quote(job ? job : "", name, sizeof(name)),
		     plan->request->framework->name, plan->world_size,
		     plan->nnodes, json_quote(command, quoted, sizeof(quoted)));
	put_line(t, line, n, sizeof(line));
}

int timeline_open(struct timeline *t, const struct plan *plan, unsigned node,
		  struct err *err)
{
	const char *pattern = request_text(plan->request, KEY_TIMELINE);
	cleanup_free char *name = NULL;

	t->fd = -1;
	if (!pattern)
		return 0;
	job_step(plan->job, t->step);
	set_node(t->node, plan->job->node_name);
	name = log_file_expand("timeline", pattern, plan,
			       plan->spare ? node : plan->node_rank, err);
	if (!name)
		return -1;
	t->fd = log_open("timeline", name, err);
	if (t->fd < 0)
		return -1;
	if (plan->first_rank == 0 && !plan->spare)
		put_step(t, plan);
	timeline_all(t, plan, PHASE_WAITING);
	return 0;
}

void timeline_close(struct timeline *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

struct timeline_who timeline_who(const struct plan *plan,
				 const struct process *process)
{
	return (struct timeline_who){
		.rank = process->rank,
		.round = plan->job->round,
		.role = process->role,
	};
}

void timeline_event(const struct timeline *t, const struct timeline_who *who,
		    enum proc_phase phase, const char *more)
{
	char line[LINE_MAX_SIZE], now[40];
	int n;

	if (t->fd < 0)
		return;
	put_now(now, sizeof(now));
	n = snprintf(line, sizeof(line),
		     "{\"t_ms\":%s,\"step\":\"%s\",\"event\":\"%s\","
		     "\"rank\":%u,\"node\":\"%s\",\"role\":\"%s\","
		     "\"round\":%u%s}\n",
		     now, t->step, phase_word(phase), who->rank, t->node,
		     role_name(who->role), who->round, more);
	put_line(t, line, n, sizeof(line));
}

void timeline_mark(const struct timeline *t, unsigned round,
		   enum record_mark mark, const char *node, const char *more)
{
	char name[TIMELINE_NODE_SIZE], now[40];
	cleanup_free char *line = NULL;
	int n;

	if (t->fd < 0)
		return;
	put_now(now, sizeof(now));
	set_node(name, node ? node : "");
	n = asprintf(&line,
		     "{\"t_ms\":%s,\"step\":\"%s\",\"event\":\"%s\"%s%s%s,"
		     "\"round\":%u%s}\n",
		     now, t->step, mark_word(mark), node ? ",\"node\":\"" : "",
		     name, node ? "\"" : "", round, more);
	put_line(t, line, n, (size_t)n + 1);
}

void timeline_all(const struct timeline *t, const struct plan *plan,
		  enum proc_phase phase)
{
	struct timeline_who who;
	struct process process;
	struct err err;

	for (unsigned i = 0; t->fd >= 0 && i < plan->nprocs; i++) {
		if (plan_process(plan, i, &process, &err) < 0)
			return;
		who = timeline_who(plan, &process);
		timeline_event(t, &who, phase, "");
	}
}

void timeline_ended(const struct timeline *t, const struct plan *plan,
		    const struct process *process, int status, bool by_step)
{
	struct timeline_who who = timeline_who(plan, process);
	const char *why = by_step ? ",\"by_step\":true" : "";
	char more[64];

	if (WIFSIGNALED(status))
		snprintf(more, sizeof(more), ",\"signal\":%d%s",
			 WTERMSIG(status), why);
	else
		snprintf(more, sizeof(more), ",\"code\":%d%s",
			 WEXITSTATUS(status), why);
	timeline_event(t, &who, PHASE_ENDED, more);
}
