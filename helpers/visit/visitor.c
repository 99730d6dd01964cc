/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/visitor.h"

#include "core/facts/handover.h"
#include "core/option/config.h"
#include "helpers/channel/message.h"
#include "helpers/conn/client.h"
#include "helpers/visit/way_search.h"
#include "sys/loop.h"

#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEET_S	   5
#define ANSWER_MS  3000 /* for what was found to come */
#define ID_SIZE	   96
#define HELLO_MAX  512
#define LEASE_S	   30
#define NODES_SIZE 512

struct visiting {
	const struct visit *visit;
	struct loop loop;
	struct way_search *search;
	struct client *client;
	struct secure_conn_step step;
	unsigned char secret[SECRET_SIZE];
	char id[ID_SIZE], hello[HELLO_MAX];
	struct loop_timer deadline;
	char silent[NODES_SIZE]; /* nodes whose launchers don't answer */
	unsigned nsilent, nbusy, nunknown, nabsent;
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

static const char *name(const struct visiting *v)
{
	return v->visit->step->name;
}

/* --- what is missing --- */

static void say(const struct visiting *v, const char *line)
{
	if (v->visit->missing)
		v->visit->missing(v->visit->arg, line);
	else
		fprintf(stderr, "dist-train: %s\n", line);
}

static void say_count(const struct visiting *v, unsigned n, const char *what)
{
	char line[256];

	if (!n)
		return;
	snprintf(line, sizeof(line), "%u of the step's launchers %s", n, what);
	say(v, line);
}

static void say_missing(const struct visiting *v)
{
	char line[NODES_SIZE + 64];

	if (v->nsilent) {
		snprintf(line, sizeof(line), "%s %s in time", v->silent,
			 v->nsilent > 1 ? "don't answer" : "doesn't answer");
		say(v, line);
	}
	say_count(v, v->nabsent, "aren't there: lost, or not begun yet");
	say_count(v, v->nbusy,
		  "look at the same for another command: try again");
	say_count(v, v->nunknown,
		  "don't know the question: they are of an older release");
}

/* MEMBER NODE: the nodes' names, as many as have room */
static void note_silent(struct visiting *v, const char *data)
{
	size_t n = strlen(v->silent), left = sizeof(v->silent) - n;
	long member;

	if (message_number(&data, 0, INT_MAX, &member) < 0)
		return;
	v->nsilent++;
	if (strlen(data) + 8 < left)
		snprintf(v->silent + n, left, "%s%s", n ? ", " : "", data);
	else if (left > 8 && strcmp(v->silent + n - 3, "...") != 0)
		snprintf(v->silent + n, left, ", ...");
}

static void note_absent(struct visiting *v, const char *data)
{
	long n;

	if (message_number(&data, 0, INT_MAX, &n) == 0)
		v->nabsent = (unsigned)n;
}

/* --- what the step says --- */

/* MEMBER NODE\nROWS */
static void show(struct visiting *v, const char *data, size_t n)
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
	v->nbusy += !strcmp(end, "\nbusy\n");
	v->nunknown += !strcmp(end, "\nunknown\n");
	rows = strdup(end + 1);
	if (rows)
		v->visit->shown(v->visit->arg, (unsigned)member, node, rows);
	free(rows);
}

/* "", or why there is nothing. */
static void on_shown(struct visiting *v, const char *why)
{
	if (*why) {
		stop(v, err_printf(v->err, "step %s: %.300s", name(v), why));
		return;
	}
	say_missing(v);
	stop(v, 0);
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	struct visiting *v = arg;

	if (v->done)
		return;
	if (type == MSG_SHOW)
		show(v, data, n);
	else if (type == MSG_SILENT)
		note_silent(v, data);
	else if (type == MSG_ABSENT)
		note_absent(v, data);
	else if (type == MSG_SHOWN)
		on_shown(v, data);
}

static void on_lost(void *arg, int why)
{
	struct visiting *v = arg;

	(void)why;
	stop(v, err_printf(v->err,
			   "step %s: the connection to %s is lost: the step "
			   "has ended, or has a new leader: try again",
			   name(v), way_node(v->search)));
}

static void on_late(void *arg, int why)
{
	struct visiting *v = arg;

	(void)why;
	stop(v, err_printf(v->err,
			   "step %s: %s lets nobody in now: the step begins, "
			   "ends, or looks for a new leader: try again",
			   name(v), way_node(v->search)));
}

static void on_deadline(void *arg)
{
	struct visiting *v = arg;

	stop(v,
	     err_printf(v->err,
			"step %s: the launcher on %s doesn't answer any more",
			name(v), way_node(v->search)));
}

/* --- the way --- */

static void on_found(void *arg)
{
	struct visiting *v = arg;
	struct client_options options = {
		.step = &v->step,
		.ip_of = way_ip,
		.hello_type = MSG_VISIT,
		.welcome_type = MSG_WELCOME,
		.hello = v->hello,
		.timeout_s = MEET_S,
		.port = way_port,
		.port_arg = v->search,
		.message = on_message,
		.late = on_late,
		.lost = on_lost,
		.arg = v,
	};

	loop_arm(&v->loop, &v->deadline,
		 (uint64_t)v->visit->ms + MEET_S * 1000 + ANSWER_MS);
	v->client = client_open(&options, v->err);
	if (!v->client)
		stop(v, -1);
}

static void on_failed(void *arg)
{
	struct visiting *v = arg;

	stop(v, way_failed(v->search, v->err));
}

static int visit(struct visiting *v)
{
	struct way_search_options search = {
		.loop = &v->loop,
		.where =
			{
				.step = v->visit->step,
				.port_min = v->visit->port_min,
				.port_max = v->visit->port_max,
			},
		.id = v->id,
		.secret = v->secret,
		.found = on_found,
		.failed = on_failed,
		.arg = v,
	};

	v->search = way_search_open(&search, v->err);
	if (v->search && loop_run(&v->loop, v->err) < 0)
		v->rc = -1;
	client_close(v->client);
	loop_disarm(&v->loop, &v->deadline);
	way_search_close(v->search);
	return v->rc;
}

int visit_step(const struct visit *with, struct err *err)
{
	const struct found_step *step = with->step;
	struct visiting v = {.visit = with, .err = err, .rc = -1};
	int rc;

	if (!step->running)
		return found_step_is_over(step, err);
	if (sodium_init() < 0)
		return err_printf(err, "no random bytes");
	if (loop_open(&v.loop, err) < 0)
		return -1;
	snprintf(v.id, sizeof(v.id), "%lu.%lu.%u", step->job_id, step->step_id,
		 step->restart);
	snprintf(v.hello, sizeof(v.hello), "%d %ld %s", MESSAGE_VERSION,
		 with->ms, with->what);
	v.step = (struct secure_conn_step){
		.loop = &v.loop,
		.secret = v.secret,
		.id = v.id,
		.lease_s = LEASE_S,
	};
	v.deadline = (struct loop_timer){.expired = on_deadline, .arg = &v};
	rc = visit(&v);
	loop_close(&v.loop);
	sodium_memzero(v.secret, sizeof(v.secret));
	return rc;
}

int visit_read_ports(const char *text, struct visit *ret, struct err *err)
{
	struct config config;
	char word[32], *argv[] = {word};
	int rc;

	ret->port_min = ret->port_max = 0;
	if (!text)
		return 0;
	snprintf(word, sizeof(word), "ports=%s", text);
	rc = config_parse(1, argv, &config, err);
	if (rc == 0) {
		ret->port_min = config.port_min;
		ret->port_max = config.port_max;
	}
	config_clear(&config);
	return rc;
}
