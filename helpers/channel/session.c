/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/session.h"

#include "core/base/hostlist.h"
#include "core/facts/handover.h"
#include "core/facts/port.h"
#include "core/option/restart.h"
#include "helpers/channel/absent_nodes.h"
#include "helpers/channel/client.h"
#include "helpers/channel/progress.h"
#include "helpers/channel/seal.h"
#include "helpers/channel/server.h"
#include "helpers/channel/srun_watch.h"
#include "helpers/channel/step_secret.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOPBACK  "127.0.0.1"
#define GONE_CODE (128 + SIGKILL)

/* Slurm's SIGKILL to the step gets everywhere in this: nobody tells a loss. */
#define HUB_LOST_MS 500

struct team {
	struct team_options o;
	const struct job *job;
	struct handover_secret secret;
	char id[JOB_STEP_SIZE];
	char why[128]; /* why there is no secret; "" */
	const char *hub_ip;
	char hello[HOSTLIST_NAME_MAX + 64];
	struct link_step step;
	struct hub *hub;       /* ours; or */
	struct member *member; /* the way to task 0's */
	struct srun_watch srun;
	struct loop_timer late, hub_lost;
	int hub_lost_why;
	struct progress progress;
	bool mute; /* another launcher speaks for this one */
	bool left; /* told to leave: what comes now doesn't count */
	/* what a referee of our own would have to know */
	char failed[64], ended[64];
	unsigned round;
	bool told_to_end;
};

static long key_of(const struct team *t, enum key_id id)
{
	return t->o.plan->request->key[id].number;
}

/* --- the secret --- */

static void read_secret(struct team *t)
{
	step_secret_read(&t->secret, t->why, sizeof(t->why));
	if (!*t->why && !t->hub_ip)
		snprintf(t->why, sizeof(t->why),
			 "the address of task 0's node isn't known");
}

bool team_is_split(const struct team *t, const char **ret_why)
{
	*ret_why = t->why;
	return t->job->ntasks > 1 && *t->why;
}

int team_secret(const struct team *t, const char *purpose,
		char ret[SECURE_WORD_SIZE], struct err *err)
{
	const char *why;

	if (team_is_split(t, &why))
		return err_printf(err,
				  "the launchers of the step can't agree on a "
				  "secret: %s",
				  why);
	if (secure_word(*why ? NULL : t->secret.secret, t->id, purpose, ret) <
	    0)
		return err_printf(err, "no random bytes");
	return 0;
}

/* --- ports --- */

static unsigned port_to_try(const void *arg, unsigned try)
{
	const struct team *t = arg;
	const struct config *c = t->o.config;

	return port_of_launchers(t->job->job_id, t->job->step_id,
				 t->job->restart, c->port_min, c->port_max,
				 t->o.plan->coordinator.port, t->o.plan->nports,
				 try);
}

/* --- a hub of our own --- */

static void say(void *arg, const char *line)
{
	struct team *t = arg;

	if (!t->mute)
		t->o.say(t->o.arg, line);
}

static void tell_srun(struct team *t)
{
	enum referee_loss loss = referee_loss(hub_referee(t->hub));
	const struct request *r = t->o.plan->request;

	if (loss == LOSS_NONE)
		srun_watch_tell(&t->srun, SRUN_ALL_WELL);
	else if (loss == LOSS_NODE &&
		 request_word(r, KEY_ON_NODE_LOSS) == ON_NODE_LOSS_REQUEUE)
		srun_watch_tell(&t->srun, SRUN_REQUEUE);
	else
		srun_watch_tell(&t->srun, loss == LOSS_LAUNCHER
						  ? SRUN_MAY_HANG
						  : SRUN_WILL_HANG);
}

static void hub_message(void *arg, char type, const char *data, size_t n)
{
	struct team *t = arg;

	if (type == MSG_GO)
		t->round = (unsigned)strtoul(data, NULL, 10);
	if (type == MSG_LEAVE)
		t->left = true;
	if (type == MSG_LEAVE && t->hub)
		tell_srun(t);
	t->o.message(t->o.arg, type, data, n);
}

static void hub_up(void *arg, unsigned n)
{
	struct team *t = arg;

	progress_add(&t->progress, n);
}

static bool restarts_on(const void *arg, int code)
{
	return restart_is_worth(arg, code);
}

static int open_hub(struct team *t, unsigned n, struct err *err)
{
	bool all = n == t->job->ntasks;
	struct referee_options referee = {
		.loop = t->o.loop,
		.grace_s = key_of(t, KEY_GRACE),
		.round = t->round,
		.rounds = all ? (unsigned)key_of(t, KEY_RESTARTS) : 0,
		.together = all && t->o.needs_go,
		.patient = all && t->o.plan->start_command,
		.timeout_s = key_of(t, KEY_TIMEOUT),
		.restarts_on = restarts_on,
		.restart_arg = t->o.plan->request,
	};
	struct hub_options hub = {
		.step = &t->step,
		.n = n,
		.node = t->job->node_name,
		.port = port_to_try,
		.port_arg = t,
		.message = hub_message,
		.up = hub_up,
		.say = say,
		.arg = t,
	};

	t->hub = hub_open(&hub, &referee, err);
	return t->hub ? 0 : -1;
}

static void srun_gone(void *arg)
{
	struct team *t = arg;

	referee_stop(hub_referee(t->hub),
		     "dist-train: srun is gone (killed, or its host or network "
		     "lost)\n",
		     GONE_CODE, 0);
}

static void watch_srun(struct team *t)
{
	const char *port = getenv(HANDOVER_SRUN_PORT);
	const char *ip = getenv("SLURM_LAUNCH_NODE_IPADDR");

	if (port && ip && !*t->why)
		srun_watch_open(&t->srun, t->o.loop, ip,
				(unsigned)strtoul(port, NULL, 10),
				key_of(t, KEY_LEASE), t->secret.token,
				srun_gone, t);
}

/* Who has not come in time. */
static void late(void *arg)
{
	struct team *t = arg;
	char line[1024];

	if (!missing_line(t->hub, t->job->ntasks, getenv("SLURM_STEP_NODELIST"),
			  key_of(t, KEY_TIMEOUT), line, sizeof(line)))
		return;
	if (t->o.needs_go)
		referee_stop(hub_referee(t->hub), line, EXIT_FAILURE, 0);
	else
		t->o.say(t->o.arg, line);
}

static int be_centre(struct team *t, unsigned n, struct err *err)
{
	if (open_hub(t, n, err) < 0)
		return -1;
	watch_srun(t);
	if (n == t->job->ntasks)
		progress_open(&t->progress, t->o.loop, t->o.plan, t->hub, say,
			      t);
	if (n > 1)
		loop_arm(t->o.loop, &t->late,
			 (unsigned long)key_of(t, KEY_TIMEOUT) * 1000);
	return 0;
}

/* --- without the hub --- */

/* Exactly one launcher speaks for all that have lost the hub. */
static bool speaks(const struct team *t)
{
	return t->o.plan->node_rank == 1 && t->job->localid == 0;
}

static void tell_loss(struct team *t, bool was_there, int why)
{
	char line[512];

	if (!was_there)
		snprintf(line, sizeof(line),
			 "dist-train: %s can't reach the launcher of task 0 at "
			 "%s port %u within %ld s: %s; the nodes must reach "
			 "each other at the ports of the administrator's "
			 "ports=\n",
			 t->job->node_name, t->hub_ip, port_to_try(t, 0),
			 key_of(t, KEY_TIMEOUT), strerror(why));
	else
		snprintf(line, sizeof(line),
			 "dist-train: task 0's node is lost: %s\n",
			 why ? strerror(why) : "its launcher was killed");
	t->mute = !speaks(t);
	referee_stop(hub_referee(t->hub), line, GONE_CODE,
		     was_there ? key_of(t, KEY_GRACE) : 0);
}

static void was_not_meant(void *arg)
{
	struct team *t = arg;

	tell_loss(t, true, t->hub_lost_why);
}

static void lost_hub(void *arg, bool was_there, int why)
{
	struct team *t = arg;
	struct err err;

	if (t->left)
		return;
	member_close(t->member);
	t->member = NULL;
	if (open_hub(t, 1, &err) < 0)
		exit(EXIT_FAILURE); /* its processes die with it */
	t->hub_lost_why = why;
	if (*t->failed)
		referee_hear(hub_referee(t->hub), 0, MSG_FAILED, t->failed,
			     strlen(t->failed));
	if (*t->ended)
		referee_hear(hub_referee(t->hub), 0, MSG_ENDED, t->ended,
			     strlen(t->ended));
	if (was_there)
		loop_arm(t->o.loop, &t->hub_lost, HUB_LOST_MS);
	else if (t->o.needs_go)
		tell_loss(t, false, why);
}

static int be_member(struct team *t, struct err *err)
{
	struct member_options options = {
		.step = &t->step,
		.ip = t->hub_ip,
		.hello = t->hello,
		.timeout_s = key_of(t, KEY_TIMEOUT),
		.port = port_to_try,
		.port_arg = t,
		.message = hub_message,
		.lost = lost_hub,
		.arg = t,
	};

	snprintf(t->hello, sizeof(t->hello), "%d %u %s", MESSAGE_VERSION,
		 t->job->procid, t->job->node_name);
	t->member = member_open(&options, err);
	return t->member ? 0 : -1;
}

/* --- opening and closing --- */

/* Nobody may ever answer, and there is nothing left to say. */
static bool needs_no_hub(const struct team *t)
{
	return t->told_to_end && *t->ended && t->member &&
	       !member_is_there(t->member);
}

void team_told_to_end(struct team *t)
{
	t->told_to_end = true;
	if (needs_no_hub(t))
		lost_hub(t, false, 0);
}

void team_send(struct team *t, char type, const char *data, size_t n)
{
	if (type == MSG_FAILED)
		snprintf(t->failed, sizeof(t->failed), "%s", data);
	if (type == MSG_ENDED)
		snprintf(t->ended, sizeof(t->ended), "%s", data);
	if (type == MSG_ENDED && needs_no_hub(t))
		lost_hub(t, false, 0);
	else if (t->member)
		member_send(t->member, type, data, n);
	else if (type == MSG_UP)
		hub_up(t, (unsigned)strtoul(data, NULL, 10));
	else
		referee_hear(hub_referee(t->hub), 0, type, data, n);
}

struct team *team_open(const struct team_options *options, struct err *err)
{
	struct team *t = calloc(1, sizeof(*t));
	bool alone;
	int rc;

	if (!t) {
		err_memory(err);
		return NULL;
	}
	t->o = *options;
	t->job = options->plan->job;
	t->hub_ip = t->job->nnodes == 1 ? LOOPBACK : t->job->rank0_addr;
	t->srun.watch.fd = -1;
	t->late = (struct loop_timer){.expired = late, .arg = t};
	t->hub_lost = (struct loop_timer){.expired = was_not_meant, .arg = t};
	read_secret(t);
	job_step(t->job, t->id);
	t->step = (struct link_step){
		.loop = options->loop,
		.secret = t->secret.secret,
		.id = t->id,
		.lease_s = key_of(t, KEY_LEASE),
	};
	alone = t->job->ntasks == 1 || *t->why;
	if (alone && t->job->ntasks > 1 && key_of(t, KEY_RESTARTS))
		rc = err_printf(err,
				"restarts=%ld: the step's launchers can't meet "
				"here: %s",
				key_of(t, KEY_RESTARTS), t->why);
	else if (alone && t->job->procid != 0)
		rc = open_hub(t, 1, err);
	else if (t->job->procid == 0)
		rc = be_centre(t, alone ? 1 : t->job->ntasks, err);
	else
		rc = be_member(t, err);
	if (rc == 0)
		return t;
	team_close(t);
	return NULL;
}

void team_close(struct team *t)
{
	if (!t)
		return;
	loop_disarm(t->o.loop, &t->late);
	loop_disarm(t->o.loop, &t->hub_lost);
	progress_close(&t->progress);
	srun_watch_close(&t->srun);
	member_close(t->member);
	hub_close(t->hub);
	sodium_memzero(&t->secret, sizeof(t->secret));
	free(t);
}
