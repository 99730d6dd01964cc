/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/recovery/session_recovery.h"

#include "core/base/parse.h"
#include "helpers/channel/session_beside.h"
#include "helpers/channel/session_client.h"
#include "helpers/channel/session_server.h"
#include "helpers/recovery/recovery_state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool session_recovers(const struct session *t)
{
	return t->recovery;
}

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
		else
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

/* --- the client --- */

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

int recovery_seek(struct session *t, struct err *err)
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
		.message = on_message,
		.late = lost_late,
		.lost = lost_lost,
		.arg = t,
	};

	message_hello(t->hello, t->job->procid, t->job->node_name);
	t->client = client_open(&options, err);
	if (!t->client)
		return -1;
	tell_again(t);
	return 0;
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
	return session_begin_beside(t, recovery_seek, err);
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
