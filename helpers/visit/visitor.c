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

struct visitor {
	struct visit visit;
	struct visitor_calls calls;
	struct loop *loop;
	struct client *client;
	struct secure_conn_step step;
	unsigned char secret[SECRET_SIZE];
	char id[ID_SIZE], question[HELLO_MAX];
	struct loop_timer deadline;
	bool over;
};

/* What has been said in *err is the end; NULL: all have answered. */
static void done(struct visitor *v, const struct err *err)
{
	loop_disarm(v->loop, &v->deadline);
	v->over = err;
	v->calls.done(v->calls.arg, err);
}

static unsigned port(const void *arg, unsigned try)
{
	const struct visit *visit = &((const struct visitor *)arg)->visit;
	const struct found_step *s = visit->step;

	return port_of_launchers(s->job_id, s->step_id, s->restart,
				 visit->port_min, visit->port_max, 0, 0, try);
}

static enum client_now answered(void *arg, const char *text)
{
	struct visitor *v = arg;
	struct err unused;

	return munge_open(text, v->id, v->secret, &unused) < 0
		       ? CLIENT_NO_SECRET
		       : CLIENT_SECRET;
}

/* MEMBER NODE\nROWS */
static void show(struct visitor *v, const char *data, size_t n)
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
		v->visit.shown(v->visit.arg, (unsigned)member, node, rows);
	free(rows);
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	struct visitor *v = arg;
	struct err err;

	if (v->over)
		return;
	if (type == MSG_SHOW) {
		show(v, data, n);
	} else if (type == MSG_SHOWN && *data) {
		err_printf(&err, "step %lu.%lu: %.300s", v->visit.step->job_id,
			   v->visit.step->step_id, data);
		done(v, &err);
	} else if (type == MSG_SHOWN) {
		done(v, NULL);
	}
}

static void on_lost(void *arg, int why)
{
	struct visitor *v = arg;
	struct err err;

	(void)why;
	err_printf(&err, "step %lu.%lu ended while it was asked",
		   v->visit.step->job_id, v->visit.step->step_id);
	if (!v->over)
		done(v, &err);
}

static void on_late(void *arg, int why)
{
	struct visitor *v = arg;
	struct err err;

	err_printf(&err,
		   "step %lu.%lu can't be reached at %s port %u: %s; "
		   "it has launchers only in device mode or with "
		   "supervise=yes",
		   v->visit.step->job_id, v->visit.step->step_id,
		   v->visit.step->ip[0], port(v, 0), strerror(why));
	if (!v->over)
		done(v, &err);
}

static void on_deadline(void *arg)
{
	struct visitor *v = arg;
	struct err err;

	err_printf(&err, "step %lu.%lu doesn't answer", v->visit.step->job_id,
		   v->visit.step->step_id);
	done(v, &err);
}

static void prepare(struct visitor *v, const struct visit *visit,
		    struct loop *loop, const struct visitor_calls *calls)
{
	v->visit = *visit;
	v->calls = *calls;
	v->loop = loop;
	snprintf(v->id, sizeof(v->id), "%lu.%lu.%u", visit->step->job_id,
		 visit->step->step_id, visit->step->restart);
	snprintf(v->question, sizeof(v->question), "%d %ld %s", MESSAGE_VERSION,
		 visit->ms, visit->what);
	v->step = (struct secure_conn_step){
		.loop = loop,
		.secret = v->secret,
		.id = v->id,
		.lease_s = LEASE_S,
	};
	v->deadline = (struct loop_timer){.expired = on_deadline, .arg = v};
	loop_arm(loop, &v->deadline,
		 (uint64_t)visit->ms + REACH_S * 1000 + 1000);
}

struct visitor *visitor_open(const struct visit *visit, struct loop *loop,
			     const struct visitor_calls *calls, struct err *err)
{
	struct visitor *v = calloc(1, sizeof(*v));
	struct client_options options = {
		.ip = visit->step->ip[0],
		.hello_type = MSG_VISIT,
		.welcome_type = MSG_WELCOME,
		.timeout_s = REACH_S,
		.answered = answered,
		.port = port,
		.message = on_message,
		.late = on_late,
		.lost = on_lost,
	};

	if (!v || sodium_init() < 0) {
		free(v);
		err_memory(err);
		return NULL;
	}
	prepare(v, visit, loop, calls);
	options.step = &v->step;
	options.hello = v->question;
	options.port_arg = v;
	options.arg = v;
	v->client = client_open(&options, err);
	if (v->client)
		return v;
	visitor_close(v);
	return NULL;
}

void visitor_ask_again(struct visitor *v)
{
	if (v->over)
		return;
	loop_arm(v->loop, &v->deadline, (uint64_t)v->visit.ms + REACH_S * 1000);
	client_send(v->client, MSG_VISIT, v->question, strlen(v->question));
}

void visitor_close(struct visitor *v)
{
	if (!v)
		return;
	client_close(v->client);
	loop_disarm(v->loop, &v->deadline);
	sodium_memzero(v->secret, sizeof(v->secret));
	free(v);
}

/* --- once --- */

struct once {
	struct loop loop;
	int rc;
	struct err *err;
};

static void once_done(void *arg, const struct err *err)
{
	struct once *once = arg;

	once->rc = err ? -1 : 0;
	if (err)
		*once->err = *err;
	loop_stop(&once->loop);
}

int visit_step(const struct visit *visit, struct err *err)
{
	struct once once = {.rc = -1, .err = err};
	const struct visitor_calls calls = {.done = once_done, .arg = &once};
	struct visitor *v;

	if (loop_open(&once.loop, err) < 0)
		return -1;
	v = visitor_open(visit, &once.loop, &calls, err);
	if (v && loop_run(&once.loop, err) < 0)
		once.rc = -1;
	visitor_close(v);
	loop_close(&once.loop);
	return once.rc;
}
