/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/session_state.h"

#include "helpers/channel/relay.h"

#include <stdio.h>
#include <stdlib.h>

/* For task 0's launcher to give its facts; and for others, until they look for
 * a controller on its node, too. */
#define FACTS_MS 5000

bool session_has_beside(const struct session *t)
{
	const char *text = getenv(HANDOVER_STEP_PORTS);

	return text && !*t->why && !(t->o.met && t->o.met->there) &&
	       getenv("SLURM_LAUNCH_NODE_IPADDR");
}

static int read_ports(struct session *t, struct err *err)
{
	const char *text = getenv(HANDOVER_STEP_PORTS);

	t->beside.ip = getenv("SLURM_LAUNCH_NODE_IPADDR");
	t->beside.began_ms = loop_now_ms();
	if (sscanf(text, "%u %u", &t->beside.port, &t->beside.facts_port) == 2)
		return 0;
	return err_printf(err, "%s: '%s' isn't two ports", HANDOVER_STEP_PORTS,
			  text);
}

/* --- the way there --- */

static bool looks_everywhere(const struct session *t)
{
	return loop_now_ms() - t->beside.began_ms >= FACTS_MS;
}

/* Beside srun; for task 0's launcher until it isn't there, for the others after
 * a while on task 0's node, too: at its relay, and as the controller's own. */
unsigned session_beside_port(const void *arg, unsigned try)
{
	const struct session *t = arg;

	if (t->beside.is_here)
		return session_port(t, try);
	if (try == 0 || (try == 1 && t->job->procid && looks_everywhere(t)))
		return t->beside.port;
	return t->job->procid && looks_everywhere(t) ? session_port(t, try - 2)
						     : 0;
}

const char *session_beside_ip(const void *arg, unsigned try,
			      char ret[HOSTLIST_NAME_MAX])
{
	const struct session *t = arg;

	(void)ret;
	return try == 0 && !t->beside.is_here ? t->beside.ip : t->server_ip;
}

/* Where the controller would be on this node. */
static const char *own_ip(const struct session *t, char buf[HOSTLIST_NAME_MAX])
{
	if (t->job->procid == 0)
		return t->job->nnodes == 1 ? NULL : t->server_ip;
	if (t->job->addrs &&
	    hostlist_nth(t->job->addrs, t->job->nodeid, buf) == 0)
		return buf;
	return NULL;
}

/* The same port: what is said there is bound to it. */
static unsigned relay_port(const void *arg, unsigned try)
{
	const struct session *t = arg;

	return try == 0 ? t->beside.port : 0;
}

static void open_relay(struct session *t)
{
	char ip[HOSTLIST_NAME_MAX];
	const struct relay_options options = {
		.loop = t->o.loop,
		.ip = own_ip(t, ip),
		.port = relay_port,
		.port_arg = t,
		.to_ip = t->beside.ip,
		.to_port = t->beside.port,
		.lease_s = session_number(t, KEY_LEASE),
	};

	t->beside.relay = relay_open(&options);
}

/* --- task 0's facts --- */

static void close_facts(struct session *t)
{
	loop_disarm(t->o.loop, &t->beside.deadline);
	client_close(t->beside.facts);
	t->beside.facts = NULL;
}

/* A launcher that is alone misses srun only where that is to requeue the job.
 */
static bool costs_nothing(const struct session *t)
{
	return t->job->ntasks == 1 && !t->o.plan->resolved.requeue &&
	       !request_text(t->o.plan->request, KEY_REQUEUE);
}

static void say_what_it_costs(struct session *t)
{
	const char *node = t->job->node_name;
	char why[FOREIGN_SIZE], more[128] = "", line[2 * FOREIGN_SIZE];

	if (costs_nothing(t) && !*t->beside.refusal)
		return;
	snprintf(why, sizeof(why),
		 "%.64s can't reach the step's controller on srun's host at "
		 "%.64s port %u",
		 node, t->beside.ip, t->beside.facts_port);
	if (t->o.recovery)
		snprintf(more, sizeof(more), ", and the loss of %.64s ends it",
			 node);
	snprintf(line, sizeof(line),
		 "dist-train: %s: it runs on %.64s, and srun doesn't hear how "
		 "the step ends (requeue) or that nodes are lost%s\n",
		 *t->beside.refusal ? t->beside.refusal : why, node, more);
	t->o.say(t->o.arg, line);
}

/* Its own node has it then. */
static void give_up(struct session *t)
{
	struct err err;

	close_facts(t);
	if (!t->client)
		return; /* this launcher is alone, and leaves */
	t->beside.is_here = true;
	if (session_begin_step(t, &err) == 0)
		say_what_it_costs(t);
	else
		session_step_fail(t, &err);
}

static void on_deadline(void *arg)
{
	give_up(arg);
}

/* It has our facts: from now on we know no other controller. */
static void on_message(void *arg, char type, const char *data, size_t n)
{
	struct session *t = arg;

	(void)n;
	if (type == MSG_SAY && t->beside.deadline.armed) {
		snprintf(t->beside.refusal, sizeof(t->beside.refusal), "%s",
			 data);
		give_up(t);
		return;
	}
	if (type == MSG_SAY)
		t->o.say(t->o.arg, data); /* why it can't lead */
	if (type != MSG_HAVE || !t->beside.deadline.armed)
		return;
	loop_disarm(t->o.loop, &t->beside.deadline);
	client_send(t->beside.facts, MSG_LEAD, "", 0);
	open_relay(t);
}

/* Before it has them: it may be too busy, or is gone. Afterwards it has closed
 * that port. */
static void on_lost(void *arg, int why)
{
	struct session *t = arg;

	(void)why;
	if (t->beside.deadline.armed)
		give_up(t);
	else
		close_facts(t);
}

static void on_late(void *arg, int why)
{
	(void)arg;
	(void)why;
}

static unsigned facts_port(const void *arg, unsigned try)
{
	const struct session *t = arg;

	return try == 0 ? t->beside.facts_port : 0;
}

static int give_facts(struct session *t, struct err *err)
{
	struct client_options options = {
		.step = &t->step,
		.ip = t->beside.ip,
		.hello = t->hello,
		.timeout_s = FACTS_MS / 1000,
		.ncrowd = 1,
		.port = facts_port,
		.port_arg = t,
		.message = on_message,
		.late = on_late,
		.lost = on_lost,
		.arg = t,
	};
	cleanup_free char *text = NULL;
	size_t n;

	text = t->o.facts(t->o.arg, &n);
	if (!text)
		return err_memory(err);
	session_ask_door(t, &options);
	message_hello(t->hello, t->job->procid, t->job->node_name);
	t->beside.facts = client_open(&options, err);
	if (!t->beside.facts)
		return -1;
	client_send(t->beside.facts, MSG_STEP, text, n);
	t->beside.deadline =
		(struct loop_timer){.expired = on_deadline, .arg = t};
	loop_arm(t->o.loop, &t->beside.deadline, FACTS_MS);
	return 0;
}

int session_begin_beside(struct session *t,
			 int (*client)(struct session *session,
				       struct err *err),
			 struct err *err)
{
	if (read_ports(t, err) < 0 ||
	    (!t->job->procid && give_facts(t, err) < 0))
		return -1;
	if (t->job->procid && t->job->localid == 0 && t->o.recovery)
		open_relay(t); /* task 0's node may be lost */
	return client(t, err);
}

void session_beside_close(struct session *t)
{
	if (!t->beside.ip)
		return;
	close_facts(t);
	relay_close(t->beside.relay);
}
