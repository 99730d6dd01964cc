/* SPDX-License-Identifier: Apache-2.0 */
/* A launcher as the centre of its step: who is here, and who comes next. */
#include "helpers/recovery/recovery_state.h"

#include "core/base/hostlist.h"
#include "helpers/arbiter/arbiter_lines.h"
#include "helpers/channel/session_server.h"
#include "helpers/progress/absent_nodes.h"
#include "helpers/recovery/session_recovery.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TELL_MS 100 /* changes within that are told together */

/* --- the door --- */

static bool in_office(const void *arg)
{
	const struct recovery *v = arg;

	if (v->is != ROLE_CENTRE)
		return false;
	if (!v->claim.term || srun_claim_is_held(&v->claim))
		return true;
	/* Not now: whoever asks is in the middle of the server */
	if (!v->leave.armed)
		loop_arm(v->t->o.loop, (struct loop_timer *)&v->leave, 0);
	return false;
}

static void on_ask(void *arg)
{
	srun_claim_ask(&((struct recovery *)arg)->claim);
}

static bool is_confirmed(const void *arg, uint64_t since_ms)
{
	const struct recovery *v = arg;

	return v->claim.term ? v->claim.held_ms >= since_ms
			     : !srun_claim_is_undecided(&v->claim);
}

static void on_door(void *arg, unsigned member, unsigned port)
{
	struct recovery *v = arg;

	v->door_port[v->node[member]] = port;
	centre_tell_soon(v->t);
}

static void on_changed(void *arg)
{
	centre_tell_soon(((struct recovery *)arg)->t);
}

int centre_open_door(struct session *t, struct err *err)
{
	struct recovery *v = t->recovery;
	char ip[HOSTLIST_NAME_MAX];
	const char *at = t->server_ip;

	if (t->job->nnodes > 1 &&
	    hostlist_nth(t->job->addrs, t->job->nodeid, ip) == 0)
		at = ip;
	v->door = (struct server_recovery){
		.lease_s = t->step.lease_s,
		.in_office = in_office,
		.ask = on_ask,
		.confirmed = is_confirmed,
		.door = on_door,
		.changed = on_changed,
		.arg = v,
	};
	return session_open_door(
		t, at, &v->door,
		t->o.listen_fd ? session_message : recovery_message, err);
}

/* --- what all are told --- */

static bool is_here(const struct recovery *v, const bool *has, unsigned node)
{
	return node == v->t->job->nodeid || has[node] ||
	       v->roster.node[node].state == NODE_AWAITED;
}

/* The nodes from which a launcher has come; others may still come. */
static bool *who_is_here(const struct recovery *v)
{
	bool *has = calloc(v->t->job->nnodes, sizeof(*has));

	for (unsigned i = 0; has && i < v->t->job->ntasks; i++)
		if (server_has(v->t->server, i))
			has[v->node[i]] = true;
	return has;
}

bool centre_has_members(const struct session *t)
{
	for (unsigned i = 0; i < t->job->ntasks; i++)
		if (i != t->job->procid && server_has(t->server, i))
			return true;
	return false;
}

static void add_candidate(const struct recovery *v, unsigned node,
			  unsigned port, struct candidates *ret)
{
	struct candidate *c = &ret->list[ret->n];
	char ip[HOSTLIST_NAME_MAX];

	if (!port || !v->t->job->addrs || ret->n == CANDIDATES_MAX ||
	    hostlist_nth(v->t->job->addrs, node, ip) < 0)
		return;
	*c = (struct candidate){.node = node, .port = port};
	snprintf(c->ip, sizeof(c->ip), "%.63s", ip);
	ret->n++;
}

/* Ourselves first: whoever has lost us alone finds us again. */
static int fill_candidates(struct recovery *v, struct candidates *ret)
{
	const struct job *job = v->t->job;
	cleanup_free bool *has = who_is_here(v);

	*ret = (struct candidates){
		.term = v->term,
		.nrestarts = arbiter_restarts(server_arbiter(v->t->server)),
		.centre = job->nodeid,
		.here.node = calloc(job->nnodes, sizeof(unsigned)),
	};
	if (!has || !ret->here.node)
		return -1;
	add_candidate(v, job->nodeid, server_port(v->t->server), ret);
	for (unsigned i = 0; i < job->nnodes; i++) {
		if (!is_here(v, has, i))
			continue;
		ret->here.node[ret->here.n++] = i;
		if (i != job->nodeid)
			add_candidate(v, i, v->door_port[i], ret);
	}
	return 0;
}

void centre_tell(void *arg)
{
	struct session *t = arg;
	struct candidates c;
	cleanup_free char *text = NULL;

	if (t->recovery->is != ROLE_CENTRE || t->left || t->o.listen_fd ||
	    srun_claim_is_undecided(&t->recovery->claim))
		return;
	if (fill_candidates(t->recovery, &c) == 0)
		text = candidates_text(&c);
	candidates_clear(&c);
	if (text)
		server_send_all(t->server, MSG_CANDIDATES, text, strlen(text));
}

void centre_tell_soon(struct session *t)
{
	struct recovery *v = t->recovery;

	if (v->is == ROLE_CENTRE && !v->tell.armed)
		loop_arm(t->o.loop, &v->tell, TELL_MS);
}

static void tell_srun(struct session *t, const char *text, size_t n, bool last)
{
	if (last)
		srun_claim_tell(&t->recovery->claim, text);
	else
		srun_claim_say(&t->recovery->claim, text, n);
}

/* --- the office --- */

static int make_roster(struct recovery *v, struct err *err)
{
	const struct resolved *r = &v->t->o.plan->resolved;
	struct roster_options options = {
		.nnodes = v->t->job->nnodes,
		.nspares = r->spares,
		.names = v->t->job->nodes,
		.order = v->t->job->order,
		.ladder = &r->ladder,
	};

	return roster_open(&options, &v->roster, err);
}

/* Who came and was lost has been told of. */
static bool is_somebody_awaited(const struct recovery *v)
{
	for (unsigned i = 0; i < v->roster.nnodes; i++)
		if (v->roster.node[i].state == NODE_AWAITED)
			return true;
	return false;
}

/* The time is over in which launchers may come. */
static void on_all_here(void *arg)
{
	struct session *t = arg;
	struct absence a = {
		.server = t->server,
		.ntasks = t->job->ntasks,
		.nodes = t->job->nodes,
		.after_s = session_number(t, KEY_TIMEOUT),
		.means = "; they count as lost",
	};
	char line[1024];

	if (is_somebody_awaited(t->recovery) && witness_is_missed(t))
		return;
	if (is_somebody_awaited(t->recovery) &&
	    absent_line(&a, line, sizeof(line)))
		t->o.say(t->o.arg, line);
	server_wait_no_more(t->server);
}

static void tell_own_server(struct session *t, char type, const char *data,
			    size_t n)
{
	server_handle(t->server, t->job->procid, type, data, n);
}

static void say_centre(const struct session *t)
{
	char line[ARBITER_LINE_SIZE];

	snprintf(line, sizeof(line),
		 "dist-train: the launcher of task %u on %s leads the step "
		 "from now on\n",
		 t->job->procid, t->job->node_name);
	t->o.say(t->o.arg, line);
}

int centre_begin(struct session *t, bool takeover, struct err *err)
{
	struct recovery *v = t->recovery;
	struct arbiter_options arbiter;

	if (make_roster(v, err) < 0)
		return -1;
	loop_disarm(t->o.loop, &v->fence);
	v->is = ROLE_CENTRE;
	v->office_ms = loop_now_ms();
	v->ok_ms = 0;
	v->arbiter = (struct arbiter_recovery){
		.roster = &v->roster,
		.node = v->node,
		.lease_s = t->step.lease_s,
	};
	session_arbiter(t, t->job->ntasks, &arbiter);
	arbiter.round = v->round > v->claim.round ? v->round : v->claim.round;
	arbiter.start_together = true;
	arbiter.recovery = &v->arbiter;
	t->tell_srun = t->o.listen_fd ? NULL : tell_srun;
	v->tell = (struct loop_timer){.expired = centre_tell, .arg = t};
	v->all_here = (struct loop_timer){.expired = on_all_here, .arg = t};
	if (server_take_office(t->server, &arbiter, err) < 0)
		return -1;
	if (takeover) {
		say_centre(t);
	} else {
		progress_open(&t->progress, t->o.loop, t->o.plan, t->server,
			      t->o.say, t->o.arg);
		loop_arm(t->o.loop, &v->all_here,
			 (unsigned long)session_number(t, KEY_TIMEOUT) * 1000);
	}
	if (!t->o.listen_fd)
		seek_tell_again(t, tell_own_server);
	return 0;
}

void centre_end(struct session *t)
{
	struct recovery *v = t->recovery;

	loop_disarm(t->o.loop, &v->tell);
	loop_disarm(t->o.loop, &v->all_here);
	loop_disarm(t->o.loop, &v->leave);
	progress_close(&t->progress);
	srun_claim_close(&v->claim);
	server_leave_office(t->server);
	roster_close(&v->roster);
}
