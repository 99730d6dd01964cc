/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/session_state.h"

#include "helpers/conn/question.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAVE_S 3 /* beyond the last SIGKILL */

/* --- what the launcher is told --- */

static void tell(struct session *t, enum message type, const char *text)
{
	session_message(t, (char)type, text, strlen(text));
}

static void tell_number(struct session *t, enum message type, long n)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", n);
	tell(t, type, text);
}

static void leave(struct session *t)
{
	const struct alone *a = &t->alone;
	char line[64];

	loop_disarm(t->o.loop, &t->alone.latest);
	snprintf(line, sizeof(line), "dist-train: %ld other process%s ended\n",
		 a->nended, a->nended == 1 ? " was" : "es were");
	if (a->fails && a->nended && !a->quiet)
		t->o.say(t->o.arg, line);
	tell_number(t, MSG_LEAVE, a->code);
}

static void on_latest(void *arg)
{
	leave(arg);
}

/* The launcher answers within the call; its end comes after the report. */
static void end_all(struct session *t, int code, long after_s, bool reports)
{
	struct alone *a = &t->alone;

	a->fails = a->busy = true;
	a->code = code;
	loop_arm(t->o.loop, &a->latest,
		 (uint64_t)(after_s + KILL_AFTER_S + LEAVE_S) * 1000);
	tell_number(t, MSG_END, after_s);
	if (reports)
		tell(t, MSG_REPORT, "");
	a->busy = false;
	if (a->ended && !t->left)
		leave(t);
}

void session_alone_stop(struct session *t, const char *line, int code,
			long after_s)
{
	if (t->alone.fails || t->left)
		return;
	if (*line && !t->alone.quiet)
		t->o.say(t->o.arg, line);
	end_all(t, code, after_s, false);
}

/* --- what it tells --- */

/* ROUND CODE AGE_MS HOW. Of services that were told to end it doesn't count. */
static void note_failed(struct session *t, const char *text)
{
	long round, code, age, how;

	if (t->alone.fails || (t->alone.done && !t->o.plan->start_command) ||
	    message_number(&text, 0, INT_MAX, &round) < 0 ||
	    message_number(&text, 1, UCHAR_MAX, &code) < 0 ||
	    message_number(&text, 0, LONG_MAX, &age) < 0 ||
	    message_number(&text, FAILED, FAILED_TO_START, &how) < 0)
		return;
	end_all(t, (int)code, session_number(t, KEY_GRACE),
		how != FAILED_BY_SIGNAL);
}

/* CODE SECONDS LINE */
static void note_stop(struct session *t, const char *text)
{
	char line[1024];
	long code, after_s;

	if (message_number(&text, 1, UCHAR_MAX, &code) < 0 ||
	    message_number(&text, 0, AFTER_MAX_S, &after_s) < 0)
		return;
	snprintf(line, sizeof(line), "%s%.1000s%s", *text ? "dist-train: " : "",
		 text, *text ? "\n" : "");
	session_alone_stop(t, line, (int)code, after_s);
}

/* ROUND N */
static void note_ended(struct session *t, const char *text)
{
	struct alone *a = &t->alone;
	long round;

	if (message_number(&text, 0, INT_MAX, &round) < 0 ||
	    message_number(&text, 0, LONG_MAX, &a->nended) < 0)
		return;
	a->ended = true;
	if (!a->busy)
		leave(t);
}

/* [ADDRESS] */
static void go(struct session *t, const char *address)
{
	char text[80];

	snprintf(text, sizeof(text), "0%s%.64s", *address ? " " : "", address);
	if (!t->alone.fails)
		tell(t, MSG_GO, text);
}

void session_alone_send(struct session *t, char type, const char *data,
			size_t n)
{
	if (t->left)
		return;
	switch ((enum message)type) {
	case MSG_READY:
		go(t, data);
		break;
	case MSG_GATHER: /* all pieces are this one */
		session_message(t, MSG_GATHERED, data, n);
		break;
	case MSG_EXEC:
		session_message(t, MSG_EXEC_ALL, data, n);
		break;
	case MSG_CODE:
		session_message(t, MSG_CODE_ALL, data, n);
		break;
	case MSG_FAILED:
		note_failed(t, data);
		break;
	case MSG_STOP:
		note_stop(t, data);
		break;
	case MSG_IDLE:
		t->alone.done = true;
		tell(t, MSG_DONE, "");
		break;
	case MSG_ENDED:
		note_ended(t, data);
		break;
	default: /* what the controller alone has a use for */
		break;
	}
}

/* --- keys that need more --- */

/* What the user has asked for, as he wrote it; NULL: nothing of that. */
static const char *asked_for(const struct session *t, char ret[64])
{
	const struct resolved *w = &t->o.plan->resolved;
	long restarts = session_number(t, KEY_RESTARTS);

	if (restarts)
		snprintf(ret, 64, "restarts=%ld", restarts);
	else if (w->check != CHECK_OFF)
		snprintf(ret, 64, "check=%s",
			 w->check == CHECK_FULL ? "full" : "fast");
	else if (w->early_exit_fails)
		snprintf(ret, 64, "early-exit=fail");
	else
		return NULL;
	return ret;
}

/* --- visitors --- */

static const char *on_question(void *arg)
{
	const struct session *t = arg;

	return t->alone.refusal;
}

static void on_stranger(void *arg, char type, const char *data, size_t n)
{
	(void)type;
	(void)data;
	(void)n;
	connection_drop(arg);
}

static void on_lost(void *arg, int why)
{
	(void)why;
	connection_drop(arg);
}

static void say_nothing(void *arg, const char *line)
{
	(void)arg;
	(void)line;
}

/* Commands look for the controller on task 0's node: they are told why there is
 * none, as far as a port is free. */
static void refuse_visitors(struct session *t, const char *why)
{
	struct alone *a = &t->alone;
	struct err err;

	a->refusal = question_refusal(why);
	if (!a->refusal || session_refuse_askers(t, a->refusal, &err) < 0)
		return;
	a->strangers = (struct connections){
		.step = t->step,
		.ip = t->job->nnodes == 1 ? NULL : t->server_ip,
		.node = t->job->node_name,
		.nmembers = 1,
		.answer = t->giver ? NULL : on_question,
		.giver = t->giver,
		.message = on_stranger,
		.lost = on_lost,
		.owner = t,
		.say = say_nothing,
	};
	connections_init(&a->strangers);
	connections_listen(&a->strangers, session_port, t, &err);
}

/* --- begin and end --- */

int session_alone_open(struct session *t, const char *why, struct err *err)
{
	char text[64];
	const char *what = asked_for(t, text);

	if (what && t->job->ntasks > 1)
		return err_printf(err,
				  "%s: the step's launchers can't reach each "
				  "other here: %s",
				  what, why);
	if (what)
		return err_printf(
			err, "%s: the step's controller can't be started: %s",
			what, why);
	session_alone_begin(t);
	if (t->job->procid == 0)
		refuse_visitors(t, why);
	return 0;
}

void session_alone_begin(struct session *t)
{
	session_have_own_secret(t);
	t->alone.latest = (struct loop_timer){.expired = on_latest, .arg = t};
}

void session_alone_close(struct session *t)
{
	loop_disarm(t->o.loop, &t->alone.latest);
	if (t->alone.strangers.owner)
		connections_close(&t->alone.strangers);
	free(t->alone.refusal);
}
