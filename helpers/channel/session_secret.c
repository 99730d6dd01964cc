/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/session_state.h"

#include "helpers/auth/giver.h"

#include <stdio.h>
#include <string.h>

/* A daemon of Slurm's that restarts has so long. */
#define FAULT_MS 10000

/* --- from whom --- */

/* By which the controller that this launcher starts knows how it is asked. */
static void take_met(struct session *t, const struct met_secret *met)
{
	char *credential = t->secret.credential;

	memcpy(t->secret.secret.secret, met->secret, SECRET_SIZE);
	memcpy(t->why, met->why, sizeof(t->why));
	t->auth = met->auth;
	auth_write(&met->auth, credential);
	if (met->credential)
		snprintf(credential, CREDENTIAL_SIZE, "%s", met->credential);
}

static void read_handed(struct session *t)
{
	struct handed_secret *s = &t->secret;

	t->asks = !step_secret_read(&s->secret, s->credential, t->why,
				    sizeof(t->why));
	auth_read(s->credential, &t->auth);
}

/* Nobody else has it: for a controller that this launcher starts after all. */
static int draw_own(struct session *t, struct err *err)
{
	if (!*t->why && !t->asks)
		return 0;
	if (sodium_init() < 0)
		return err_printf(err, "no random bytes");
	randombytes_buf(t->secret.secret.secret, SECRET_SIZE);
	return 0;
}

static void on_known(void *arg)
{
	struct session *t = arg;

	if (t->o.known)
		t->o.known(t->o.arg);
}

static void on_fault(void *arg)
{
	struct session *t = arg;
	const char *why = t->asks ? asker_fault(t->asker) : NULL;
	char line[sizeof(((struct err *)0)->text) + 256];

	if (!why)
		return;
	snprintf(line, sizeof(line),
		 "dist-train: the launcher on %s can't show the others who it "
		 "is: %s\n",
		 t->job->node_name, why);
	t->o.say(t->o.arg, line);
}

static int begin_to_ask(struct session *t, struct err *err)
{
	struct asker_options options = {
		.loop = t->o.loop,
		.auth = t->auth,
		.id = t->id,
	};

	t->known = (struct loop_timer){.expired = on_known, .arg = t};
	t->fault = (struct loop_timer){.expired = on_fault, .arg = t};
	snprintf(t->facts_id, sizeof(t->facts_id), "%s" FACTS_DOOR, t->id);
	t->asker = asker_open(&options, err);
	options.id = t->facts_id;
	t->facts_asker = asker_open(&options, err);
	if (!t->asker || !t->facts_asker)
		return -1;
	loop_arm(t->o.loop, &t->fault, FAULT_MS);
	return 0;
}

int session_find_secret(struct session *t, struct err *err)
{
	if (t->o.met && t->o.met->there)
		take_met(t, t->o.met);
	else
		read_handed(t);
	if (draw_own(t, err) < 0)
		return -1;
	if (!*t->why && !t->server_ip && t->job->ntasks > 1)
		snprintf(t->why, sizeof(t->why),
			 "the address of task 0's node isn't known");
	return t->asks ? begin_to_ask(t, err) : 0;
}

void session_forget_secret(struct session *t)
{
	loop_disarm(t->o.loop, &t->known);
	loop_disarm(t->o.loop, &t->fault);
	asker_close(t->asker);
	asker_close(t->facts_asker);
	giver_close(t->giver);
	sodium_memzero(&t->secret, sizeof(t->secret));
}

/* --- asking --- */

void session_have_own_secret(struct session *t)
{
	if (!t->asks)
		return;
	if (t->fault.armed)
		on_fault(t);
	loop_disarm(t->o.loop, &t->fault);
	t->asks = false;
	loop_arm(t->o.loop, &t->known, 0);
}

static enum client_now take(struct session *t, struct asker *asker,
			    const char *text)
{
	struct err unused;

	if (asker_open_answer(asker, text, t->secret.secret.secret, &unused) <
	    0)
		return CLIENT_NO_SECRET;
	loop_disarm(t->o.loop, &t->fault);
	session_have_own_secret(t);
	return CLIENT_SECRET;
}

static enum client_now on_answer(void *arg, const char *text)
{
	struct session *t = arg;

	return take(t, t->asker, text);
}

static enum client_now on_answer_of_door(void *arg, const char *text)
{
	struct session *t = arg;

	return take(t, t->facts_asker, text);
}

void session_ask_door(struct session *t, struct client_options *client)
{
	if (!t->asks)
		return;
	client->asker = t->facts_asker;
	client->answered = on_answer_of_door;
}

void session_ask(struct session *t, struct client_options *client)
{
	if (!t->asks)
		return;
	client->asker = t->asker;
	client->answered = on_answer;
}

/* --- nothing to give --- */

int session_refuse_askers(struct session *t, const char *refusal,
			  struct err *err)
{
	const struct giver_options options = {
		.loop = t->o.loop,
		.auth = t->auth,
		.id = t->id,
		.secret = t->secret.secret.secret,
		.refusal = refusal,
	};

	if (!t->auth.by_slurm)
		return 0;
	t->giver = giver_open(&options, err);
	return t->giver ? 0 : -1;
}
