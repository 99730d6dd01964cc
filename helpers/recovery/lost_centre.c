/* SPDX-License-Identifier: Apache-2.0 */
/* A launcher that has lost the centre, or the office: it ends its processes and
 * looks for the next one. And the beats by which both find out. */
#include "helpers/channel/session_client.h"
#include "helpers/recovery/recovery_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A search ends by then: nobody may ever answer again. */
#define SEEK_S 300

#define CLAIM_LEASES 2 /* that a claim waits at srun */
#define LAST_LEASES  4 /* of a search in vain, until the last resort */

static uint64_t fence_ms(const struct session *t)
{
	return recovery_fence_ms(t->step.lease_s);
}

static void to_launcher(struct session *t, char type, const char *text)
{
	t->o.message(t->o.arg, type, text, strlen(text));
}

/* --- losing the centre --- */

/* At once: whoever gave this launcher up, or is given up by it, doesn't wait.
 */
static void end_all(struct session *t)
{
	if (!t->recovery->at_rest)
		to_launcher(t, MSG_FENCE, "");
}

static void leave_with(struct session *t, const char *code)
{
	t->left = true;
	to_launcher(t, MSG_LEAVE, code);
}

/* Nothing runs here, and the step was told to end: Slurm waits for us. */
void lost_leave_if_over(struct session *t)
{
	const struct recovery *v = t->recovery;

	if (v->is == ROLE_SEEKER && v->at_rest && v->told && !t->left)
		leave_with(t, "143");
}

void recovery_give_up(struct session *t)
{
	t->recovery->told = true;
	lost_leave_if_over(t);
}

/* Whether the others may know more of the step than this launcher: it was
 * stopped, and wakes when they have a new centre. */
static bool is_stale(const struct session *t)
{
	const struct recovery *v = t->recovery;
	uint64_t ms = v->is == ROLE_CENTRE ? v->claim.held_ms : v->ok_ms;

	if (v->is == ROLE_CENTRE && v->claim.term > v->term + 1)
		return true;
	return ms && loop_now_ms() - ms > recovery_lease_ms(t->step.lease_s);
}

static void seek(struct session *t)
{
	struct recovery *v = t->recovery;
	struct err err;

	client_close(t->client);
	t->client = NULL;
	v->is = ROLE_SEEKER;
	if (seek_begin(t, &err) < 0)
		exit(EXIT_FAILURE); /* its processes die with it */
}

/* The centre is lost, or the office. */
static void begin_search(struct session *t, bool stale)
{
	struct recovery *v = t->recovery;

	v->lost_ms = v->since_ms = loop_now_ms();
	v->stale = stale;
	v->last_resort = false;
	seek(t);
	if (!stale && seek_is_candidate(v))
		centre_claim(t);
	lost_leave_if_over(t);
}

/* The centre has said that nobody can grant the office to another one: as in a
 * step without recovery. */
static bool has_no_witness(const struct recovery *v)
{
	return v->is == ROLE_MEMBER && !v->term && v->candidates.here.n;
}

static void be_alone(struct session *t)
{
	struct recovery *v = t->recovery;

	loop_disarm(t->o.loop, &v->beat);
	loop_disarm(t->o.loop, &v->fence);
	srun_claim_close(&v->claim);
	server_close(t->server);
	t->server = NULL;
	v->is = ROLE_ALONE;
}

void recovery_lost(void *arg, int why)
{
	struct session *t = arg;

	if (t->left)
		return;
	if (has_no_witness(t->recovery)) {
		be_alone(t);
		session_client_lost(t, why);
		return;
	}
	begin_search(t, is_stale(t));
	end_all(t);
}

void recovery_late(void *arg, int why)
{
	struct session *t = arg;
	struct recovery *v = t->recovery;

	if (v->is == ROLE_SEEKER)
		return;
	if (v->srun_port || t->beside.ip) {
		begin_search(t, false);
		return;
	}
	be_alone(t);
	session_client_late(t, why);
}

void recovery_leave_office(struct session *t)
{
	bool stale = is_stale(t);

	centre_end(t);
	begin_search(t, stale);
	end_all(t);
}

/* This launcher may have been given up by the centre, or by srun. */
void lost_fence(struct session *t)
{
	struct recovery *v = t->recovery;

	loop_disarm(t->o.loop, &v->fence);
	if (t->left)
		return;
	if (v->is == ROLE_CENTRE) {
		recovery_leave_office(t);
		return;
	}
	if (has_no_witness(v)) {
		end_all(t);
		be_alone(t);
		session_client_lost(t, ETIMEDOUT);
		return;
	}
	if (v->is == ROLE_MEMBER)
		begin_search(t, is_stale(t));
	end_all(t);
}

/* The clock decides, whatever has come meanwhile. */
bool lost_is_fenced(const struct session *t)
{
	const struct recovery *v = t->recovery;

	return v->is == ROLE_MEMBER && v->ok_ms &&
	       loop_now_ms() - v->ok_ms >= fence_ms(t);
}

/* Who has found a centre since, or is it, isn't lost. */
static void lost_on_fence(void *arg)
{
	const struct session *t = arg;

	if (t->recovery->is == ROLE_SEEKER || lost_is_fenced(t))
		lost_fence(arg);
}

static void lost_on_leave(void *arg)
{
	struct session *t = arg;

	if (t->recovery->is == ROLE_CENTRE && !t->left)
		recovery_leave_office(t);
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

	if (t->recovery->is != ROLE_MEMBER || !t->client ||
	    !client_is_there(t->client))
		return;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)loop_now_ms());
	client_send(t->client, MSG_BEAT, text, strlen(text));
}

/* A claim is granted soon after the loss, or the centre isn't lost: it must not
 * wait at srun until the next one is, with what this launcher knows. Who has
 * found nobody for long claims once more, wherever it is. */
static void look_at_search(struct session *t)
{
	struct recovery *v = t->recovery;
	uint64_t now = loop_now_ms(), ms = now - v->since_ms;
	uint64_t lease = recovery_lease_ms(t->step.lease_s);

	if (ms > CLAIM_LEASES * lease && !v->last_resort)
		srun_claim_close(&v->claim);
	if (ms > LAST_LEASES * lease && !v->last_resort) {
		v->last_resort = true;
		centre_claim(t);
	}
	if (now - v->lost_ms > SEEK_S * 1000UL && v->at_rest && !t->left) {
		t->o.say(t->o.arg, "dist-train: no other launcher of the step "
				   "answers: this one leaves\n");
		leave_with(t, "137");
	}
}

/* Nobody comes to who was granted the office as the last resort: the others
 * are elsewhere, and can't have it as long as it is here. */
static void step_aside(struct session *t)
{
	struct recovery *v = t->recovery;

	if (centre_has_members(t)) {
		v->last_resort = false;
		return;
	}
	if (loop_now_ms() - v->office_ms <
	    recovery_lease_ms(t->step.lease_s) / 2)
		return;
	centre_end(t);
	v->since_ms = loop_now_ms();
	v->last_resort = false;
	seek(t);
}

/* srun hears the first centre, and has granted that to another one. */
static bool is_refused(const struct recovery *v)
{
	return !v->term &&
	       srun_claim_is_refused(&v->claim,
				     recovery_lease_ms(v->t->step.lease_s));
}

static void lost_on_beat(void *arg)
{
	struct session *t = arg;
	struct recovery *v = t->recovery;

	loop_arm(t->o.loop, &v->beat, recovery_interval_ms(t->step.lease_s));
	if (lost_is_fenced(t))
		lost_fence(t);
	else if (v->is == ROLE_SEEKER)
		look_at_search(t);
	else if (v->is == ROLE_CENTRE && !t->left &&
		 (is_refused(v) || !v->door.in_office(v)))
		recovery_leave_office(t);
	else if (v->is == ROLE_CENTRE && v->last_resort && !t->left)
		step_aside(t);
	lost_send_beat(t);
}

void lost_begin(struct session *t)
{
	struct recovery *v = t->recovery;

	v->beat = (struct loop_timer){.expired = lost_on_beat, .arg = t};
	v->fence = (struct loop_timer){.expired = lost_on_fence, .arg = t};
	v->leave = (struct loop_timer){.expired = lost_on_leave, .arg = t};
}
