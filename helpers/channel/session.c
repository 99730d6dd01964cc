/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/session.h"

#include "helpers/channel/session_state.h"
#include "sys/left_signals.h"

#include <signal.h>
#include <stdlib.h>

#define LOOPBACK "127.0.0.1"

bool session_no_channel(const struct session *t, const char **ret_why)
{
	*ret_why = t->why;
	return t->job->ntasks > 1 && *t->why;
}

bool session_knows_secret(const struct session *t)
{
	return !t->asks;
}

int session_secret(const struct session *t, const char *purpose,
		   char ret[SEAL_WORD_SIZE], struct err *err)
{
	const char *why;

	if (session_no_channel(t, &why))
		return err_printf(err,
				  "the launchers of the step can't agree on a "
				  "secret: %s",
				  why);
	if (seal_word(*why ? NULL : t->secret.secret.secret, t->id, purpose,
		      ret) < 0)
		return err_printf(err, "no random bytes");
	return 0;
}

const struct secure_conn_step *session_sealing(const struct session *t)
{
	return &t->step;
}

void session_told_to_end(struct session *t)
{
	if (signal_is_pending(SIGINT))
		t->interrupted_ms = loop_now_ms();
	t->told_to_end = true;
	if (t->recovery)
		recovery_told_to_end(t);
	else if (t->client)
		session_client_told_to_end(t);
}

static void answer(struct session *t)
{
	t->owes_answer = false;
	if (t->recovery)
		lost_send_beat(t);
	else if (t->client)
		client_send(t->client, MSG_BEAT, "", 0);
}

void session_send(struct session *t, char type, const char *data, size_t n)
{
	if (t->recovery)
		recovery_send(t, type, data, n);
	else if (t->client || (session_client_is_in_doubt(t) &&
			       (type == MSG_FAILED || type == MSG_ENDED)))
		session_client_send(t, type, data, n);
	else
		session_alone_send(t, type, data, n);
	if (type == MSG_FAILED && t->owes_answer)
		answer(t);
}

int session_gather(struct session *t, const struct gather_piece *piece)
{
	size_t n;
	cleanup_free char *text = gather_text(piece, &n);

	if (!text)
		return -1;
	session_send(t, MSG_GATHER, text, n);
	return 0;
}

static int join_beside(struct session *t, struct err *err)
{
	return session_open_client(t, session_beside_port, session_beside_ip,
				   err);
}

static int join_step(struct session *t, struct err *err)
{
	if (t->o.recovery)
		return recovery_open(t, err);
	if (t->job->ntasks > 1 && *t->why)
		return session_alone_open(t, t->why, err);
	if (session_has_beside(t))
		return session_begin_beside(t, join_beside, err);
	if (t->job->procid == 0)
		return session_begin_step(t, err);
	return session_be_client(t, err);
}

struct session *session_open(const struct session_options *options,
			     struct err *err)
{
	struct session *t = calloc(1, sizeof(*t));

	if (!t)
		return err_memory_null(err);
	t->o = *options;
	t->job = options->job ? options->job : options->plan->job;
	t->server_ip = t->job->nnodes == 1 ? LOOPBACK : t->job->rank0_addr;
	job_step(t->job, t->id);
	t->step = (struct secure_conn_step){
		.loop = options->loop,
		.secret = t->secret.secret.secret,
		.id = t->id,
		.lease_s = session_number(t, KEY_LEASE),
	};
	if (session_find_secret(t, err) == 0 && join_step(t, err) == 0)
		return t;
	session_close(t);
	return NULL;
}

void session_close(struct session *t)
{
	if (!t)
		return;
	recovery_close(t);
	session_beside_close(t);
	session_client_close(t);
	session_alone_close(t);
	session_step_close(t);
	session_forget_secret(t);
	free(t);
}
