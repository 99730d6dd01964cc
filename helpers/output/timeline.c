/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/output/timeline.h"

#include "core/base/cleanup.h"
#include "core/plan/plan_process.h"
#include "helpers/output/log_file.h"
#include "helpers/output/log_open.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define LINE_MAX_SIZE 512

/* Set the node's name. Node names need no escapes in JSON; a name that would is
 * dropped. */
static void set_node(struct timeline *t, const char *name)
{
	snprintf(t->node, sizeof(t->node), "%s", name);
	for (char *p = t->node; *p; p++)
		if (*p == '"' || *p == '\\' || *p < ' ')
			*p = '_';
}

int timeline_open(struct timeline *t, const struct plan *plan, struct err *err)
{
	const char *pattern = request_text(plan->request, KEY_TIMELINE);
	cleanup_free char *name = NULL;

	t->fd = -1;
	if (!pattern)
		return 0;
	job_step(plan->job, t->step);
	set_node(t, plan->job->node_name);
	name = log_file_expand("timeline", pattern, plan, err);
	if (!name)
		return -1;
	t->fd = log_open("timeline", name, err);
	timeline_all(t, plan, "planned");
	return t->fd < 0 ? -1 : 0;
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
		    const char *event, const char *more)
{
	char line[LINE_MAX_SIZE];
	struct timespec now;
	int n;

	if (t->fd < 0)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	n = snprintf(line, sizeof(line),
		     "{\"t_ms\":%lld.%03ld,\"step\":\"%s\",\"event\":\"%s\","
		     "\"rank\":%u,\"node\":\"%s\",\"role\":\"%s\","
		     "\"round\":%u%s}\n",
		     (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000,
		     now.tv_nsec / 1000 % 1000, t->step, event, who->rank,
		     t->node, role_name(who->role), who->round, more);
	if (n > 0 && (size_t)n < sizeof(line) &&
	    write(t->fd, line, (size_t)n) < 0)
		return; /* lost, as the header says */
}

void timeline_all(const struct timeline *t, const struct plan *plan,
		  const char *event)
{
	struct timeline_who who;
	struct process process;
	struct err err;

	for (unsigned i = 0; t->fd >= 0 && i < plan->nprocs; i++) {
		if (plan_process(plan, i, &process, &err) < 0)
			return;
		who = timeline_who(plan, &process);
		timeline_event(t, &who, event, "");
	}
}

void timeline_ended(const struct timeline *t, const struct plan *plan,
		    const struct process *process, int status, bool by_us)
{
	struct timeline_who who = timeline_who(plan, process);
	const char *why = by_us ? ",\"by_us\":true" : "";
	char more[64];

	if (WIFSIGNALED(status))
		snprintf(more, sizeof(more), ",\"signal\":%d%s",
			 WTERMSIG(status), why);
	else
		snprintf(more, sizeof(more), ",\"code\":%d%s",
			 WEXITSTATUS(status), why);
	timeline_event(t, &who, "ended", more);
}
