/* SPDX-License-Identifier: Apache-2.0 */
/* A launcher and srun, the witness of who is the centre: the office is claimed,
 * granted, or nobody can grant it. */
#include "helpers/recovery/recovery_state.h"

#include "helpers/arbiter/arbiter_lines.h"
#include "helpers/channel/session_server.h"
#include "helpers/srun/session_srun.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define ASK_AGAIN_MS 1000 /* whether srun can be reached */

static void on_granted(void *arg, unsigned term)
{
	struct session *t = arg;
	struct recovery *v = t->recovery;
	struct err err;

	if (v->is == ROLE_CENTRE && term > v->term + 1) {
		recovery_leave_office(t); /* others have had it meanwhile */
		return;
	}
	v->term = term;
	if (v->is == ROLE_CENTRE) {
		centre_tell_soon(t);
		return;
	}
	client_close(t->client);
	t->client = NULL;
	if (!v->at_rest) /* it has found no centre in time, from the start */
		t->o.message(t->o.arg, MSG_END, "0", 1);
	if (centre_begin(t, true, &err) < 0)
		exit(EXIT_FAILURE); /* its processes die with it */
}

static void on_srun_gone(void *arg)
{
	struct session *t = arg;
	char line[ARBITER_LINE_SIZE];

	line_srun_gone(line, 0);
	if (t->recovery->is == ROLE_CENTRE)
		arbiter_stop(server_arbiter(t->server), line, 128 + SIGKILL, 0);
	else
		recovery_give_up(t);
}

static void say_no_witness(struct session *t)
{
	char line[ARBITER_LINE_SIZE];

	snprintf(line, sizeof(line),
		 "dist-train: %s can't reach srun%s%s: the step goes on, but "
		 "the loss of %s ends it\n",
		 t->job->node_name, t->recovery->srun_ip ? " at " : "",
		 t->recovery->srun_ip ? t->recovery->srun_ip : "",
		 t->job->node_name);
	t->o.say(t->o.arg, line);
}

/* Some node was lost, or hasn't come, before it could be told that there is no
 * witness: srun may grant it the office, if it can reach srun. */
static void end_in_doubt(struct session *t)
{
	char line[ARBITER_LINE_SIZE];

	snprintf(line, sizeof(line),
		 "dist-train: %s can't reach srun at %s, and a node that is "
		 "lost, or hasn't come, may lead the step there: all others "
		 "end\n",
		 t->job->node_name, t->recovery->srun_ip);
	arbiter_stop(server_arbiter(t->server), line, 128 + SIGKILL, 0);
	server_wait_no_more(t->server);
}

static bool is_somebody_lost(const struct roster *r)
{
	for (unsigned i = 0; i < r->nnodes; i++)
		if (r->node[i].lost || r->node[i].state == NODE_AWAY)
			return true;
	return false;
}

static void on_unreachable(void *arg)
{
	struct session *t = arg;

	if (t->recovery->is != ROLE_CENTRE)
		return;
	if (is_somebody_lost(&t->recovery->roster)) {
		end_in_doubt(t);
		return;
	}
	say_no_witness(t);
	centre_tell(t);
}

bool witness_is_missed(struct session *t)
{
	struct recovery *v = t->recovery;

	if (!v->srun_port || v->claim.term)
		return false;
	if (srun_claim_is_undecided(&v->claim))
		loop_arm(t->o.loop, &v->all_here, ASK_AGAIN_MS);
	else
		end_in_doubt(t);
	return true;
}

void centre_claim(struct session *t)
{
	struct recovery *v = t->recovery;
	struct srun_claim_options options = {
		.loop = t->o.loop,
		.ip = v->srun_ip,
		.port = v->srun_port,
		.lease_s = t->step.lease_s,
		.procid = t->job->procid,
		.was_there = v->term > 0,
		.looks = t->job->localid != 0, /* it has no door */
		.token = t->secret.token,
		.granted = on_granted,
		.end_time = session_end_time,
		.gone = on_srun_gone,
		.unreachable = on_unreachable,
		.arg = t,
	};

	if (v->srun_port)
		srun_claim_open(&v->claim, &options);
	else if (v->is == ROLE_CENTRE)
		say_no_witness(t);
}
