/* SPDX-License-Identifier: Apache-2.0 */
/* The check of all nodes of the step (key check): which are well is decided
 * here (node_check.h), each looks at itself (helpers/launch/check_phase). The
 * first MSG_CHECK of a round begins that of the round. It may be what ends the
 * round: it stays until the next one. */
#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "helpers/check/node_look.h"
#include "helpers/step/controller.h"
#include "helpers/step/node_check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct preflight {
	struct node_check *check;
	unsigned round, nnodes;
	char **name;	  /* of the world's nodes; ends with NULL */
	unsigned *member; /* by place: who has told something of it */
	char why[1024];	  /* what the step is refused for */
	unsigned nmore;	  /* nodes that aren't named in it */
};

static unsigned member_on(const struct controller *c, const char *node)
{
	return server_member_on(controller_server(c), node);
}

static bool is_here(void *arg, unsigned node)
{
	const struct controller *c = arg;
	const struct preflight *p = c->preflight;

	return p->member[node] != MEMBER_NONE ||
	       member_on(c, p->name[node]) != MEMBER_NONE;
}

static void on_tell(void *arg, unsigned node, const char *text)
{
	const struct controller *c = arg;
	const struct preflight *p = c->preflight;
	char message[160];
	int n = snprintf(message, sizeof(message), "%u %s", p->round, text);

	server_tell(controller_server(c), p->member[node], MSG_CHECKED, message,
		    (size_t)n);
}

static void on_remark(void *arg, const char *line)
{
	const struct controller *c = arg;
	cleanup_free char *text = NULL;

	if (asprintf(&text, "dist-train: check: %s\n", line) >= 0)
		c->say(c->arg, text);
}

/* With recovery it has no place, as if it had said so itself. */
static void condemn(const struct controller *c, const char *node,
		    const char *why)
{
	unsigned member = member_on(c, node);
	char text[600];
	int n = snprintf(text, sizeof(text), "is unfit (%.500s)", why);

	if (member != MEMBER_NONE)
		server_handle(controller_server(c), member, MSG_CONDEMNED, text,
			      (size_t)n);
}

static void on_condemned(void *arg, unsigned node, const char *why)
{
	struct controller *c = arg;
	struct preflight *p = c->preflight;

	record_add_condemned(c, p->name[node], why);
	if (c->plan->resolved.recovery)
		condemn(c, p->name[node], why);
	else if (text_add(p->why, sizeof(p->why), "; ", "%s: %s", p->name[node],
			  why) < 0)
		p->nmore++;
}

static void on_refuse(void *arg, const char *why)
{
	const struct controller *c = arg;

	snprintf(c->preflight->why, sizeof(c->preflight->why), "%s", why);
}

static void on_over(void *arg)
{
	struct controller *c = arg;
	const struct preflight *p = c->preflight;
	cleanup_free char *line = NULL;
	char more[48] = "";

	if (!*p->why)
		return;
	if (p->nmore)
		snprintf(more, sizeof(more), " (and %u more nodes)", p->nmore);
	if (asprintf(&line,
		     "dist-train: check=%s: the step can't start: %s%s\n",
		     c->plan->resolved.check == CHECK_FULL ? "full" : "fast",
		     p->why, more) >= 0)
		controller_stop(c, EXIT_FAILURE, line);
}

/* The names of the world's nodes, in the order of their places. */
static int find_names(const struct controller *c, struct preflight *p)
{
	const struct job *job = c->plan->job;
	bool alone = !job->nodes || job->nnodes == 1;

	p->nnodes = alone ? 1 : job->nnodes;
	p->name =
		hostnames_make(alone ? job->node_name : job->nodes, p->nnodes);
	p->member = calloc(p->nnodes, sizeof(*p->member));
	for (unsigned i = 0; p->member && i < p->nnodes; i++)
		p->member[i] = MEMBER_NONE;
	return p->name && p->member ? 0 : -1;
}

/* Beside srun it is on none of them. */
static unsigned own_place(const struct controller *c, const struct preflight *p)
{
	unsigned place = c->plan->job->place;

	return c->beside_srun || place >= p->nnodes ? p->nnodes : place;
}

static int begin(struct controller *c, struct err *err)
{
	const struct plan *plan = c->plan;
	struct preflight *p = c->preflight = calloc(1, sizeof(*p));
	struct check_options options = {
		.loop = c->loop,
		.full = plan->resolved.check == CHECK_FULL,
		.look_ms = NODE_LOOK_MS,
		.here = is_here,
		.tell = on_tell,
		.remark = on_remark,
		.condemn = on_condemned,
		.refuse = on_refuse,
		.over = on_over,
		.arg = c,
	};

	if (!p || find_names(c, p) < 0)
		return err_memory(err);
	p->round = c->job->round;
	options.nnodes = p->nnodes;
	options.name = (const char *const *)p->name;
	options.self = own_place(c, p);
	if (request_text(plan->request, KEY_CHECK_PROGRAM))
		options.look_ms +=
			(int)request_seconds(plan->request, KEY_TIMEOUT) * 1000;
	p->check = node_check_open(&options, err);
	return p->check ? 0 : -1;
}

static void drop(struct controller *c)
{
	struct preflight *p = c->preflight;

	if (!p)
		return;
	node_check_close(p->check);
	if (p->name)
		hostnames_free(p->name);
	free(p->member);
	free(p);
	c->preflight = NULL;
}

/* ROUND PLACE TEXT */
static void on_told(void *arg, unsigned member, const char *text)
{
	struct controller *c = arg;
	struct preflight *p = c->preflight;
	cleanup_free char *line = NULL;
	long round, place;
	struct err err;

	if (message_number(&text, 0, INT_MAX, &round) < 0 ||
	    message_number(&text, 0, INT_MAX, &place) < 0 ||
	    round != c->job->round)
		return;
	if (p && p->round != round)
		drop(c);
	if (!c->preflight && begin(c, &err) < 0) {
		if (asprintf(&line, "dist-train: %s\n", err.text) >= 0)
			controller_stop(c, EXIT_FAILURE, line);
		return;
	}
	p = c->preflight;
	if (!p->check || place >= p->nnodes)
		return;
	p->member[place] = member;
	node_check_note(p->check, (unsigned)place, text);
}

/* --- the part --- */

static bool is_wanted(const struct plan *plan)
{
	return plan->resolved.check != CHECK_OFF;
}

static void leave(struct controller *c)
{
	if (c->preflight && c->preflight->check)
		node_check_stop(c->preflight->check);
}

const struct step_part preflight_of_step = {
	.name = "preflight",
	.wanted = is_wanted,
	.close = drop,
	.told =
		(const struct subscription[]){
			{.type = MSG_CHECK, .take = on_told}, {0}},
	.leave = leave,
};
