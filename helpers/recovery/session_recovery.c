/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/recovery/session_recovery.h"

#include "core/base/parse.h"
#include "core/facts/taskmap.h"
#include "helpers/arbiter/arbiter_lines.h"
#include "helpers/channel/session_beside.h"
#include "helpers/channel/session_client.h"
#include "helpers/channel/session_server.h"
#include "helpers/recovery/recovery_state.h"
#include "helpers/srun/session_srun.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool session_recovers(const struct session *t)
{
	return t->recovery && t->recovery->is != ROLE_ALONE;
}

/* --- messages --- */

static void note_round(struct recovery *v, const char *data)
{
	char *places;
	long round;

	if (message_number(&data, 0, INT_MAX, &round) < 0)
		return;
	places = strdup(data);
	if (!places)
		return;
	free(v->places);
	v->places = places;
	v->round = (unsigned)round;
	v->at_rest = false;
	free(v->ready);
	v->ready = NULL;
}

/* A centre that is older than the last one we knew isn't one any more. */
static void note_candidates(struct session *t, const char *data)
{
	struct recovery *v = t->recovery;
	struct candidates c;

	if (candidates_parse(data, t->job->nnodes, &c) < 0)
		return;
	if (c.term < v->term) {
		candidates_clear(&c);
		recovery_lost(t, 0);
		return;
	}
	candidates_clear(&v->candidates);
	v->candidates = c;
	v->term = c.term;
}

/* The centre has let us in. */
static void note_welcome(struct session *t)
{
	struct recovery *v = t->recovery;

	if (v->is == ROLE_CENTRE || (v->is == ROLE_MEMBER && v->welcomed))
		return;
	v->is = ROLE_MEMBER;
	v->welcomed = true;
	v->ok_ms = 0;
	srun_claim_close(&v->claim);
	lost_send_beat(t);
}

/* Returns whether the launcher is to have it, too. */
static bool note_message(struct session *t, char type, const char *data)
{
	struct recovery *v = t->recovery;

	switch ((enum message)type) {
	case MSG_CANDIDATES:
		note_candidates(t, data);
		return false;
	case MSG_ECHO:
		if (*data)
			lost_note_echo(t, data);
		else
			lost_send_beat(t);
		return false;
	case MSG_ROUND:
		note_round(v, data);
		centre_tell_soon(t);
		return true;
	case MSG_GATHERED:
		if (v->gathered)
			return false;
		v->gathered = true;
		return true;
	case MSG_DONE:
		v->done = true;
		return true;
	default:
		return true;
	}
}

void recovery_message(void *arg, char type, const char *data, size_t n)
{
	struct session *t = arg;

	if (lost_is_fenced(t)) {
		lost_fence(t);
		return;
	}
	note_welcome(t);
	if (session_client_fetches(t, recovery_message, type, data, n))
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

/* What a next centre has to be told. Returns whether a launcher that seeks it
 * tells that one, too. */
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
	if (v->is == ROLE_CENTRE)
		server_handle(t->server, t->job->procid, type, data, n);
	else if (t->client && (v->is == ROLE_MEMBER || lasting))
		client_send(t->client, type, data, n);
	lost_leave_if_over(t);
}

void recovery_told_to_end(struct session *t)
{
	struct recovery *v = t->recovery;

	v->told = true;
	if (v->is == ROLE_CENTRE) {
		server_handle(t->server, t->job->procid, MSG_TOLD, "", 0);
		server_wait_no_more(t->server);
	}
	lost_leave_if_over(t);
}

/* --- opening and closing --- */

static int number_nodes(struct recovery *v, struct err *err)
{
	const struct job *job = v->t->job;
	cleanup_free struct task_place *place = taskmap_make(
		job->tasks, job->taskmap, job->ntasks, job->nnodes, err);

	if (!place)
		return -1;
	v->node = calloc(job->ntasks, sizeof(*v->node));
	v->door_port = calloc(job->nnodes, sizeof(*v->door_port));
	if (!v->node || !v->door_port)
		return err_memory(err);
	for (unsigned i = 0; i < job->ntasks; i++)
		v->node[i] = place[i].node;
	return 0;
}

static void find_srun(struct recovery *v)
{
	const char *port = getenv(HANDOVER_SRUN_PORT);
	long number;

	v->srun_ip = getenv("SLURM_LAUNCH_NODE_IPADDR");
	if (v->srun_ip && port &&
	    parse_number(port, 1, UINT16_MAX, &number) == 0)
		v->srun_port = (unsigned)number;
}

static int join(struct session *t, struct err *err)
{
	t->recovery->lost_ms = loop_now_ms();
	if (session_has_beside(t))
		return session_begin_beside(t, seek_begin, err);
	if (t->job->localid == 0 && centre_open_door(t, err) < 0)
		return -1;
	if (t->job->procid != 0)
		return seek_begin(t, err);
	if (centre_begin(t, false, err) < 0)
		return -1;
	centre_claim(t);
	return 0;
}

int recovery_be_server(struct session *t, struct err *err)
{
	struct recovery *v = t->recovery = calloc(1, sizeof(*v));

	if (!v)
		return err_memory(err);
	v->t = t;
	v->claim.watch.fd = -1;
	if (number_nodes(v, err) < 0 || centre_open_door(t, err) < 0 ||
	    centre_begin(t, false, err) < 0)
		return -1;
	session_watch_srun(t);
	return 0;
}

int recovery_open(struct session *t, struct err *err)
{
	struct recovery *v = t->recovery = calloc(1, sizeof(*v));

	if (!v)
		return err_memory(err);
	v->t = t;
	v->claim.watch.fd = -1;
	session_client_timers(t);
	lost_begin(t);
	if (*t->why)
		return err_printf(err,
				  "spares and on-node-loss need launchers that "
				  "reach each other: %s",
				  t->why);
	if (!t->job->addrs && t->job->nnodes > 1)
		return err_printf(err, "spares and on-node-loss need the "
				       "addresses of all nodes, which srun "
				       "hasn't handed over");
	find_srun(v);
	if (number_nodes(v, err) < 0 || join(t, err) < 0)
		return -1;
	loop_arm(t->o.loop, &v->beat, recovery_interval_ms(t->step.lease_s));
	return 0;
}

void recovery_close(struct session *t)
{
	struct recovery *v = t->recovery;

	if (!v)
		return;
	loop_disarm(t->o.loop, &v->beat);
	loop_disarm(t->o.loop, &v->fence);
	loop_disarm(t->o.loop, &v->leave);
	loop_disarm(t->o.loop, &v->tell);
	loop_disarm(t->o.loop, &v->all_here);
	srun_claim_close(&v->claim);
	server_close(t->server);
	t->server = NULL;
	if (v->roster.node)
		roster_close(&v->roster);
	candidates_clear(&v->candidates);
	free(v->places);
	free(v->piece);
	free(v->condemned);
	free(v->stop);
	free(v->ready);
	free(v->node);
	free(v->door_port);
	free(v);
	t->recovery = NULL;
}
