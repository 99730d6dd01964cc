/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/lead/lead.h"

#include "core/base/hostlist.h"
#include "core/base/parse.h"
#include "core/facts/job.h"
#include "core/facts/taskmap.h"
#include "core/option/key_forms.h"
#include "core/plan/resolve.h"
#include "helpers/auth/giver.h"
#include "helpers/conn/loss_lines.h"
#include "helpers/conn/secure_conn.h"
#include "helpers/lead/srun_watch.h"
#include "helpers/progress/progress.h"
#include "helpers/roster/roster.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct lead {
	struct lead_options o;
	char id[JOB_STEP_SIZE];
	struct secure_conn_step step;
	char restart_on[RESTART_ON_SIZE]; /* for the arbiter */
	struct subscription up;		  /* the first one, for `progress` */
	struct giver *giver;		  /* of the secret; or NULL */
	struct server *server;
	struct lead_roster *roster; /* with recovery; or NULL */
	struct progress progress;
	struct loop_timer all_here; /* the time for that is over */
	bool silent;		    /* the step fails for who hasn't come */

	struct srun_watch srun;
	struct loop_timer no_srun; /* armed: it has ended */
	bool told_by_slurm;
	unsigned char outcome; /* of lead_outcome() */
};

static long lead_number(const struct lead *lead, enum key_id id)
{
	return request_number(lead->o.plan->request, id);
}

/* --- what srun is told, and tells --- */

/* That the controller outlives srun by: launchers need five seconds from
 * SIGTERM to SIGKILL. */
#define OUTLIVES_MS 8000

/* All have left; or srun has, long ago: whoever hasn't left by now isn't waited
 * for, and nothing of the step's stays on srun's host. */
static void on_over(void *arg)
{
	const struct lead *lead = arg;

	lead->o.over(lead->o.arg);
}

static void on_srun_gone(void *arg)
{
	struct lead *lead = arg;

	arbiter_stop(server_arbiter(lead->server),
		     "dist-train: srun has ended\n", GONE_CODE, 0);
	server_wait_no_more(lead->server);
	loop_arm(lead->o.loop, &lead->no_srun, OUTLIVES_MS);
}

static void on_end_time(void *arg, int64_t seconds)
{
	struct lead *lead = arg;

	if (lead->o.end_time)
		lead->o.end_time(lead->o.arg, seconds);
}

static void lead_watch_srun(struct lead *lead)
{
	lead->srun = (struct srun_watch){
		.end_time = on_end_time,
		.gone = on_srun_gone,
		.arg = lead,
	};
	lead->no_srun = (struct loop_timer){.expired = on_over, .arg = lead};
	if (lead->o.srun_fd)
		srun_watch_open(&lead->srun, lead->o.loop, lead->o.srun_fd);
}

void lead_told_by_slurm(struct lead *lead)
{
	if (!lead->told_by_slurm)
		srun_watch_tell(&lead->srun, SRUN_TOLD, 1);
	lead->told_by_slurm = true;
}

void lead_outcome(struct lead *lead, unsigned bits)
{
	char text[] = {*SRUN_OUTCOME, 0};

	lead->outcome |= (unsigned char)bits;
	text[1] = (char)lead->outcome;
	srun_watch_tell(&lead->srun, text, sizeof(text));
}

/* What the step's exit code says of that. */
static unsigned char outcome_of(const char *code, enum arbiter_loss loss)
{
	long n;

	if (loss == LOSS_NODE)
		return OUTCOME_NODE_LOST;
	if (loss != LOSS_NONE || parse_number(code, 1, 255, &n) < 0)
		return 0;
	return OUTCOME_FAILED | (n == REQUEUE_NEVER_CODE ? OUTCOME_NEVER : 0);
}

/* With recovery a loss that was made good is no reason any more. */
static bool wants_requeue(const struct lead *lead)
{
	const struct arbiter *arbiter = server_arbiter(lead->server);

	if (lead->roster)
		return arbiter_requeues(arbiter);
	return arbiter_loss(arbiter) == LOSS_NODE &&
	       lead->o.plan->resolved.requeue;
}

static const char *last_word(const struct lead *lead, const char *code,
			     enum arbiter_loss loss)
{
	if (loss == LOSS_NONE && !lead->silent)
		return SRUN_ALL_WELL;
	if (loss != LOSS_NONE && !strcmp(code, "0"))
		return SRUN_LEFT_WELL;
	if (wants_requeue(lead))
		return SRUN_REQUEUE;
	return loss <= LOSS_LAUNCHER ? SRUN_MAY_HANG : SRUN_WILL_HANG;
}

/* The step is over: how it has ended, and the last word. `code` is its exit
 * code. */
static void lead_tell_srun(struct lead *lead, const char *code)
{
	enum arbiter_loss loss = arbiter_loss(server_arbiter(lead->server));

	lead_outcome(lead, outcome_of(code, loss));
	srun_watch_tell(&lead->srun, last_word(lead, code, loss), 1);
}

static void lead_srun_close(struct lead *lead)
{
	srun_watch_close(&lead->srun);
	loop_disarm(lead->o.loop, &lead->no_srun);
}

/* --- which nodes there are, with recovery --- */

/* What the controller of a step that outlives lost nodes knows of them: which
 * are here, which have a place, and the ladder of what follows from a loss. */
struct lead_roster {
	unsigned *node; /* by member, the number of its node */
	struct roster roster;
	struct arbiter_recovery arbiter;
};

static int number_nodes(struct lead_roster *lead, const struct job *job,
			struct err *err)
{
	cleanup_free struct task_place *place = taskmap_make(
		job->tasks, job->taskmap, job->ntasks, job->nnodes, err);

	if (!place)
		return -1;
	lead->node = calloc(job->ntasks, sizeof(*lead->node));
	if (!lead->node)
		return err_memory(err);
	for (unsigned i = 0; i < job->ntasks; i++)
		lead->node[i] = place[i].node;
	return 0;
}

static int make_roster(struct lead_roster *lead, const struct job *job,
		       const struct resolved *resolved, struct err *err)
{
	struct roster_options options = {
		.nnodes = job->nnodes,
		.nspares = resolved->spares,
		.names = job->nodes,
		.order = job->order,
		.ladder = &resolved->ladder,
	};

	return roster_open(&options, &lead->roster, err);
}

static void lead_roster_close(struct lead_roster *lead)
{
	if (!lead)
		return;
	if (lead->roster.node)
		roster_close(&lead->roster);
	free(lead->node);
	free(lead);
}

/* NULL: out of memory, or the step's layout can't be read. */
static struct lead_roster *lead_roster_open(const struct job *job,
					    const struct resolved *resolved,
					    long lease_s, struct err *err)
{
	struct lead_roster *lead = calloc(1, sizeof(*lead));

	if (!lead)
		return err_memory_null(err);
	if (number_nodes(lead, job, err) < 0 ||
	    make_roster(lead, job, resolved, err) < 0) {
		lead_roster_close(lead);
		return NULL;
	}
	lead->arbiter = (struct arbiter_recovery){
		.roster = &lead->roster,
		.node = lead->node,
		.lease_s = lease_s,
	};
	return lead;
}

/* Whether some node's launchers have never come. */
static bool lead_roster_awaits(const struct lead_roster *lead)
{
	for (unsigned i = 0; i < lead->roster.nnodes; i++)
		if (lead->roster.node[i].state == NODE_AWAITED)
			return true;
	return false;
}

/* --- what others ask --- */

struct server *lead_server(const struct lead *lead)
{
	return lead->server;
}

void lead_does(struct lead *lead, const char *text)
{
	progress_does(&lead->progress, text);
}

void lead_told_to_end(struct lead *lead)
{
	server_wait_no_more(lead->server);
}

/* --- for the server --- */

static void on_message(void *arg, char type, const char *data, size_t n)
{
	struct lead *lead = arg;

	if (type == MSG_LEAVE)
		lead_tell_srun(lead, data);
	lead->o.message(lead->o.arg, type, data, n);
}

static void on_up(void *arg, unsigned member, const char *text)
{
	struct lead *lead = arg;
	long up;

	(void)member;
	if (message_number(&text, 0, INT_MAX, &up) == 0)
		progress_add(&lead->progress, (unsigned)up);
}

/* Whoever asks for the secret: the credential in which srun, or a launcher, has
 * got it; or one that is made for him. */
static const char *on_question(void *arg)
{
	struct lead *lead = arg;
	const struct handed_secret *given = lead->o.secret;
	const struct visits *visits = lead->o.visits;

	if (*given->credential)
		return given->credential;
	return visits->answer(visits->arg, lead->id, given->secret.secret);
}

static struct server_options server_of(struct lead *lead)
{
	lead->up = (struct subscription){
		.type = MSG_UP,
		.take = on_up,
		.arg = lead,
		.next = lead->o.told,
	};
	return (struct server_options){
		.step = &lead->step,
		.n = lead->o.job->ntasks,
		.listen_fd = lead->o.listen_fd,
		.node = lead->o.job->node_name,
		.lease_s = lead->roster ? lead->step.lease_s : 0,
		.answer = lead->o.visits && !lead->giver ? on_question : NULL,
		.giver = lead->giver,
		.visits = lead->o.visits,
		.message = on_message,
		.over = on_over,
		.arg = lead,
		.told = &lead->up,
	};
}

/* --- for the arbiter --- */

static void on_say(void *arg, const char *line)
{
	const struct lead *lead = arg;

	lead->o.say(lead->o.arg, line);
}

/* A member that is lost isn't here any more. */
static const char *node_of(const struct lead *lead, unsigned member,
			   char buf[HOSTLIST_NAME_MAX])
{
	const struct job *job = lead->o.job;
	const char *node = server_node_of(lead->server, member);

	if (!node && job->nodes && job->ntasks == job->nnodes &&
	    hostlist_nth(job->nodes, member, buf) == 0)
		node = buf;
	return node ? node : "";
}

static void on_failed(void *arg, unsigned member, int code, const char *line)
{
	const struct lead *lead = arg;
	char node[HOSTLIST_NAME_MAX];

	if (lead->o.failed)
		lead->o.failed(lead->o.arg, node_of(lead, member, node), code,
			       line);
}

static bool is_unsure(const void *arg)
{
	const struct lead *lead = arg;

	return lead->o.unsure && lead->o.unsure(lead->o.arg);
}

static bool restarts_on(const void *arg, int code)
{
	return restart_is_worth(arg, code);
}

static struct arbiter_options arbiter_of(struct lead *lead)
{
	const struct plan *plan = lead->o.plan;

	return (struct arbiter_options){
		.loop = lead->o.loop,
		.by_node = plan->resolved.node_launcher,
		.grace_s = lead_number(lead, KEY_GRACE),
		.rounds = (unsigned)lead_number(lead, KEY_RESTARTS),
		.start_together = lead->o.needs_go,
		.no_deadline = plan->start_command,
		.restarts_on = restarts_on,
		.restart_arg = plan->request,
		.restart_on = restart_on_text(plan->request, lead->restart_on),
		.say = on_say,
		.failed = on_failed,
		.unsure = is_unsure,
		.say_arg = lead,
	};
}

/* Where Slurm's own authentication is the cluster's: launchers ask for it, too.
 */
static int open_giver(struct lead *lead, struct err *err)
{
	struct giver_options options = {
		.loop = lead->o.loop,
		.id = lead->id,
		.secret = lead->step.secret,
	};

	if (!auth_read(lead->o.secret->credential, &options.auth))
		return 0;
	lead->giver = giver_open(&options, err);
	return lead->giver ? 0 : -1;
}

static int open_server(struct lead *lead, struct err *err)
{
	const struct plan *plan = lead->o.plan;
	struct server_options server = server_of(lead);
	struct arbiter_options arbiter = arbiter_of(lead);
	cleanup_free unsigned *group = NULL;

	if (plan->nreplicas) {
		group = world_groups(plan, err);
		if (!group)
			return -1;
		arbiter.group = group;
		arbiter.ngroups = plan->nreplicas;
		arbiter.min_groups = plan->min_replicas;
	}
	if (lead->roster) {
		arbiter.start_together = true;
		arbiter.recovery = &lead->roster->arbiter;
	}
	lead->server = server_open(&server, &arbiter, err);
	return lead->server ? 0 : -1;
}

/* --- who doesn't come --- */

/* Whether the step fails when its launchers don't all meet in time. */
static bool must_meet(const struct lead *lead)
{
	return lead->o.needs_go ||
	       request_word(lead->o.plan->request, KEY_ON_SILENCE) ==
		       ON_SILENCE_FAIL;
}

/* What it means for the step that launchers are missing. */
static const char *absence_means(const struct lead *lead)
{
	if (lead->roster)
		return "; they count as lost";
	if (must_meet(lead))
		return "";
	return lead_number(lead, KEY_RESTARTS)
		       ? "; the step goes on, and nothing is restarted until "
			 "all launchers are here"
		       : "; the step goes on";
}

/* The time is over in which launchers may come. */
static void on_all_here(void *arg)
{
	struct lead *lead = arg;
	struct absence a = {
		.here = {server_members(lead->server), NULL},
		.ntasks = lead->o.job->ntasks,
		.by_node = lead->o.plan->resolved.node_launcher,
		.nodes = getenv("SLURM_STEP_NODELIST"),
		.after_s = lead_number(lead, KEY_TIMEOUT),
		.means = absence_means(lead),
	};
	char line[1024];
	bool absent = absent_line(&a, line, sizeof(line));

	if (lead->roster && !lead_roster_awaits(lead->roster))
		absent = false; /* who came and was lost has been told of */
	lead->silent = absent && !lead->roster && must_meet(lead);
	if (lead->silent)
		arbiter_stop(server_arbiter(lead->server), line, EXIT_FAILURE,
			     0);
	else if (absent)
		lead->o.say(lead->o.arg, line);
	server_wait_no_more(lead->server);
}

/* --- opening and closing --- */

static int begin(struct lead *lead, struct err *err)
{
	const struct lead_options *o = &lead->o;

	if (o->recovery) {
		lead->roster = lead_roster_open(o->job, &o->plan->resolved,
						lead->step.lease_s, err);
		if (!lead->roster)
			return -1;
	}
	if (open_giver(lead, err) < 0 || open_server(lead, err) < 0)
		return -1;
	lead_watch_srun(lead);
	progress_open(&lead->progress, o->loop, o->plan,
		      server_members(lead->server), on_say, lead);
	lead->all_here =
		(struct loop_timer){.expired = on_all_here, .arg = lead};
	if (o->job->ntasks > 1)
		loop_arm(o->loop, &lead->all_here,
			 (uint64_t)lead_number(lead, KEY_TIMEOUT) * 1000);
	return 0;
}

struct lead *lead_open(const struct lead_options *options, struct err *err)
{
	struct lead *lead = calloc(1, sizeof(*lead));

	if (!lead)
		return err_memory_null(err);
	lead->o = *options;
	job_step(options->job, lead->id);
	lead->step = (struct secure_conn_step){
		.loop = options->loop,
		.secret = options->secret->secret.secret,
		.id = lead->id,
		.lease_s = lead_number(lead, KEY_LEASE),
	};
	if (begin(lead, err) == 0)
		return lead;
	lead_close(lead);
	return NULL;
}

void lead_close(struct lead *lead)
{
	if (!lead)
		return;
	loop_disarm(lead->o.loop, &lead->all_here);
	progress_close(&lead->progress);
	lead_srun_close(lead);
	server_close(lead->server);
	giver_close(lead->giver);
	lead_roster_close(lead->roster);
	free(lead);
}
