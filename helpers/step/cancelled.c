/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A component of a heterogeneous step that Slurm has ended alone (scancel
 * JOB+1, or its own time limit): its launchers tell that they have SIGTERM, and
 * no other does. The step can't go on without its ranks, and no node is to
 * blame.
 */
#include "helpers/arbiter/arbiter.h"
#include "helpers/conn/loss_lines.h"
#include "helpers/step/controller.h"

#include <stdio.h>
#include <stdlib.h>

struct cancelled {
	struct controller *c;
	bool *told;	      /* by member */
	unsigned first, n;    /* the component of the first one */
	struct loop_timer is; /* armed: others may be told still */
};

/* Whether all members of it are told, and none else. */
static bool is_alone(const struct cancelled *x)
{
	unsigned inside = 0, all = 0;

	for (unsigned i = 0; i < x->c->members->ntasks; i++) {
		all += x->told[i];
		inside += x->told[i] && i >= x->first && i - x->first < x->n;
	}
	return inside == x->n && all == inside;
}

static void on_sure(void *arg)
{
	const struct cancelled *x = arg;
	char line[256], tasks[32];

	if (!is_alone(x))
		return;
	snprintf(tasks, sizeof(tasks), x->n > 1 ? "tasks %u to %u" : "task %u",
		 x->first, x->first + x->n - 1);
	snprintf(line, sizeof(line),
		 "dist-train: Slurm has ended the component of %s alone "
		 "(cancelled, or its time limit), and so the step ends\n",
		 tasks);
	arbiter_cancelled(controller_arbiter(x->c), line);
}

/* TERM INT FIRST N */
static void on_told(void *arg, unsigned member, const char *text)
{
	const struct controller *c = arg;
	struct cancelled *x = c->cancelled;
	long term, interrupted, first, n, most = (long)c->members->ntasks;

	if (message_number(&text, 0, 1, &term) < 0 || !term ||
	    message_number(&text, 0, 1, &interrupted) < 0 ||
	    message_number(&text, 0, most - 1, &first) < 0 ||
	    message_number(&text, 1, most - first, &n) < 0)
		return;
	x->told[member] = true;
	if (x->n)
		return;
	x->first = (unsigned)first;
	x->n = (unsigned)n;
	loop_arm(c->loop, &x->is, KILL_SPREAD_MS);
}

bool controller_unsure(const struct controller *c)
{
	return c->cancelled && c->cancelled->is.armed;
}

static bool is_wanted(const struct plan *plan)
{
	return plan->job->het;
}

static int open(struct controller *c, struct err *err)
{
	struct cancelled *x = c->cancelled = calloc(1, sizeof(*x));

	if (!x)
		return err_memory(err);
	x->c = c;
	x->is = (struct loop_timer){.expired = on_sure, .arg = x};
	x->told = calloc(c->members->ntasks, sizeof(*x->told));
	return x->told ? 0 : err_memory(err);
}

static void close_cancelled(struct controller *c)
{
	if (!c->cancelled)
		return;
	loop_disarm(c->loop, &c->cancelled->is);
	free(c->cancelled->told);
	free(c->cancelled);
	c->cancelled = NULL;
}

const struct step_part cancelled_of_step = {
	.name = "cancelled",
	.wanted = is_wanted,
	.open = open,
	.close = close_cancelled,
	.told =
		(const struct subscription[]){
			{.type = MSG_TOLD, .take = on_told, .shares = true},
			{0}},
};
