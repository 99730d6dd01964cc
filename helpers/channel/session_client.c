/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/session_state.h"

#include "helpers/conn/loss_lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* After the time in which a node has ended its processes by itself: who has
 * reported a failure and got no order by then leaves. The controller may be
 * stopped, or wait for a file system that is gone. */
#define ANSWER_S (KILL_AFTER_S + 5)

/* The controller is beside srun, as far as this launcher knows. */
static bool is_beside(const struct session *t)
{
	return t->beside.ip && !t->beside.is_here && !t->beside.is_elsewhere;
}

/* It has met the controller on task 0's node, or by way of that. */
static void note_where(struct session *t)
{
	t->beside.is_elsewhere =
		t->beside.ip &&
		!client_is_at(t->client, t->beside.ip, t->beside.port);
}

/* Exactly one launcher speaks for all that have lost the server, which is gone
 * with the first node's where that is on it. */
static bool is_spokesman(const struct session *t)
{
	if (t->job->nnodes == 1 || is_beside(t))
		return t->job->procid == 0;
	return t->o.plan->node_rank == 1 && t->job->localid == 0;
}

/* A world of a step with roles: who ends it says why, and the step's own
 * controller which node is silent. */
static bool is_steps(const struct session *t, int why)
{
	return t->job->world && (t->told_to_end || lost_by_silence(why));
}

static void tell_loss(struct session *t, bool was_there, int why)
{
	const char *node = t->job->rank0_node;
	char line[LOSS_LINE_SIZE];

	if (!was_there)
		line_unreachable(
			line, &(struct line_server){
				      .node = t->job->node_name,
				      .ip = is_beside(t) ? t->beside.ip
							 : t->server_ip,
				      .port = is_beside(t) ? t->beside.port
							   : session_port(t, 0),
				      .after_s = session_number(t, KEY_TIMEOUT),
				      .why = why,
			      });
	else if (is_beside(t) || t->job->procid == 0)
		snprintf(line, sizeof(line),
			 "dist-train: the step's controller %s%.64s has ended, "
			 "or the connection to it is lost (first failure)\n",
			 is_beside(t) ? "beside srun" : "on ",
			 is_beside(t) ? "" : t->job->node_name);
	else
		line_lost(line, why, 0, node ? node : "task 0's node",
			  t->server_silent_s,
			  lost_by_silence(why) ? " (as another node sees it)"
					       : " (first failure)");
	if (was_there && !lost_by_silence(why) && t->interrupted_ms &&
	    loop_now_ms() - t->interrupted_ms < INTERRUPTED_MS)
		*line = '\0'; /* Slurm ends all of them */
	t->alone.quiet = t->ending || !is_spokesman(t) || is_steps(t, why);
	session_alone_stop(
		t, line, GONE_CODE,
		was_there && !is_beside(t) ? session_number(t, KEY_GRACE) : 0);
}

/* What has been told to nobody, or for nothing. */
static void tell_again(struct session *t)
{
	if (*t->failed)
		session_alone_send(t, MSG_FAILED, t->failed, strlen(t->failed));
	if (*t->ended)
		session_alone_send(t, MSG_ENDED, t->ended, strlen(t->ended));
}

/* Failures that the server didn't answer have come after its loss, or by it. */
static void on_loss_is_sure(void *arg)
{
	struct session *t = arg;

	tell_loss(t, true, t->server_lost_why);
	tell_again(t);
}

void session_client_drop(struct session *t)
{
	loop_disarm(t->o.loop, &t->unanswered);
	client_close(t->client);
	t->client = NULL;
	session_alone_begin(t);
}

/* From here on it decides for itself. */
static void go_alone(struct session *t)
{
	session_client_drop(t);
	tell_again(t);
}

static void on_lost(void *arg, int why)
{
	struct session *t = arg;

	if (t->left)
		return;
	t->server_lost_why = why;
	t->server_silent_s = client_silence_s(t->client);
	note_where(t);
	session_client_drop(t);
	loop_arm(t->o.loop, &t->server_lost, KILL_SPREAD_MS);
}

/* A launcher without any network, as in a container of its own, and nobody else
 * waits for. */
static bool is_cut_off(const struct session *t)
{
	return t->job->ntasks == 1 && t->beside.deadline.armed &&
	       client_why(t->beside.facts) == ENETUNREACH;
}

/* There is nothing left to say, and a server that hasn't answered by now may
 * never do. */
static bool needs_no_server(const struct session *t)
{
	return (t->told_to_end || t->late || is_cut_off(t)) && *t->ended &&
	       t->client && !client_is_there(t->client);
}

/* The controller alone could have started them again. */
static void leave_unmet(struct session *t)
{
	long restarts = session_number(t, KEY_RESTARTS);
	char line[256];

	go_alone(t);
	if (!restarts || !*t->failed || t->told_to_end)
		return;
	snprintf(line, sizeof(line),
		 "dist-train: restarts=%ld not used: %.64s hasn't reached the "
		 "step's controller (timeout=%ld)\n",
		 restarts, t->job->node_name, session_number(t, KEY_TIMEOUT));
	t->o.say(t->o.arg, line);
}

/* While processes run, the server may come late; until then this launcher looks
 * after its own ones. */
static void on_late(void *arg, int why)
{
	struct session *t = arg;

	t->late = true;
	if (session_must_meet(t)) {
		go_alone(t);
		tell_loss(t, false, why);
	} else if (needs_no_server(t)) {
		leave_unmet(t);
	}
}

static void on_no_answer(void *arg)
{
	struct session *t = arg;
	const char *node = is_beside(t) ? "srun's host" : t->job->rank0_node;
	char line[512];

	snprintf(line, sizeof(line),
		 "dist-train: the step's controller on %s has not answered a "
		 "failure on %s for %ld s: task %u leaves, and Slurm ends the "
		 "others, unless kill-on-bad-exit is off (srun -K0)\n",
		 node ? node : "task 0's node", t->job->node_name,
		 session_number(t, KEY_GRACE) + ANSWER_S, t->job->procid);
	t->o.say(t->o.arg, line);
	go_alone(t);
}

bool session_client_is_in_doubt(const struct session *t)
{
	return t->server_lost.armed;
}

static void make_timers(struct session *t)
{
	t->server_lost =
		(struct loop_timer){.expired = on_loss_is_sure, .arg = t};
	t->unanswered = (struct loop_timer){.expired = on_no_answer, .arg = t};
}

/* --- what members hand on --- */

static void fetch_sends(void *arg, char type, const char *data, size_t n)
{
	struct session *t = arg;

	if (t->client)
		client_send(t->client, type, data, n);
}

static void begin_fetch(struct session *t,
			void (*message)(void *arg, char type, const char *data,
					size_t n))
{
	bool known = t->client && client_address(t->client, t->own_ip) == 0;
	const struct fetch_options options = {
		.step = &t->step,
		.n = t->job->ntasks,
		.ip = known ? t->own_ip : NULL,
		.node = t->job->node_name,
		.port = session_port,
		.port_arg = t,
		.send = fetch_sends,
		.message = message,
		.arg = t,
	};

	t->fetch = fetch_new(&options);
}

bool session_client_fetches(struct session *t,
			    void (*message)(void *arg, char type,
					    const char *data, size_t n),
			    char type, const char *data, size_t n)
{
	if (type != MSG_SPREAD && type != MSG_FETCH)
		return false;
	if (!t->fetch)
		begin_fetch(t, message);
	if (t->fetch)
		fetch_message(t->fetch, type, data, n);
	else
		fetch_sends(t, type == MSG_FETCH ? MSG_ASK : MSG_SERVES, "0",
			    1);
	return true;
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	struct session *t = arg;

	session_let_go_of_port(t); /* it is the server's */
	if (type == MSG_ECHO && session_may_answer(t))
		client_send(t->client, MSG_BEAT, "", 0);
	else if (type != MSG_ECHO &&
		 !session_client_fetches(arg, session_message, type, data, n))
		session_message(arg, type, data, n);
}

int session_connect(struct session *t, struct client_options *how,
		    struct err *err)
{
	how->step = &t->step;
	how->ip = t->server_ip;
	how->hello = t->hello;
	how->timeout_s = session_number(t, KEY_TIMEOUT);
	how->ncrowd = t->job->ntasks;
	how->port_arg = how->arg = t;
	session_ask(t, how);
	message_hello(t->hello, t->job->procid, t->job->node_name);
	t->client = client_open(how, err);
	return t->client ? 0 : -1;
}

int session_open_client(struct session *t,
			unsigned (*port)(const void *arg, unsigned try),
			const char *(*ip_of)(const void *arg, unsigned try,
					     char ret[HOSTLIST_NAME_MAX]),
			struct err *err)
{
	struct client_options options = {
		.ip_of = ip_of,
		.port = port,
		.message = on_message,
		.late = on_late,
		.lost = on_lost,
	};

	make_timers(t);
	return session_connect(t, &options, err);
}

int session_be_client(struct session *t, struct err *err)
{
	return session_open_client(t, session_port, NULL, err);
}

/* --- sending --- */

void session_client_told_to_end(struct session *t)
{
	if (needs_no_server(t))
		leave_unmet(t);
}

static void note_failed(struct session *t, const char *data)
{
	snprintf(t->failed, sizeof(t->failed), "%s", data);
	if (t->client && client_is_there(t->client) && !t->ending)
		loop_arm(t->o.loop, &t->unanswered,
			 (unsigned long)(session_number(t, KEY_GRACE) +
					 ANSWER_S) *
				 1000);
}

void session_client_send(struct session *t, char type, const char *data,
			 size_t n)
{
	if (type == MSG_FAILED)
		note_failed(t, data);
	if (type == MSG_ENDED)
		snprintf(t->ended, sizeof(t->ended), "%s", data);
	if (type == MSG_ENDED && needs_no_server(t))
		leave_unmet(t);
	else if (t->client)
		client_send(t->client, type, data, n);
}

void session_client_close(struct session *t)
{
	loop_disarm(t->o.loop, &t->server_lost);
	loop_disarm(t->o.loop, &t->unanswered);
	fetch_free(t->fetch);
	client_close(t->client);
}
