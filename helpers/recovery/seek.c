/* SPDX-License-Identifier: Apache-2.0 */
/* Where the centre may be: at the door of one of the candidates that the last
 * one has named. Where these don't answer, and where no centre has named any,
 * at any node's door. */
#include "helpers/recovery/recovery_state.h"

#include "core/base/hostlist.h"
#include "core/plan/recovery.h"
#include "helpers/channel/session_beside.h"
#include "helpers/channel/session_server.h"
#include "helpers/recovery/session_recovery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN_MS 5000 /* of many launchers that all begin */

/* At the beginning there is one candidate, task 0's launcher, at any of its
 * ports; it may have much to do. */
static bool tries_first(const struct recovery *v)
{
	bool begins =
		v->is == ROLE_MEMBER && loop_now_ms() - v->lost_ms < BEGIN_MS;

	return !v->welcomed && !v->term && (begins || v->pass % 2 == 0);
}

static bool tries_candidates(const struct recovery *v)
{
	return v->candidates.n && v->pass % 2 == 0;
}

/* Of the nodes in turn. */
static unsigned other_node(const struct recovery *v, unsigned try)
{
	unsigned n = v->t->job->nnodes;

	return (v->pass / 2 * CANDIDATES_MAX + try) % n;
}

/* Nearly all doors have the first port; each fourth time over all nodes it is
 * one of the others. */
static unsigned other_port(const struct recovery *v)
{
	unsigned times = v->pass / 2 * CANDIDATES_MAX / v->t->job->nnodes;
	unsigned try =
		times % 4 == 3 ? 1 + times / 4 % (LAUNCHERS_TRIES - 1) : 0;

	return session_port(v->t, try);
}

/* Each pass over eight addresses tries the candidates, and the next one others:
 * srun may have made a launcher the centre that the last one hadn't named. */
static unsigned seek_port(const void *arg, unsigned try)
{
	struct recovery *v = (struct recovery *)arg;

	v->pass += try == 0;
	if (tries_first(v))
		return session_port(v->t, try);
	if (!tries_candidates(v))
		return try < CANDIDATES_MAX ? other_port(v) : 0;
	return try < v->candidates.n ? v->candidates.list[try].port : 0;
}

/* The address in `ret`, or that of a candidate. */
static const char *seek_ip(const void *arg, unsigned try,
			   char ret[HOSTLIST_NAME_MAX])
{
	const struct recovery *v = arg;

	if (tries_first(v))
		return v->t->server_ip;
	if (tries_candidates(v))
		return v->candidates.list[try].ip;
	if (hostlist_nth(v->t->job->addrs, other_node(v, try), ret) < 0)
		return v->t->server_ip;
	return ret;
}

bool seek_is_candidate(const struct recovery *v)
{
	unsigned self = v->t->job->nodeid;

	if (v->t->job->localid != 0)
		return false; /* it has no door */
	if (!v->candidates.n)
		return self <= CANDIDATES_MAX;
	for (unsigned i = 0; i < v->candidates.n; i++)
		if (v->candidates.list[i].node == self)
			return true;
	return false;
}

/* TERM ROUND DONE GATHERED [PLACES], the text of MSG_STATE, for the caller to
 * free; NULL: out of memory. */
static char *state_text(const struct recovery *v)
{
	const char *places = v->places ? v->places : "";
	bool been = v->welcomed || v->round;
	cleanup_free char *first = NULL;
	char *text;

	if (been && !v->places) {
		const struct resolved *r = &v->t->o.plan->resolved;
		struct places p;
		struct err err;

		if (first_places(v->t->job, r->spares, &p, &err) < 0)
			return NULL;
		places = first = places_text(&p);
		places_clear(&p);
	}
	if (!places || asprintf(&text, "%u %u %d %d %s", v->term, v->round,
				v->done, v->gathered, places) < 0)
		return NULL;
	return text;
}

void seek_tell_again(struct session *t,
		     void (*tell)(struct session *t, char type,
				  const char *data, size_t n))
{
	struct recovery *v = t->recovery;
	cleanup_free char *state = state_text(v);
	char port[16];

	if (state)
		tell(t, MSG_STATE, state, strlen(state));
	if (t->server) {
		snprintf(port, sizeof(port), "%u", server_port(t->server));
		tell(t, MSG_DOOR, port, strlen(port));
	}
	if (v->piece)
		tell(t, MSG_GATHER, v->piece, v->npiece);
	if (v->orphan)
		tell(t, MSG_ORPHAN, "", 0);
	if (v->condemned)
		tell(t, MSG_CONDEMNED, v->condemned, strlen(v->condemned));
	if (v->told)
		tell(t, MSG_TOLD, "", 0);
	if (v->stop)
		tell(t, MSG_STOP, v->stop, strlen(v->stop));
	if (v->ready && !v->at_rest)
		tell(t, MSG_READY, v->ready, strlen(v->ready));
	if (v->at_rest)
		tell(t, MSG_ENDED, v->ended, strlen(v->ended));
}

/* --- the client --- */

static void tell_client(struct session *t, char type, const char *data,
			size_t n)
{
	client_send(t->client, type, data, n);
}

int seek_begin(struct session *t, struct err *err)
{
	struct recovery *v = t->recovery;
	struct client_options options = {
		.step = &t->step,
		.ip = t->server_ip,
		.hello_type = MSG_HELLO,
		.welcome_type = MSG_WELCOME,
		.hello = t->hello,
		.timeout_s = session_number(t, KEY_TIMEOUT),
		.ncrowd = t->job->ntasks,
		.port = t->beside.ip ? session_beside_port : seek_port,
		.ip_of = t->beside.ip ? session_beside_ip : seek_ip,
		.port_arg = t->beside.ip ? (void *)t : v,
		.message = recovery_message,
		.late = recovery_late,
		.lost = recovery_lost,
		.arg = t,
	};

	v->pass = ~0U; /* the first one is 0 */
	message_hello(t->hello, t->job->procid, t->job->node_name);
	t->client = client_open(&options, err);
	if (!t->client)
		return -1;
	seek_tell_again(t, tell_client);
	return 0;
}
