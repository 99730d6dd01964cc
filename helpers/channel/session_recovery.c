/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/session_state.h"

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
	t->recovery->message = on_message;
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
