/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/visit.h"

#include "core/facts/handover.h"
#include "helpers/conn/client.h"
#include "helpers/conn/message.h"
#include "helpers/visit/way_search.h"
#include "sys/loop.h"

#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEET_S	  5
#define ANSWER_MS 3000 /* for what was found to come */
#define ID_SIZE	  96
#define HELLO_MAX 512
#define LEASE_S	  30

struct visit_one {
	struct visit visit;
	struct visitor_calls calls;
	struct loop *loop;
	struct way_search *search;
	struct client *client;
	struct secure_conn_step step;
	unsigned char secret[SECRET_SIZE];
	char id[ID_SIZE], question[HELLO_MAX];
	struct loop_timer deadline;
	struct visit_missing missing;
	bool over;
	struct words_heard heard;
};

/* What *err says is the end; NULL: all have answered. */
static void done(struct visit_one *v, const struct err *err)
{
	if (v->over)
		return;
	loop_disarm(v->loop, &v->deadline);
	v->over = err;
	v->calls.done(v->calls.arg, err);
}

static const char *name(const struct visit_one *v)
{
	return v->visit.step->name;
}

/* --- what the step says --- */

/* MEMBER NODE */
static void on_silent(struct visit_one *v, const char *data)
{
	long member;

	if (message_number(&data, 0, INT_MAX, &member) == 0)
		visit_missing_silent(&v->missing, data);
}

static void on_absent(struct visit_one *v, const char *data)
{
	long n;

	if (message_number(&data, 0, INT_MAX, &n) == 0)
		v->missing.nabsent = (unsigned)n;
}

/* MEMBER NODE\nROWS */
static void show(struct visit_one *v, const char *data, size_t n)
{
	char node[HOSTLIST_NAME_MAX];
	const char *end;
	char *rows;
	long member;

	end = data + n;
	if (message_number(&data, 0, INT_MAX, &member) < 0)
		return;
	end = memchr(data, '\n', (size_t)(end - data));
	if (!end || (size_t)(end - data) >= sizeof(node))
		return;
	snprintf(node, sizeof(node), "%.*s", (int)(end - data), data);
	visit_missing_answer(&v->missing, node, end + 1);
	rows = strdup(end + 1);
	if (rows)
		v->visit.shown(v->visit.arg, (unsigned)member, node, rows);
	free(rows);
}

/* "", or why there is nothing. */
static void on_shown(struct visit_one *v, const char *why)
{
	struct err err;

	if (*why) {
		err_printf(&err, "step %s: %.300s", name(v), why);
		done(v, &err);
		return;
	}
	visit_missing_say(&v->missing);
	done(v, NULL);
}

static void hear(struct visit_one *v, char type, const char *data, size_t n)
{
	if (type == MSG_SHOW)
		show(v, data, n);
	else if (type == MSG_SILENT)
		on_silent(v, data);
	else if (type == MSG_ABSENT)
		on_absent(v, data);
	else if (type == MSG_SHOWN)
		on_shown(v, data);
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	struct visit_one *v = arg;
	struct err why, err;
	char *text;

	if (v->over)
		return;
	if (words_heard_take(&v->heard, type, data, n, &text, &why) < 0) {
		err_printf(&err, "step %s: %s", name(v), why.text);
		done(v, &err);
	} else if (text) {
		hear(v, type, text, strlen(text));
	}
	free(text);
}

static void on_lost(void *arg, int why)
{
	struct visit_one *v = arg;
	struct err err;

	(void)why;
	err_printf(&err,
		   "step %s: the connection to %s is lost: the step "
		   "has ended, or the network was cut: try again",
		   name(v), way_node(v->search));
	done(v, &err);
}

static void on_late(void *arg, int why)
{
	struct visit_one *v = arg;
	struct err err;

	(void)why;
	err_printf(&err,
		   "step %s: %s lets nobody in now: the step begins, or "
		   "ends: try again",
		   name(v), way_node(v->search));
	done(v, &err);
}

static void on_deadline(void *arg)
{
	struct visit_one *v = arg;
	struct err err;

	err_printf(&err, "step %s: the launcher on %s doesn't answer any more",
		   name(v), way_node(v->search));
	done(v, &err);
}

/* --- the way --- */

static void on_found(void *arg)
{
	struct visit_one *v = arg;
	const struct client_options options = {
		.step = &v->step,
		.ip_of = way_ip,
		.hello_type = MSG_VISIT,
		.hello = v->question,
		.timeout_s = MEET_S,
		.port = way_port,
		.port_arg = v->search,
		.message = on_message,
		.late = on_late,
		.lost = on_lost,
		.arg = v,
	};
	struct err err;

	loop_arm(v->loop, &v->deadline,
		 (uint64_t)v->visit.ms + MEET_S * 1000 + ANSWER_MS);
	v->client = client_open(&options, &err);
	if (!v->client)
		done(v, &err);
}

static void on_failed(void *arg)
{
	struct visit_one *v = arg;
	struct err err;

	way_failed(v->search, &err);
	done(v, &err);
}

static int search(struct visit_one *v, struct err *err)
{
	const struct way_search_options options = {
		.loop = v->loop,
		.where =
			{
				.step = v->visit.step,
				.port_min = v->visit.ports.min,
				.port_max = v->visit.ports.max,
			},
		.auth = v->visit.step->auth,
		.id = v->id,
		.secret = v->secret,
		.found = on_found,
		.failed = on_failed,
		.arg = v,
	};

	v->search = way_search_open(&options, err);
	return v->search ? 0 : -1;
}

struct visit_one *visit_one_open(const struct visit *visit, struct loop *loop,
				 const struct visitor_calls *calls,
				 struct err *err)
{
	const struct found_step *step = visit->step;
	struct visit_one *v;

	if (!step->running) {
		found_step_is_over(step, err);
		return NULL;
	}
	v = calloc(1, sizeof(*v));
	if (!v || sodium_init() < 0) {
		free(v);
		err_memory(err);
		return NULL;
	}
	v->visit = *visit;
	v->calls = *calls;
	v->loop = loop;
	words_heard_begin(&v->heard, step->nnodes);
	snprintf(v->id, sizeof(v->id), "%lu.%lu.%u", step->job_id,
		 step->step_id, step->restart);
	snprintf(v->question, sizeof(v->question), "%d %ld %s", MESSAGE_VERSION,
		 visit->ms, visit->what);
	v->step = (struct secure_conn_step){
		.loop = loop,
		.secret = v->secret,
		.id = v->id,
		.lease_s = LEASE_S,
		.message_max = SHOW_MAX,
	};
	v->deadline = (struct loop_timer){.expired = on_deadline, .arg = v};
	if (visit_missing_open(&v->missing, &v->visit) < 0)
		err_memory(err);
	else if (search(v, err) == 0)
		return v;
	visit_one_close(v);
	return NULL;
}

void visit_one_ask_again(struct visit_one *v)
{
	if (v->over)
		return;
	visit_missing_reset(&v->missing);
	loop_arm(v->loop, &v->deadline, (uint64_t)v->visit.ms + ANSWER_MS);
	words_heard_begin(&v->heard, v->visit.step->nnodes);
	client_send(v->client, MSG_VISIT, v->question, strlen(v->question));
}

void visit_one_close(struct visit_one *v)
{
	if (!v)
		return;
	client_close(v->client);
	loop_disarm(v->loop, &v->deadline);
	way_search_close(v->search);
	visit_missing_close(&v->missing);
	sodium_memzero(v->secret, sizeof(v->secret));
	free(v);
}
