/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/output/timeline.h"

#include "core/base/env_secret.h"
#include "core/plan/framework.h"
#include "sys/kept/log_open.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define COMMAND_SIZE 256

/* Training doesn't depend on it: what can't be written is lost. */
static void put_line(const struct timeline *t, const char *line)
{
	if (line && write(t->fd, line, strlen(line)) < 0)
		return;
}

/* What the step is: one line of its record, by the launcher of rank 0. */
static void put_step(const struct timeline *t, const struct plan *plan,
		     const char *more)
{
	char command[COMMAND_SIZE];
	cleanup_free char *line = NULL;

	env_secret_command(plan->job->command, command, sizeof(command));
	line = record_step_line(plan, command, more ? more : "");
	put_line(t, line);
}

static int open_file(struct timeline *t, const struct plan *plan, unsigned node,
		     struct err *err)
{
	const char *pattern = request_text(plan->request, KEY_TIMELINE);
	cleanup_free char *name = NULL;

	t->fd = -1;
	if (!pattern)
		return 0;
	job_step(plan->job, t->step);
	record_node(plan->job->node_name, t->node);
	name = log_file_expand("timeline", pattern, plan,
			       plan->spare ? node : plan->node_rank, err);
	if (!name)
		return -1;
	t->fd = log_open("timeline", name, err);
	return t->fd < 0 ? -1 : 0;
}

int timeline_join(struct timeline *t, const struct plan *plan, unsigned node,
		  struct err *err)
{
	t->fd = -1;
	return plan->job->world ? 0 : open_file(t, plan, node, err);
}

int timeline_open(struct timeline *t, const struct plan *plan, unsigned node,
		  char *step_more, struct err *err)
{
	cleanup_free char *more = step_more;

	t->world = plan->job->world;
	if (open_file(t, plan, node, err) < 0)
		return -1;
	if (t->fd >= 0 && plan->first_rank == 0 && !plan->spare && !t->world)
		put_step(t, plan, more);
	if (plan->request->framework->program_is_file)
		timeline_close(t);
	timeline_all(t, plan, PHASE_WAITING);
	return 0;
}

void timeline_close(struct timeline *t)
{
	close_fd(&t->fd);
}

struct timeline_who timeline_who(const struct plan *plan,
				 const struct process *process)
{
	return (struct timeline_who){
		.rank = process->rank,
		.round = plan->job->world ? plan->job->begun : plan->job->round,
		.role = process->role,
	};
}

void timeline_event(const struct timeline *t, const struct timeline_who *who,
		    enum proc_phase phase, const char *more)
{
	char now[RECORD_TIME_SIZE];
	const char *world = t->world ? t->world : "";
	cleanup_free char *line = NULL;

	if (t->fd < 0)
		return;
	if (asprintf(&line,
		     "{\"t_ms\":%s,\"step\":\"%s\",\"event\":\"%s\"%s%s%s,"
		     "\"rank\":%u,\"node\":\"%s\",\"role\":\"%s\","
		     "\"round\":%u%s}\n",
		     record_now(now), t->step, phase_word(phase),
		     *world ? ",\"world\":\"" : "", world, *world ? "\"" : "",
		     who->rank, t->node, role_name(who->role), who->round,
		     more) < 0)
		line = NULL;
	put_line(t, line);
}

void timeline_mark(const struct timeline *t, unsigned round,
		   enum record_mark mark, const char *node, const char *more)
{
	cleanup_free char *line = NULL;

	if (t->fd < 0)
		return;
	line = record_mark_line(t->step, round, mark, node, more);
	put_line(t, line);
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
