/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/session_state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int lost_seek(struct session *t, struct err *err);
static void on_message(void *arg, char type, const char *data, size_t n);

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

/* Nothing runs here, and the step was told to end: Slurm waits for us. */
static void lost_leave_if_over(struct session *t)
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

/* Look for the controller, which is told all that it has to know. Returns 0 or
 * -1 (memory). */
static int lost_seek(struct session *t, struct err *err)
{
	struct client_options options = {
		.ip_of = session_beside_ip,
		.port = session_beside_port,
		.message = on_message,
		.late = on_late,
		.lost = on_lost,
	};

	if (session_connect(t, &options, err) < 0)
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

/* Whether the controller may have given this launcher up: the clock decides,
 * whatever has come meanwhile. */
static bool lost_is_fenced(const struct session *t)
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

/* Set the timers. */
static void lost_begin(struct session *t)
{
	struct recovery *v = t->recovery;

	v->beat = (struct loop_timer){.expired = on_beat, .arg = t};
	v->fence = (struct loop_timer){.expired = on_fence, .arg = t};
	loop_arm(t->o.loop, &v->beat, recovery_interval_ms(t->step.lease_s));
}

/* --- what it says and is told --- */

/* --- messages --- */

static void note_round(struct recovery *v, const char *data)
{
	long round;

	if (message_number(&data, 0, INT_MAX, &round) < 0)
		return;
	v->round = (unsigned)round;
	v->at_rest = false;
	free(v->ready);
	v->ready = NULL;
}

/* The controller has let us in. */
static void note_welcome(struct session *t)
{
	struct recovery *v = t->recovery;

	if (v->welcomed && !v->seeks)
		return;
	v->seeks = false;
	v->welcomed = true;
	v->ok_ms = 0;
	lost_send_beat(t);
}

/* Returns whether the launcher is to have it, too. */
static bool note_message(struct session *t, char type, const char *data)
{
	struct recovery *v = t->recovery;

	switch ((enum message)type) {
	case MSG_ECHO:
		if (*data)
			lost_note_echo(t, data);
		else if (session_may_answer(t))
			lost_send_beat(t);
		return false;
	case MSG_ROUND:
		note_round(v, data);
		return true;
	case MSG_GATHERED:
		if (v->gathered)
			return false;
		v->gathered = true;
		return true;
	case MSG_GO:
		return !v->at_rest; /* of a round that has ended here */
	default:
		return true;
	}
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	struct session *t = arg;

	if (lost_is_fenced(t)) {
		lost_fence(t);
		return;
	}
	note_welcome(t);
	if (session_client_fetches(t, on_message, type, data, n))
		return;
	if (note_message(t, type, data))
		session_message(t, type, data, n);
}

/* --- sending --- */

static void keep(char **kept, const char *data, size_t n)
{
	char *copy = malloc(n + 1);

	if (!copy)
		return;
	memcpy(copy, data, n);
	copy[n] = '\0';
	free(*kept);
	*kept = copy;
}

/* What the controller has to be told again when it was lost. Returns whether
 * it is also sent while it is lost. */
static bool note_own(struct recovery *v, char type, const char *data, size_t n)
{
	switch ((enum message)type) {
	case MSG_ENDED:
		snprintf(v->ended, sizeof(v->ended), "%s", data);
		v->at_rest = true;
		return true;
	case MSG_GATHER:
		keep(&v->piece, data, n);
		v->npiece = n;
		return true;
	case MSG_READY:
		keep(&v->ready, data, n);
		return false;
	case MSG_CONDEMNED:
		keep(&v->condemned, data, n);
		return true;
	case MSG_STOP:
		keep(&v->stop, data, n);
		return true;
	case MSG_ORPHAN:
		v->orphan = true;
		return true;
	case MSG_TOLD:
		v->told = true;
		return true;
	default:
		return false;
	}
}

void recovery_send(struct session *t, char type, const char *data, size_t n)
{
	struct recovery *v = t->recovery;
	bool lasting;

	if (type == MSG_READY && v->at_rest)
		return; /* of a round that has ended */
	lasting = note_own(v, type, data, n);
	if (!v->seeks || lasting)
		client_send(t->client, type, data, n);
	lost_leave_if_over(t);
}

void recovery_told_to_end(struct session *t)
{
	t->recovery->told = true;
	lost_leave_if_over(t);
}

/* --- opening and closing --- */

int recovery_open(struct session *t, struct err *err)
{
	if (*t->why)
		return err_printf(err,
				  "spares and on-node-loss need launchers that "
				  "reach each other: %s",
				  t->why);
	if (!session_has_beside(t))
		return err_printf(err, "spares and on-node-loss need the "
				       "step's controller beside srun, which "
				       "hasn't started it");
	t->recovery = calloc(1, sizeof(*t->recovery));
	if (!t->recovery)
		return err_memory(err);
	lost_begin(t);
	return session_begin_beside(t, lost_seek, err);
}

void recovery_close(struct session *t)
{
	struct recovery *v = t->recovery;

	if (!v)
		return;
	loop_disarm(t->o.loop, &v->beat);
	loop_disarm(t->o.loop, &v->fence);
	free(v->piece);
	free(v->condemned);
	free(v->stop);
	free(v->ready);
	free(v);
	t->recovery = NULL;
}
