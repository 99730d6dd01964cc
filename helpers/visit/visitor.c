/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/visitor.h"

#include "core/facts/handover.h"
#include "core/facts/port.h"
#include "helpers/channel/message.h"
#include "helpers/conn/client.h"
#include "helpers/meet/munge.h"
#include "sys/loop.h"

#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REACH_S	  10
#define ID_SIZE	  96
#define HELLO_MAX 512
#define LEASE_S	  30

struct visiting {
	const struct visit *visit;
	struct loop loop;
	struct client *client;
	struct secure_conn_step step;
	unsigned char secret[SECRET_SIZE];
	char id[ID_SIZE], hello[HELLO_MAX];
	struct loop_timer deadline;
	bool done;
	int rc;
	struct err *err;
};

static int stop(struct visiting *v, int rc)
{
	v->done = true;
	v->rc = rc;
	loop_stop(&v->loop);
	return rc;
}

static unsigned port(const void *arg, unsigned try)
{
	const struct visit *visit = ((const struct visiting *)arg)->visit;
	const struct found_step *s = visit->step;

	return port_of_launchers(s->job_id, s->step_id, s->restart,
				 visit->port_min, visit->port_max, 0, 0, try);
}

static enum client_now answered(void *arg, const char *text)
{
	struct visiting *v = arg;
	struct err unused;

	return munge_open(text, v->id, v->secret, &unused) < 0
		       ? CLIENT_NO_SECRET
		       : CLIENT_SECRET;
}

/* MEMBER NODE\nROWS */
static void show(struct visiting *v, const char *data, size_t n)
{
	char node[HOSTLIST_NAME_MAX];
	const char *end;
	char *rows;
	long member;

	if (message_number(&data, 0, INT_MAX, &member) < 0)
		return;
	end = memchr(data, '\n', n);
	if (!end || (size_t)(end - data) >= sizeof(node))
		return;
	snprintf(node, sizeof(node), "%.*s", (int)(end - data), data);
	rows = strdup(end + 1);
	if (rows)
		v->visit->shown(v->visit->arg, (unsigned)member, node, rows);
	free(rows);
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	struct visiting *v = arg;

	if (type == MSG_SHOW)
		show(v, data, n);
	else if (type == MSG_SHOWN && *data)
		stop(v, err_printf(v->err, "step %lu.%lu: %.300s",
				   v->visit->step->job_id,
				   v->visit->step->step_id, data));
	else if (type == MSG_SHOWN)
		stop(v, 0);
}

static void on_lost(void *arg, int why)
{
	struct visiting *v = arg;

	(void)why;
	stop(v, err_printf(v->err, "step %lu.%lu ended while it was asked",
			   v->visit->step->job_id, v->visit->step->step_id));
}

static void on_late(void *arg, int why)
{
	struct visiting *v = arg;

	stop(v, err_printf(v->err,
			   "step %lu.%lu can't be reached at %s port %u: %s; "
			   "it has launchers only in device mode or with "
			   "supervise=yes",
			   v->visit->step->job_id, v->visit->step->step_id,
			   v->visit->step->ip[0], port(v, 0), strerror(why)));
}

static void on_deadline(void *arg)
{
	struct visiting *v = arg;

	stop(v, err_printf(v->err, "step %lu.%lu doesn't answer",
			   v->visit->step->job_id, v->visit->step->step_id));
}

int visit_step(const struct visit *visit, struct err *err)
{
	struct visiting v = {.visit = visit, .err = err, .rc = -1};
	struct client_options options = {
		.step = &v.step,
		.ip = visit->step->ip[0],
		.hello_type = MSG_VISIT,
		.welcome_type = MSG_WELCOME,
		.hello = v.hello,
		.timeout_s = REACH_S,
		.answered = answered,
		.port = port,
		.port_arg = &v,
		.message = on_message,
		.late = on_late,
		.lost = on_lost,
		.arg = &v,
	};

	if (sodium_init() < 0)
		return err_printf(err, "no random bytes");
	if (loop_open(&v.loop, err) < 0)
		return -1;
	snprintf(v.id, sizeof(v.id), "%lu.%lu.%u", visit->step->job_id,
		 visit->step->step_id, visit->step->restart);
	snprintf(v.hello, sizeof(v.hello), "%d %ld %s", MESSAGE_VERSION,
		 visit->ms, visit->what);
	v.step = (struct secure_conn_step){
		.loop = &v.loop,
		.secret = v.secret,
		.id = v.id,
		.lease_s = LEASE_S,
	};
	v.deadline = (struct loop_timer){.expired = on_deadline, .arg = &v};
	loop_arm(&v.loop, &v.deadline,
		 (uint64_t)visit->ms + REACH_S * 1000 + 1000);
	v.client = client_open(&options, err);
	if (v.client && loop_run(&v.loop, err) < 0)
		v.rc = -1;
	client_close(v.client);
	loop_disarm(&v.loop, &v.deadline);
	loop_close(&v.loop);
	sodium_memzero(v.secret, sizeof(v.secret));
	return v.rc;
}
