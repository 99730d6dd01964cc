/* SPDX-License-Identifier: Apache-2.0 */
/* The check of all nodes of the step, in the launcher where the arbiter is. The
 * first MSG_CHECK of a round begins that of the round. It may be what ends the
 * round: it stays until the next one. */
#include "core/base/cleanup.h"
#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "core/facts/places.h"
#include "helpers/check/check_centre.h"
#include "helpers/check/node_look.h"
#include "helpers/launch/check_phase/check.h"
#include "helpers/launch/launch_view.h"
#include "helpers/launch/note.h"
#include "helpers/launch/part.h"
#include "helpers/launch/step.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct check_step {
	struct check_centre *centre;
	unsigned round, nnodes;
	char **name;	  /* of the world's nodes; ends with NULL */
	unsigned *member; /* by place: who has told something of it */
	char why[1024];	  /* what the step is refused for */
	unsigned nmore;	  /* nodes that aren't named in it */
};

static bool is_here(void *arg, unsigned node)
{
	const struct launch_view *v = arg;
	const struct check_step *c = v->check_step;

	return c->member[node] != MEMBER_NONE ||
	       session_member_on(v->session, c->name[node]) != MEMBER_NONE;
}

static void on_tell(void *arg, unsigned node, const char *text)
{
	struct launch_view *v = arg;
	const struct check_step *c = v->check_step;
	char message[160];

	snprintf(message, sizeof(message), "%u %s", c->round, text);
	session_tell(v->session, c->member[node], MSG_CHECKED, message);
}

static void on_remark(void *arg, const char *line)
{
	const struct launch_view *v = arg;
	cleanup_free char *text = NULL;

	if (asprintf(&text, "dist-train: check: %s\n", line) >= 0)
		launch_say(v->launch, text);
}

static void on_condemned(void *arg, unsigned node, const char *why)
{
	struct launch_view *v = arg;
	struct check_step *c = v->check_step;
	unsigned member = session_member_on(v->session, c->name[node]);
	char text[600];

	note_condemned(v->launch, c->name[node], why);
	if (v->plan->resolved.recovery) {
		snprintf(text, sizeof(text), "is unfit (%.500s)", why);
		session_condemn(v->session, member, text);
	} else if (text_add(c->why, sizeof(c->why), "; ", "%s: %s",
			    c->name[node], why) < 0)
		c->nmore++;
}

static void on_refuse(void *arg, const char *why)
{
	struct launch_view *v = arg;

	snprintf(v->check_step->why, sizeof(v->check_step->why), "%s", why);
}

static void on_over(void *arg)
{
	struct launch_view *v = arg;
	struct check_step *c = v->check_step;
	cleanup_free char *why = NULL;
	char more[48] = "";

	if (!*c->why)
		return;
	if (c->nmore)
		snprintf(more, sizeof(more), " (and %u more nodes)", c->nmore);
	if (asprintf(&why, "check=%s: the step can't start: %s%s",
		     v->plan->resolved.check == CHECK_FULL ? "full" : "fast",
		     c->why, more) >= 0)
		launch_fail(v->launch, why);
}

/* The names of the world's nodes, in the order of their places. */
static int find_names(const struct launch_view *v, struct check_step *c)
{
	const struct job *job = v->plan->job;
	bool alone =
		launch_no_channel(v->launch) || !job->nodes || job->nnodes == 1;

	c->nnodes = alone ? 1 : job->nnodes;
	c->name =
		hostnames_make(alone ? job->node_name : job->nodes, c->nnodes);
	c->member = calloc(c->nnodes, sizeof(*c->member));
	for (unsigned i = 0; c->member && i < c->nnodes; i++)
		c->member[i] = MEMBER_NONE;
	return c->name && c->member ? 0 : -1;
}

static unsigned own_place(const struct launch_view *v,
			  const struct check_step *c)
{
	if (c->nnodes == 1)
		return 0;
	return v->plan->job->place == PLACE_NONE ? c->nnodes
						 : v->plan->job->place;
}

static int begin(struct launch_view *v, struct err *err)
{
	struct check_step *c = v->check_step = calloc(1, sizeof(*c));
	struct check_options options = {
		.loop = v->loop,
		.full = v->plan->resolved.check == CHECK_FULL,
		.look_ms = NODE_LOOK_MS,
		.here = is_here,
		.tell = on_tell,
		.remark = on_remark,
		.condemn = on_condemned,
		.refuse = on_refuse,
		.over = on_over,
		.arg = v,
	};

	if (!c || find_names(v, c) < 0)
		return err_memory(err);
	c->round = v->job->round;
	options.nnodes = c->nnodes;
	options.name = (const char *const *)c->name;
	options.self = own_place(v, c);
	if (request_text(v->request, KEY_CHECK_PROGRAM))
		options.look_ms +=
			(int)request_seconds(v->request, KEY_TIMEOUT) * 1000;
	c->centre = check_centre_open(&options, err);
	return c->centre ? 0 : -1;
}

static void drop(struct launch_view *v)
{
	struct check_step *c = v->check_step;

	if (!c)
		return;
	check_centre_close(c->centre);
	if (c->name)
		hostnames_free(c->name);
	free(c->member);
	free(c);
	v->check_step = NULL;
}

/* ROUND PLACE TEXT */
static void on_told(void *arg, unsigned member, const char *text)
{
	struct launch_view *v = launch_view(arg);
	struct check_step *c = v->check_step;
	long round, place;
	struct err err;

	if (message_number(&text, 0, INT_MAX, &round) < 0 ||
	    message_number(&text, 0, INT_MAX, &place) < 0 ||
	    round != v->job->round)
		return;
	if (c && c->round != round)
		drop(v);
	if (!v->check_step && begin(v, &err) < 0) {
		launch_fail(v->launch, err.text);
		return;
	}
	c = v->check_step;
	if (!c->centre || place >= c->nnodes)
		return;
	c->member[place] = member;
	check_centre_note(c->centre, (unsigned)place, text);
}

static void end(struct launch *l)
{
	drop(launch_view(l));
}

static void leave(struct launch *l)
{
	struct launch_view *v = launch_view(l);

	check_note_found(v);
	if (v->check_step && v->check_step->centre)
		check_centre_stop(v->check_step->centre);
}

const struct part check_part = {
	.name = "check",
	.wanted = check_is_wanted,
	.close = end,
	.told =
		(const struct subscription[]){
			{.type = MSG_CHECK, .take = on_told}, {0}},
	.leave = leave,
};
