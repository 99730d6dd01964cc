/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The meeting in which facts are learned. The others connect to task 0's
 * launcher, for a moment. The connections have keys of their own, so that no
 * launcher takes it for the session's controller.
 */

#include "core/facts/handover.h"
#include "helpers/meet/meet_state.h"
#include "helpers/progress/progress.h"
#include "sys/left_signals.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE    1024
#define ONE_FIRST_MS 3000
#define LOOK_MS	     100
#define LEAVE_MS     2000 /* for the others to take the last message */

/* --- task 0's --- */

static void on_say(void *arg, const char *line)
{
	(void)arg;
	fputs(line, stderr);
}

static void send_all(struct meeting *m, enum message type, const char *text)
{
	struct msgbuf *msgbuf = msgbuf_new((char)type, text, strlen(text));

	for (struct connection *c = m->here.first; c && msgbuf; c = c->next)
		if (c->member != NOBODY)
			secure_conn_send(c->conn, msgbuf);
	msgbuf_drop(msgbuf);
}

/* Not at once: it may be in the middle of a message. */
static void leave(struct meeting *m, bool failed, unsigned ms)
{
	m->failed = m->failed || failed;
	if (!m->leave.armed && !m->left)
		loop_arm(&m->loop, &m->leave, ms);
}

/* Who is told takes his last message first. */
static void on_leave(void *arg)
{
	struct meeting *m = arg;

	if (m->left) {
		loop_stop(&m->loop);
		return;
	}
	m->left = true;
	on_say(m, m->lost);
	if (m->all && !m->failed)
		send_all(m, MSG_ALL_FACTS, m->all);
	send_all(m, MSG_LEAVE, m->failed ? "1" : "0");
	loop_arm(&m->loop, &m->leave, m->here.nknown ? LEAVE_MS : 0);
}

/* All have told: is that a step? */
static int take_all(struct meeting *m)
{
	const struct learning *l = m->learning;

	if (m->nmute)
		return -1; /* m->err says why */
	m->all = learned_text(m->learned, m->err);
	if (!m->all || learned_apply(m->all, m->what, l->job, m->err) < 0)
		return -1;
	return l->check(l->arg, m->err);
}

static void note_missing(struct meeting *m, int missing)
{
	m->missing = missing;
	if (missing == (int)m->nmute)
		leave(m, take_all(m) < 0, 0);
}

/* One has nothing to tell but why there can't be a step: those who haven't come
 * yet are to hear of it, too. */
static void note_mute(struct meeting *m)
{
	m->nmute++;
	loop_arm(&m->loop, &m->deadline,
		 (unsigned long)meeting_timeout_s(m) * 1000);
	note_missing(m, m->missing);
}

static void on_facts(struct meeting *m, unsigned member, const char *text)
{
	int missing = learned_add(m->learned, member, text);

	if (m->left || m->leave.armed)
		return;
	if (missing >= 0) {
		note_missing(m, missing);
		return;
	}
	err_printf(m->err,
		   "the launcher of task %u has told nonsense of its node",
		   member);
	leave(m, true, 0);
}

static void on_time_over(void *arg)
{
	struct meeting *m = arg;
	struct absence a = {
		.here = {&m->here, m->job->node_name},
		.ntasks = m->job->ntasks,
		.nodes = m->job->nodes,
		.after_s = meeting_timeout_s(m),
		.means = "; the step can't start without what they know",
	};
	char line[LINE_SIZE];

	if (!m->nmute && absent_line(&a, line, sizeof(line)))
		on_say(m, line);
	leave(m, true, 0);
}

/* CODE SECONDS LINE: he has none to tell. */
static void on_stop(struct meeting *m, const char *text)
{
	char line[LINE_SIZE];
	long n;

	if (message_number(&text, 1, UCHAR_MAX, &n) < 0 ||
	    message_number(&text, 0, AFTER_MAX_S, &n) < 0)
		return;
	snprintf(line, sizeof(line), "dist-train: %.1000s\n", text);
	if (m->left || m->leave.armed)
		return;
	if (!m->nmute)
		on_say(m, line);
	note_mute(m);
}

static bool is_here(const struct meeting *m, unsigned member)
{
	const struct connection *c = m->here.first;

	while (c && c->member != member)
		c = c->next;
	return c;
}

/* Returns 0 or -1. */
static int welcome(struct meeting *m, struct connection *c, const char *text)
{
	char node[HOSTLIST_NAME_MAX];
	unsigned member;

	if (c->member != NOBODY ||
	    message_hello_read(text, 1, (long)m->job->ntasks - 1, &member,
			       node) < 0 ||
	    is_here(m, member))
		return -1;
	connection_welcome(c, member, node);
	return 0;
}

/* When Slurm ends all of them this one hears of it soon, and nobody is blamed.
 */
static void on_gone(void *arg, int why)
{
	struct connection *c = arg;
	struct meeting *m = c->all->owner;
	bool counts = c->member != NOBODY && !m->left;

	if (counts && !*m->lost)
		line_lost(m->lost, why, c->member, c->node,
			  secure_conn_silence_s(c->conn), " (first failure)");
	connection_drop(c);
	if (counts)
		leave(m, true, KILL_SPREAD_MS);
	else if (m->left && !m->here.nknown)
		loop_arm(&m->loop, &m->leave, 0);
}

static void on_told(void *arg, char type, const char *data, size_t n)
{
	struct connection *c = arg;
	struct meeting *m = c->all->owner;

	(void)n;
	if (type == MSG_HELLO ? welcome(m, c, data) < 0 : c->member == NOBODY)
		on_gone(c, EPROTO);
	else if (type == MSG_FACTS)
		on_facts(m, c->member, data);
	else if (type == MSG_STOP)
		on_stop(m, data);
}

static const char *answer(void *arg)
{
	const struct meeting *m = arg;

	return m->met->credential;
}

static int open_server(struct meeting *m, struct err *err)
{
	m->here = (struct connections){
		.step = m->step,
		.ip = m->ip,
		.node = m->job->node_name,
		.nmembers = m->job->ntasks,
		.answer = m->giver ? NULL : answer,
		.giver = m->giver,
		.message = on_told,
		.lost = on_gone,
		.owner = m,
		.say = on_say,
	};
	m->deadline = (struct loop_timer){.expired = on_time_over, .arg = m};
	m->leave = (struct loop_timer){.expired = on_leave, .arg = m};
	connections_init(&m->here);
	if (connections_listen(&m->here, meeting_port, m, err) < 0)
		return -1;
	loop_arm(&m->loop, &m->deadline,
		 (unsigned long)meeting_timeout_s(m) * 1000);
	return 0;
}

static int own_facts(const struct meeting *m, char ret[LEARNED_OWN_SIZE],
		     struct err *err)
{
	if (m->refusal)
		return err_printf(err, "%s", m->refusal);
	return learned_own(m->job, m->what, ret, err);
}

/* Our own facts come first. If there are none, the others are waited for, so
 * that they end with us. */
static int serve(struct meeting *m, struct err *err)
{
	char own[LEARNED_OWN_SIZE];

	m->err = err;
	m->learned = learned_new(m->job, m->what);
	if (!m->learned)
		return err_memory(err);
	if (open_server(m, err) < 0)
		return -1;
	m->missing = (int)m->job->ntasks;
	if (own_facts(m, own, err) < 0)
		note_mute(m);
	else
		note_missing(m, learned_add(m->learned, 0, own));
	if (meeting_run(m, err) < 0)
		return -1;
	return m->failed || !m->left ? -1 : 0;
}

/* --- the others' --- */

static void on_message(void *arg, char type, const char *data, size_t n)
{
	struct meeting *m = arg;

	(void)n;
	if (type == MSG_ALL_FACTS && !m->all)
		m->all = strdup(data);
	if (type != MSG_LEAVE)
		return;
	m->failed = !m->all || strcmp(data, "0") != 0;
	m->left = true;
	loop_stop(&m->loop);
}

/* One of them says it. */
static void on_lost(void *arg, int why)
{
	struct meeting *m = arg;

	(void)why;
	if (m->job->procid == 1)
		err_printf(m->err,
			   "the launcher of task 0 on %s has ended before the "
			   "nodes knew of each other",
			   m->job->rank0_node ? m->job->rank0_node
					      : "its node");
	m->failed = true;
	loop_stop(&m->loop);
}

static int open_client(struct meeting *m, struct err *err)
{
	struct client_options options = {
		.step = &m->step,
		.ip = m->ip,
		.hello = m->hello,
		.timeout_s = meeting_timeout_s(m),
		.ncrowd = m->job->ntasks,
		.asker = m->asker,
		.answered = meeting_answered,
		.port = meeting_port,
		.port_arg = m,
		.message = on_message,
		.late = meeting_late,
		.lost = on_lost,
		.arg = m,
	};

	message_hello(m->hello, m->job->procid, m->job->node_name);
	m->client = client_open(&options, err);
	return m->client ? 0 : -1;
}

/* What all launchers find, one says; the others only if Slurm doesn't end the
 * step for that. */
static bool is_left_to_say(bool other)
{
	int wait_ms = other ? ONE_FIRST_MS : 0;

	for (; wait_ms > 0 && !signal_is_pending(SIGTERM); wait_ms -= LOOK_MS)
		poll(NULL, 0, LOOK_MS);
	return wait_ms <= 0;
}

/* Task 0's launcher is needed by all others. */
static int miss_task_0(const struct meeting *m, struct err *err)
{
	const struct job *job = m->job;

	if (m->refusal)
		return err_printf(err, "%s", m->refusal);
	if (!is_left_to_say(job->procid > 1))
		return -1;
	if (!m->done && *m->opened.text)
		return err_printf(err,
				  "%s port %u doesn't answer as the launcher "
				  "of task 0: %s",
				  m->ip, meeting_port(m, 0), m->opened.text);
	return err_printf(err,
			  "the launcher of task 0 on %s hasn't answered %s at "
			  "%s port %u within %ld s: %s; it hasn't begun, or "
			  "nodes can't reach each other at the ports of the "
			  "administrator's ports=, or of slurm.conf's "
			  "SrunPortRange",
			  job->rank0_node ? job->rank0_node : "its node",
			  job->node_name, m->ip, meeting_port(m, 0),
			  meeting_timeout_s(m), strerror(m->late));
}

/* CODE SECONDS LINE */
static void tell_fault(struct meeting *m, const struct err *err)
{
	char text[sizeof(err->text) + 8];

	snprintf(text, sizeof(text), "%d 0 %s", EXIT_FAILURE, err->text);
	client_send(m->client, MSG_STOP, text, strlen(text));
}

static int be_member(struct meeting *m, struct err *err)
{
	char own[LEARNED_OWN_SIZE];
	struct err fault;

	m->err = err;
	if (open_client(m, err) < 0)
		return -1;
	if (own_facts(m, own, &fault) < 0)
		tell_fault(m, &fault);
	else
		client_send(m->client, MSG_FACTS, own, strlen(own));
	if (meeting_run(m, err) < 0)
		return -1;
	if (m->late)
		return miss_task_0(m, err);
	if (m->failed || !m->left)
		return -1;
	return learned_apply(m->all, m->what, m->learning->job, err);
}

/* --- all --- */

static const char *what_is_unknown(unsigned what)
{
	if (what & LEARN_COUNTS)
		return "the number of devices on the other nodes isn't known "
		       "here; set it with procs=N";
	if (what & LEARN_ADDRS)
		return "the addresses of the other nodes aren't known here";
	return "which task is on which node isn't known here; "
	       "srun --distribution=block makes it known";
}

/* On a cluster without MUNGE all launchers fail in this way: task 0's says it.
 */
static int refuse(const struct meeting *m, struct err *err)
{
	if (m->refusal)
		return err_printf(err, "%s", m->refusal);
	if (!is_left_to_say(m->job->procid > 0))
		return -1;
	return err_printf(err, "%s (the launchers can't ask each other: %s)",
			  what_is_unknown(m->what), m->met->why);
}

/* For the step's controller, which gets this launcher's facts. */
static int keep(const char *all, struct err *err)
{
	return setenv(HANDOVER_LEARNED, all, 1) < 0 ? err_memory(err) : 0;
}

static int learn(struct meeting *m, struct err *err)
{
	char id[JOB_STEP_SIZE + 16];
	int rc;

	if (meeting_begin(m) < 0)
		return refuse(m, err);
	snprintf(id, sizeof(id), "%s facts", m->id);
	m->step = (struct secure_conn_step){
		.loop = &m->loop,
		.secret = m->met->secret,
		.id = id,
		.lease_s = request_seconds(m->request, KEY_LEASE),
	};
	if (loop_open(&m->loop, err) < 0 || meeting_open(m, err) < 0)
		return -1;
	rc = m->job->procid ? be_member(m, err) : serve(m, err);
	if (m->here.owner)
		connections_close(&m->here);
	loop_disarm(&m->loop, &m->deadline);
	loop_disarm(&m->loop, &m->leave);
	if (rc == 0)
		rc = keep(m->all, err);
	meeting_end(m);
	learned_free(m->learned);
	free(m->all);
	return rc;
}

/* What a step of one task knows by itself. */
static int know(const struct learning *l, unsigned what, struct err *err)
{
	struct learned *one = learned_new(l->job, what);
	char own[LEARNED_OWN_SIZE];
	cleanup_free char *text = NULL;
	int rc = one ? learned_own(l->job, what, own, err) : err_memory(err);

	if (rc == 0 && learned_add(one, 0, own) == 0)
		text = learned_text(one, err);
	learned_free(one);
	if (!text || learned_apply(text, what, l->job, err) < 0)
		return -1;
	return keep(text, err);
}

int meet_and_learn(const struct learning *l, struct met_secret *ret,
		   struct err *err)
{
	const char *words = getenv(HANDOVER_LEARN);
	struct meeting m = {
		.job = l->job,
		.request = l->request,
		.ports = {.min = l->config->port_min,
			  .max = l->config->port_max},
		.met = ret,
		.learning = l,
		.refusal = getenv(HANDOVER_REFUSAL),
		.loop.epoll_fd = -1,
	};
	int rc;

	if (!words || !*words)
		return 0;
	*err->text = '\0';
	if (learned_words(words, &m.what, err) < 0)
		return -1;
	if (l->job->ntasks == 1)
		return know(l, m.what, err);
	rc = learn(&m, err);
	free(ret->credential); /* all have the secret */
	ret->credential = NULL;
	return rc;
}
