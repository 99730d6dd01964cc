/* SPDX-License-Identifier: Apache-2.0 */

#include "core/base/ip.h"
#include "core/facts/handover.h"
#include "helpers/auth/munge.h"
#include "helpers/meet/meet_state.h"
#include "sys/left_signals.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOPBACK "127.0.0.1"
#define LOOK_MS	 100

bool meet_wanted(void)
{
	const char *secret = getenv(HANDOVER_SECRET);
	struct auth unused;

	return secret && auth_read_meet(secret, &unused);
}

void met_clear(struct met_secret *met)
{
	free(met->credential);
	sodium_memzero(met, sizeof(*met));
}

unsigned meeting_port(const void *arg, unsigned try)
{
	const struct meeting *m = arg;
	const struct job *job = m->job;

	return port_of_launchers(job->job_id, job->step_id, job->restart,
				 &m->ports, try);
}

static int no_secret(struct meeting *m, const char *why)
{
	snprintf(m->met->why, sizeof(m->met->why), "%.*s", SECRET_WHY_SIZE - 1,
		 why);
	return -1;
}

static int make_secret(struct meeting *m)
{
	struct err err;

	randombytes_buf(m->met->secret, SECRET_SIZE);
	if (m->auth.by_slurm)
		return 0;
	m->met->credential = munge_seal(m->id, m->met->secret, &err);
	return m->met->credential ? 0 : no_secret(m, err.text);
}

int meeting_begin(struct meeting *m)
{
	struct err err;

	auth_handed(getenv(HANDOVER_SECRET), &m->auth);
	*m->met = (struct met_secret){.there = true, .auth = m->auth};
	job_step(m->job, m->id);
	m->ip = m->job->nnodes == 1 ? LOOPBACK : m->job->rank0_addr;
	if (m->job->ntasks == 1)
		return no_secret(m, "the step has one task");
	if (!m->ip)
		return no_secret(m, "the address of task 0's node isn't known");
	if (sodium_init() < 0)
		return no_secret(m, "no random bytes");
	if (m->job->procid == 0)
		return make_secret(m);
	if (m->auth.by_slurm || munge_answers(&err) == 0)
		return 0;
	return no_secret(m, err.text);
}

int meeting_open(struct meeting *m, struct err *err)
{
	const struct asker_options asks = {
		.loop = &m->loop, .auth = m->auth, .id = m->id};
	const struct giver_options gives = {.loop = &m->loop,
					    .auth = m->auth,
					    .id = m->id,
					    .secret = m->met->secret};

	if (m->job->procid) {
		m->asker = asker_open(&asks, err);
		return m->asker ? 0 : -1;
	}
	if (m->auth.by_slurm)
		m->giver = giver_open(&gives, err);
	return m->auth.by_slurm && !m->giver ? -1 : 0;
}

enum client_now meeting_answered(void *arg, const char *text)
{
	struct meeting *m = arg;

	if (asker_open_answer(m->asker, text, m->met->secret, &m->opened) < 0)
		return CLIENT_NO_SECRET;
	m->done = true;
	if (m->learning)
		return CLIENT_SECRET;
	loop_stop(&m->loop);
	return CLIENT_ENOUGH;
}

static void look(void *arg)
{
	struct meeting *m = arg;

	m->ended = signal_is_pending(SIGTERM);
	if (m->ended)
		loop_stop(&m->loop);
	else
		loop_arm(&m->loop, &m->look, LOOK_MS);
}

int meeting_run(struct meeting *m, struct err *err)
{
	m->look = (struct loop_timer){.expired = look, .arg = m};
	loop_arm(&m->loop, &m->look, LOOK_MS);
	return loop_run(&m->loop, err);
}

void meeting_end(struct meeting *m)
{
	client_close(m->client);
	asker_close(m->asker);
	giver_close(m->giver);
	loop_disarm(&m->loop, &m->look);
	loop_close(&m->loop);
}

/* --- the secret alone --- */

void meeting_late(void *arg, int why)
{
	struct meeting *m = arg;

	m->late = why;
	loop_stop(&m->loop);
}

static int ask(struct meeting *m, struct err *err)
{
	struct secure_conn_step step = {
		.loop = &m->loop,
		.secret = m->met->secret,
		.id = m->id,
		.lease_s = request_seconds(m->request, KEY_LEASE),
	};
	struct client_options options = {
		.step = &step,
		.ip = m->ip,
		.timeout_s = meeting_timeout_s(m),
		.ncrowd = m->job->ntasks,
		.answered = meeting_answered,
		.port = meeting_port,
		.port_arg = m,
		.late = meeting_late,
		.arg = m,
	};

	if (loop_open(&m->loop, err) < 0 || meeting_open(m, err) < 0)
		return -1;
	options.asker = m->asker;
	m->client = client_open(&options, err);
	return m->client ? meeting_run(m, err) : -1;
}

/* This node's own fault; of the ports that have answered, the last one's; else
 * the network's. */
static void say_late(struct meeting *m)
{
	const char *own = asker_fault(m->asker);
	char why[SECRET_WHY_SIZE];

	if (own) {
		no_secret(m, own);
		return;
	}
	snprintf(why, sizeof(why),
		 "the launcher of task 0 has sent no secret from %.*s port %u "
		 "within %ld s: %.100s",
		 IP_TEXT_MAX, m->ip, meeting_port(m, 0), meeting_timeout_s(m),
		 *m->opened.text ? m->opened.text : strerror(m->late));
	no_secret(m, why);
}

int meet_for_secret(const struct plan *plan, const struct config *config,
		    struct met_secret *ret, struct err *err)
{
	struct meeting m = {
		.job = plan->job,
		.request = plan->request,
		.ports = plan_other_ports(plan, config),
		.met = ret,
		.loop.epoll_fd = -1,
	};
	struct err why;

	if (ret->there || meeting_begin(&m) < 0 || plan->job->procid == 0)
		return 0;
	if (ask(&m, &why) < 0)
		no_secret(&m, why.text);
	else if (!m.done && m.late)
		say_late(&m);
	meeting_end(&m);
	*err->text = '\0';
	return m.ended ? -1 : 0;
}
