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

struct session {
	struct session_options o;
	const struct job *job;
	struct handover_secret secret;
	char id[JOB_STEP_SIZE];
	char why[128]; /* why there is no secret; "" */
	const char *server_ip;
	char hello[HOSTLIST_NAME_MAX + 64];
	struct secure_conn_step step;
	struct server *server; /* ours; or */
	struct client *member; /* the way to task 0's */
	struct srun_watch srun;
	struct loop_timer late, server_lost;
	int server_lost_why;
	struct progress progress;
	bool suppress_output; /* another launcher speaks for this one */
	bool left;	      /* told to leave: what comes now doesn't count */
	/* what a arbiter of our own would have to know */
	char failed[64], ended[64];
	unsigned round;
	bool told_to_end;
};

static long key_of(const struct session *t, enum key_id id)
{
	return request_number(t->o.plan->request, id);
}

/* --- the secret --- */

static void read_secret(struct session *t)
{
	step_secret_read(&t->secret, t->why, sizeof(t->why));
	if (!*t->why && !t->server_ip)
		snprintf(t->why, sizeof(t->why),
			 "the address of task 0's node isn't known");
}

bool session_no_channel(const struct session *t, const char **ret_why)
{
	*ret_why = t->why;
	return t->job->ntasks > 1 && *t->why;
}

int session_secret(const struct session *t, const char *purpose,
		   char ret[SEAL_WORD_SIZE], struct err *err)
{
	const char *why;

	if (session_no_channel(t, &why))
		return err_printf(err,
				  "the launchers of the step can't agree on a "
				  "secret: %s",
				  why);
	if (seal_word(*why ? NULL : t->secret.secret, t->id, purpose, ret) < 0)
		return err_printf(err, "no random bytes");
	return 0;
}

/* --- ports --- */

static unsigned port_to_try(const void *arg, unsigned try)
{
	const struct session *t = arg;
	const struct config *c = t->o.config;

	return port_of_launchers(t->job->job_id, t->job->step_id,
				 t->job->restart, c->port_min, c->port_max,
				 t->o.plan->coordinator.port, t->o.plan->nports,
				 try);
}

/* --- a server of our own --- */

static void say(void *arg, const char *line)
{
	struct session *t = arg;

	if (!t->suppress_output)
		t->o.say(t->o.arg, line);
}

static void tell_srun(struct session *t)
{
	enum arbiter_loss loss = arbiter_loss(server_arbiter(t->server));
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

static void server_message(void *arg, char type, const char *data, size_t n)
{
	struct session *t = arg;

	if (type == MSG_GO)
		t->round = (unsigned)strtoul(data, NULL, 10);
	if (type == MSG_LEAVE)
		t->left = true;
	if (type == MSG_LEAVE && t->server)
		tell_srun(t);
	t->o.message(t->o.arg, type, data, n);
}

static void hub_up(void *arg, unsigned n)
{
	struct session *t = arg;

	progress_add(&t->progress, n);
}

static bool restarts_on(const void *arg, int code)
{
	return restart_is_worth(arg, code);
}

static int open_server(struct session *t, unsigned n, struct err *err)
{
	bool all = n == t->job->ntasks;
	struct arbiter_options arbiter = {
		.loop = t->o.loop,
		.grace_s = key_of(t, KEY_GRACE),
		.round = t->round,
		.rounds = all ? (unsigned)key_of(t, KEY_RESTARTS) : 0,
		.start_together = all && t->o.needs_go,
		.no_deadline = all && t->o.plan->start_command,
		.timeout_s = key_of(t, KEY_TIMEOUT),
		.restarts_on = restarts_on,
		.restart_arg = t->o.plan->request,
	};
	struct server_options server = {
		.step = &t->step,
		.n = n,
		.node = t->job->node_name,
		.port = port_to_try,
		.port_arg = t,
		.message = server_message,
		.up = hub_up,
		.say = say,
		.arg = t,
	};

	t->server = server_open(&server, &arbiter, err);
	return t->server ? 0 : -1;
}

static void srun_gone(void *arg)
{
	struct session *t = arg;

	arbiter_stop(server_arbiter(t->server),
		     "dist-train: srun is gone (killed, or its host or network "
		     "lost)\n",
		     GONE_CODE, 0);
}

static void watch_srun(struct session *t)
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
	struct session *t = arg;
	char line[1024];

	if (!absent_line(t->server, t->job->ntasks,
			 getenv("SLURM_STEP_NODELIST"), key_of(t, KEY_TIMEOUT),
			 line, sizeof(line)))
		return;
	if (t->o.needs_go)
		arbiter_stop(server_arbiter(t->server), line, EXIT_FAILURE, 0);
	else
		t->o.say(t->o.arg, line);
}

static int be_server(struct session *t, unsigned n, struct err *err)
{
	if (open_server(t, n, err) < 0)
		return -1;
	watch_srun(t);
	if (n == t->job->ntasks)
		progress_open(&t->progress, t->o.loop, t->o.plan, t->server,
			      say, t);
	if (n > 1)
		loop_arm(t->o.loop, &t->late,
			 (unsigned long)key_of(t, KEY_TIMEOUT) * 1000);
	return 0;
}

/* --- without the server --- */

/* Exactly one launcher speaks for all that have lost the server. */
static bool is_spokesman(const struct session *t)
{
	return t->o.plan->node_rank == 1 && t->job->localid == 0;
}

static void tell_loss(struct session *t, bool was_there, int why)
{
	char line[512];

	if (!was_there)
		snprintf(line, sizeof(line),
			 "dist-train: %s can't reach the launcher of task 0 at "
			 "%s port %u within %ld s: %s; the nodes must reach "
			 "each other at the ports of the administrator's "
			 "ports=\n",
			 t->job->node_name, t->server_ip, port_to_try(t, 0),
			 key_of(t, KEY_TIMEOUT), strerror(why));
	else
		snprintf(line, sizeof(line),
			 "dist-train: task 0's node is lost: %s\n",
			 why ? strerror(why) : "its launcher was killed");
	t->suppress_output = !is_spokesman(t);
	arbiter_stop(server_arbiter(t->server), line, GONE_CODE,
		     was_there ? key_of(t, KEY_GRACE) : 0);
}

static void was_not_meant(void *arg)
{
	struct session *t = arg;

	tell_loss(t, true, t->server_lost_why);
}

static void lost_hub(void *arg, bool was_there, int why)
{
	struct session *t = arg;
	struct err err;

	if (t->left)
		return;
	client_close(t->member);
	t->member = NULL;
	if (open_server(t, 1, &err) < 0)
		exit(EXIT_FAILURE); /* its processes die with it */
	t->server_lost_why = why;
	if (*t->failed)
		arbiter_handle(server_arbiter(t->server), 0, MSG_FAILED,
			       t->failed, strlen(t->failed));
	if (*t->ended)
		arbiter_handle(server_arbiter(t->server), 0, MSG_ENDED,
			       t->ended, strlen(t->ended));
	if (was_there)
		loop_arm(t->o.loop, &t->server_lost, HUB_LOST_MS);
	else if (t->o.needs_go)
		tell_loss(t, false, why);
}

static int be_client(struct session *t, struct err *err)
{
	struct client_options options = {
		.step = &t->step,
		.ip = t->server_ip,
		.hello = t->hello,
		.timeout_s = key_of(t, KEY_TIMEOUT),
		.port = port_to_try,
		.port_arg = t,
		.message = server_message,
		.lost = lost_hub,
		.arg = t,
	};

	snprintf(t->hello, sizeof(t->hello), "%d %u %s", MESSAGE_VERSION,
		 t->job->procid, t->job->node_name);
	t->member = client_open(&options, err);
	return t->member ? 0 : -1;
}

/* --- opening and closing --- */

/* Nobody may ever answer, and there is nothing left to say. */
static bool needs_no_hub(const struct session *t)
{
	return t->told_to_end && *t->ended && t->member &&
	       !client_is_there(t->member);
}

void session_told_to_end(struct session *t)
{
	t->told_to_end = true;
	if (needs_no_hub(t))
		lost_hub(t, false, 0);
}

void session_send(struct session *t, char type, const char *data, size_t n)
{
	if (type == MSG_FAILED)
		snprintf(t->failed, sizeof(t->failed), "%s", data);
	if (type == MSG_ENDED)
		snprintf(t->ended, sizeof(t->ended), "%s", data);
	if (type == MSG_ENDED && needs_no_hub(t))
		lost_hub(t, false, 0);
	else if (t->member)
		client_send(t->member, type, data, n);
	else if (type == MSG_UP)
		hub_up(t, (unsigned)strtoul(data, NULL, 10));
	else
		arbiter_handle(server_arbiter(t->server), 0, type, data, n);
}

struct session *session_open(const struct session_options *options,
			     struct err *err)
{
	struct session *t = calloc(1, sizeof(*t));
	bool single;
	int rc;

	if (!t) {
		err_memory(err);
		return NULL;
	}
	t->o = *options;
	t->job = options->plan->job;
	t->server_ip = t->job->nnodes == 1 ? LOOPBACK : t->job->rank0_addr;
	t->srun.watch.fd = -1;
	t->late = (struct loop_timer){.expired = late, .arg = t};
	t->server_lost =
		(struct loop_timer){.expired = was_not_meant, .arg = t};
	read_secret(t);
	job_step(t->job, t->id);
	t->step = (struct secure_conn_step){
		.loop = options->loop,
		.secret = t->secret.secret,
		.id = t->id,
		.lease_s = key_of(t, KEY_LEASE),
	};
	single = t->job->ntasks == 1 || *t->why;
	if (single && t->job->ntasks > 1 && key_of(t, KEY_RESTARTS))
		rc = err_printf(err,
				"restarts=%ld: the step's launchers can't meet "
				"here: %s",
				key_of(t, KEY_RESTARTS), t->why);
	else if (single && t->job->procid != 0)
		rc = open_server(t, 1, err);
	else if (t->job->procid == 0)
		rc = be_server(t, single ? 1 : t->job->ntasks, err);
	else
		rc = be_client(t, err);
	if (rc == 0)
		return t;
	session_close(t);
	return NULL;
}

void session_close(struct session *t)
{
	if (!t)
		return;
	loop_disarm(t->o.loop, &t->late);
	loop_disarm(t->o.loop, &t->server_lost);
	progress_close(&t->progress);
	srun_watch_close(&t->srun);
	client_close(t->member);
	server_close(t->server);
	sodium_memzero(&t->secret, sizeof(t->secret));
	free(t);
}
