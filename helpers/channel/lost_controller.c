/* SPDX-License-Identifier: Apache-2.0 */
/* A launcher that has lost the controller: it ends its processes and looks for
 * it. And the beats by which both find out. */
#include "helpers/channel/session_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A search ends by then: nobody may ever answer again. */
#define SEEK_S 300

static uint64_t fence_ms(const struct session *t)
{
	return recovery_fence_ms(t->step.lease_s);
}

static void to_launcher(struct session *t, char type, const char *text)
{
	t->o.message(t->o.arg, type, text, strlen(text));
}

/* --- losing it --- */

static void leave_with(struct session *t, const char *code)
{
	t->left = true;
	to_launcher(t, MSG_LEAVE, code);
}

void lost_leave_if_over(struct session *t)
{
	const struct recovery *v = t->recovery;

	if (v->seeks && v->at_rest && v->told && !t->left)
		leave_with(t, "143");
}

/* At once: whoever gave this launcher up, or is given up by it, doesn't wait.
 */
static void end_all(struct session *t)
{
	if (!t->recovery->at_rest)
		to_launcher(t, MSG_FENCE, "");
}

static void begin_search(struct session *t)
{
	struct recovery *v = t->recovery;
	struct err err;

	v->seeks = true;
	v->lost_ms = loop_now_ms();
	loop_disarm(t->o.loop, &v->fence);
	client_close(t->client);
	t->client = NULL;
	if (lost_seek(t, &err) < 0)
		exit(EXIT_FAILURE); /* its processes die with it */
	lost_leave_if_over(t);
}

static void on_lost(void *arg, int why)
{
	struct session *t = arg;

	(void)why;
	if (t->left)
		return;
	begin_search(t);
	end_all(t);
}

/* The client goes on trying. */
static void on_late(void *arg, int why)
{
	struct session *t = arg;
	struct recovery *v = t->recovery;

	(void)why;
	if (v->seeks)
		return;
	v->seeks = true;
	v->lost_ms = loop_now_ms();
	lost_leave_if_over(t);
}

/* --- looking for it --- */

static void tell(struct session *t, enum message type, const char *text)
{
	client_send(t->client, (char)type, text, strlen(text));
}

/* ROUND GATHERED BACK, and what was said before. */
static void tell_again(struct session *t)
{
	struct recovery *v = t->recovery;
	char state[48];

	snprintf(state, sizeof(state), "%u %d %d", v->round, v->gathered,
		 v->welcomed);
	tell(t, MSG_STATE, state);
	if (v->piece)
		client_send(t->client, MSG_GATHER, v->piece, v->npiece);
	if (v->orphan)
		tell(t, MSG_ORPHAN, "");
	if (v->condemned)
		tell(t, MSG_CONDEMNED, v->condemned);
	if (v->told)
		tell(t, MSG_TOLD, "");
	if (v->stop)
		tell(t, MSG_STOP, v->stop);
	if (v->ready && !v->at_rest)
		tell(t, MSG_READY, v->ready);
	if (v->at_rest)
		tell(t, MSG_ENDED, v->ended);
}

int lost_seek(struct session *t, struct err *err)
{
	struct client_options options = {
		.step = &t->step,
		.ip = t->server_ip,
		.ip_of = session_beside_ip,
		.hello_type = MSG_HELLO,
		.welcome_type = MSG_WELCOME,
		.hello = t->hello,
		.timeout_s = session_number(t, KEY_TIMEOUT),
		.ncrowd = t->job->ntasks,
		.port = session_beside_port,
		.port_arg = t,
		.message = t->recovery->message,
		.late = on_late,
		.lost = on_lost,
		.arg = t,
	};

	session_ask(t, &options);
	message_hello(t->hello, t->job->procid, t->job->node_name);
	t->client = client_open(&options, err);
	if (!t->client)
		return -1;
	tell_again(t);
	return 0;
}

/* --- fences --- */

/* This launcher may have been given up. */
void lost_fence(struct session *t)
{
	loop_disarm(t->o.loop, &t->recovery->fence);
	if (t->left)
		return;
	if (!t->recovery->seeks)
		begin_search(t);
	end_all(t);
}

/* The clock decides, whatever has come meanwhile. */
bool lost_is_fenced(const struct session *t)
{
	const struct recovery *v = t->recovery;

	return !v->seeks && v->ok_ms && loop_now_ms() - v->ok_ms >= fence_ms(t);
}

static void on_fence(void *arg)
{
	if (lost_is_fenced(arg))
		lost_fence(arg);
}

/* --- beats --- */

void lost_note_echo(struct session *t, const char *data)
{
	struct recovery *v = t->recovery;
	uint64_t now = loop_now_ms();
	char *end;
	unsigned long long ms = strtoull(data, &end, 10);

	if (!*data || *end || ms > now || ms < v->ok_ms)
		return;
	v->ok_ms = ms;
	loop_arm(t->o.loop, &v->fence,
		 ms + fence_ms(t) > now ? ms + fence_ms(t) - now : 0);
}

void lost_send_beat(struct session *t)
{
	char text[24];

	if (t->recovery->seeks || !t->client || !client_is_there(t->client))
		return;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)loop_now_ms());
	client_send(t->client, MSG_BEAT, text, strlen(text));
}

/* Who was never let in waits as long again: task 0's launcher, which tells the
 * controller what the step is, may not have started. */
static uint64_t search_ms(const struct session *t)
{
	long s =
		t->recovery->welcomed ? SEEK_S : session_number(t, KEY_TIMEOUT);

	return (uint64_t)s * 1000;
}

static bool is_spokesman(const struct session *t)
{
	return t->recovery->welcomed ||
	       (t->job->nodeid == 1 && t->job->localid == 0);
}

static void look_at_search(struct session *t)
{
	struct recovery *v = t->recovery;

	if (loop_now_ms() - v->lost_ms <= search_ms(t) || t->left ||
	    (v->welcomed && !v->at_rest))
		return;
	if (is_spokesman(t))
		t->o.say(t->o.arg, "dist-train: the step's controller doesn't "
				   "answer: this launcher leaves\n");
	leave_with(t, "137");
}

static void on_beat(void *arg)
{
	struct session *t = arg;
	struct recovery *v = t->recovery;

	loop_arm(t->o.loop, &v->beat, recovery_interval_ms(t->step.lease_s));
	if (lost_is_fenced(t))
		lost_fence(t);
	else if (v->seeks)
		look_at_search(t);
	lost_send_beat(t);
}

void lost_begin(struct session *t)
{
	struct recovery *v = t->recovery;

	v->beat = (struct loop_timer){.expired = on_beat, .arg = t};
	v->fence = (struct loop_timer){.expired = on_fence, .arg = t};
	loop_arm(t->o.loop, &v->beat, recovery_interval_ms(t->step.lease_s));
}
