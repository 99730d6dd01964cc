/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/session_server.h"

#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "core/facts/port.h"
#include "core/option/restart.h"
#include "core/plan/world.h"
#include "helpers/arbiter/arbiter_lines.h"
#include "helpers/channel/session_state.h"
#include "helpers/conn/question.h"
#include "helpers/progress/absent_nodes.h"
#include "helpers/recovery/lead.h"
#include "helpers/srun/session_srun.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned session_port(const void *arg, unsigned try)
{
	const struct session *t = arg;
	const struct config *c = t->o.config;

	return port_of_launchers(t->job->job_id, t->job->step_id,
				 t->job->restart, c->port_min, c->port_max,
				 t->o.plan->coordinator.port, t->o.plan->nports,
				 try);
}

static void on_say(void *arg, const char *line)
{
	struct session *t = arg;

	if (!t->suppress_output)
		t->o.say(t->o.arg, line);
}

static void note_round(struct session *t, const char *data)
{
	long round;

	if (message_number(&data, 0, INT_MAX, &round) == 0)
		t->round = (unsigned)round;
}

void session_message(void *arg, char type, const char *data, size_t n)
{
	struct session *t = arg;

	if (type == MSG_GO)
		note_round(t, data);
	if (type == MSG_GO || type == MSG_END) {
		t->ending = type == MSG_END;
		loop_disarm(t->o.loop, &t->unanswered);
	}
	if (type == MSG_LEAVE)
		t->left = true;
	if (type == MSG_LEAVE && t->server)
		session_tell_srun(t, data);
	t->o.message(t->o.arg, type, data, n);
}

/* A member that is lost isn't here any more. */
static const char *node_of(const struct session *t, unsigned member,
			   char buf[HOSTLIST_NAME_MAX])
{
	const struct job *job = t->job;
	const char *node = server_node_of(t->server, member);

	if (!node && job->nodes && job->ntasks == job->nnodes &&
	    hostlist_nth(job->nodes, member, buf) == 0)
		node = buf;
	return node ? node : "";
}

static void on_failed(void *arg, unsigned member, int code, const char *line)
{
	const struct session *t = arg;
	char node[HOSTLIST_NAME_MAX];

	if (t->o.failed && !t->suppress_output)
		t->o.failed(t->o.arg, node_of(t, member, node), code, line);
}

static void on_up(void *arg, unsigned member, const char *text)
{
	struct session *t = arg;
	long up;

	(void)member;
	if (message_number(&text, 0, INT_MAX, &up) == 0)
		progress_add(&t->progress, (unsigned)up);
}

static bool restarts_on(const void *arg, int code)
{
	return restart_is_worth(arg, code);
}

static void fill_arbiter(struct session *t, unsigned n,
			 struct arbiter_options *ret)
{
	bool all = n == t->job->ntasks;

	*ret = (struct arbiter_options){
		.loop = t->o.loop,
		.by_node = t->o.plan->resolved.node_launcher,
		.grace_s = session_number(t, KEY_GRACE),
		.round = t->round,
		.rounds = all ? (unsigned)session_number(t, KEY_RESTARTS) : 0,
		.start_together = all && t->o.needs_go,
		.no_deadline = all && t->o.plan->start_command,
		.restarts_on = restarts_on,
		.restart_arg = t->o.plan->request,
		.restart_on =
			restart_on_text(t->o.plan->request, t->restart_on),
		.say = on_say,
		.failed = on_failed,
		.say_arg = t,
	};
}

static const char *on_question(void *arg)
{
	struct session *t = arg;

	if (t->refusal)
		return t->refusal;
	if (is_met(t) && !t->own_secret)
		return t->o.met->credential;
	if (*t->credential)
		return t->credential;
	return t->o.visits->answer(t->o.visits->arg, t->id, t->secret.secret);
}

/* Task 0's launcher can't ask the others: whoever comes is told why. */
static bool refuses(struct session *t, unsigned n)
{
	if (n == t->job->ntasks || t->job->procid || !t->o.visits || !*t->why)
		return false;
	if (!t->refusal)
		t->refusal = question_refusal(t->why);
	return t->refusal;
}

static void on_over(void *arg)
{
	const struct session *t = arg;

	t->o.over(t->o.arg);
}

static bool may_visit(const struct session *t)
{
	return t->o.visits && (!*t->why || t->own_secret);
}

const char *session_server_ip(const struct session *t)
{
	return may_visit(t) && t->job->nnodes == 1 ? NULL : t->server_ip;
}

static struct server_options server_of(struct session *t, unsigned n)
{
	bool all = n == t->job->ntasks;
	bool visits = all && may_visit(t);
	bool answers = visits || (all && is_met(t)) || refuses(t, n);

	t->up = (struct subscription){
		.type = MSG_UP, .take = on_up, .arg = t, .next = t->o.told};
	return (struct server_options){
		.step = &t->step,
		.n = n,
		.self = t->o.listen_fd ? MEMBER_NONE : 0,
		.listen_fd = all ? t->listen_fd : 0,
		.lease_s = t->lead ? t->step.lease_s : 0,
		.node = t->job->node_name,
		.ip = all ? session_server_ip(t) : t->server_ip,
		.answer = answers ? on_question : NULL,
		.visits = visits ? t->o.visits : NULL,
		.port = session_port,
		.port_arg = t,
		.message = session_message,
		.over = on_over,
		.arg = t,
		.told = &t->up,
	};
}

int session_open_server(struct session *t, unsigned n, struct err *err)
{
	bool all = n == t->job->ntasks;
	struct server_options server = server_of(t, n);
	struct arbiter_options arbiter;
	cleanup_free unsigned *group = NULL;

	fill_arbiter(t, n, &arbiter);
	if (all && t->o.plan->nreplicas) {
		group = world_groups(t->o.plan, err);
		if (!group)
			return -1;
		arbiter.group = group;
		arbiter.ngroups = t->o.plan->nreplicas;
		arbiter.min_groups = t->o.plan->min_replicas;
	}
	if (t->lead)
		lead_arbiter(t->lead, &arbiter);
	t->server = server_open(&server, &arbiter, err);
	if (t->server && all)
		t->listen_fd = 0; /* it is the server's */
	return t->server ? 0 : -1;
}

/* What it means for the step that launchers are missing. */
static const char *absence_means(const struct session *t)
{
	if (t->lead)
		return "; they count as lost";
	if (session_must_meet(t))
		return "";
	return session_number(t, KEY_RESTARTS)
		       ? "; the step goes on, and nothing is restarted until "
			 "all launchers are here"
		       : "; the step goes on";
}

/* The time is over in which launchers may come. */
static void on_all_here(void *arg)
{
	struct session *t = arg;
	struct absence a = {
		.server = t->server,
		.ntasks = t->job->ntasks,
		.by_node = t->o.plan->resolved.node_launcher,
		.nodes = getenv("SLURM_STEP_NODELIST"),
		.after_s = session_number(t, KEY_TIMEOUT),
		.means = absence_means(t),
	};
	char line[1024];
	bool absent = absent_line(&a, line, sizeof(line));

	if (t->lead && !lead_awaits(t->lead))
		absent = false; /* who came and was lost has been told of */
	t->silent = absent && !t->lead && session_must_meet(t);
	if (t->silent)
		arbiter_stop(server_arbiter(t->server), line, EXIT_FAILURE, 0);
	else if (absent)
		t->o.say(t->o.arg, line);
	server_wait_no_more(t->server);
}

int session_be_server(struct session *t, unsigned n, struct err *err)
{
	if (t->o.recovery)
		t->lead = lead_open(t, err);
	if ((t->o.recovery && !t->lead) || session_open_server(t, n, err) < 0)
		return -1;
	session_watch_srun(t);
	if (n == t->job->ntasks)
		progress_open(&t->progress, t->o.loop, t->o.plan, t->server,
			      on_say, t);
	t->all_here = (struct loop_timer){.expired = on_all_here, .arg = t};
	if (n > 1)
		loop_arm(t->o.loop, &t->all_here,
			 (unsigned long)session_number(t, KEY_TIMEOUT) * 1000);
	return 0;
}

void session_server_close(struct session *t)
{
	loop_disarm(t->o.loop, &t->all_here);
	progress_close(&t->progress);
	srun_watch_close(&t->srun);
	loop_disarm(t->o.loop, &t->no_srun);
	server_close(t->server);
	lead_close(t->lead);
	free(t->refusal);
}
