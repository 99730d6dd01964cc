/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/recovery.h"

#include "core/base/runlength.h"
#include "core/plan/dialect.h"
#include "core/plan/framework.h"
#include "core/plan/resolve.h"

#include <stdio.h>

const char *recovery_asked(const struct resolved *w, char buf[RECOVERY_ASKED])
{
	char ladder[LADDER_SIZE];

	if (w->spares)
		snprintf(buf, RECOVERY_ASKED, "spares=%u", w->spares);
	else
		snprintf(buf, RECOVERY_ASKED, "on-node-loss=%s",
			 ladder_text(&w->ladder, ladder));
	return buf;
}

/* --- the request alone --- */

static int check_ladder(const struct resolved *w, struct err *err)
{
	bool replace = ladder_has(&w->ladder, LADDER_REPLACE);
	char text[LADDER_SIZE];

	ladder_text(&w->ladder, text);
	if (replace && !w->spares)
		return err_printf(err,
				  "on-node-loss=%s: replace needs a node in "
				  "reserve, but the step has none; write "
				  "spares=N, too",
				  text);
	if (!replace && w->spares)
		return err_printf(err,
				  "spares=%u: on-node-loss=%s makes no use of "
				  "them; write on-node-loss=replace+%s, or "
				  "leave spares out",
				  w->spares, text, text);
	return 0;
}

/* --- the world of round 0 --- */

static int check_numbers(const struct resolved *w, unsigned nnodes,
			 struct err *err)
{
	if (w->spares >= nnodes)
		return err_printf(err,
				  "spares=%u: the step has %u node%s, and the "
				  "world needs at least one of them; use -N%u "
				  "for a world of one node",
				  w->spares, nnodes, nnodes == 1 ? "" : "s",
				  w->spares + 1);
	for (unsigned i = 0; i < w->ladder.n; i++)
		if (w->ladder.rung[i].what == LADDER_SHRINK &&
		    w->ladder.rung[i].min > nnodes - w->spares)
			return err_printf(err,
					  "on-node-loss=shrink:%u: the world "
					  "has only %u node%s from the start",
					  w->ladder.rung[i].min,
					  nnodes - w->spares,
					  nnodes - w->spares == 1 ? "" : "s");
	return 0;
}

/* A place's number of tasks is the same in each round. */
static int check_tasks(const struct resolved *w, const struct job *step,
		       struct err *err)
{
	char what[RECOVERY_ASKED];
	struct runlength counts;

	if (step->het)
		return err_printf(err,
				  "%s: a lost node can't be replaced in a "
				  "heterogeneous step; use one component",
				  recovery_asked(w, what));
	if (!step->tasks || runlength_read(step->tasks, &counts) < 0 ||
	    counts.uniform)
		return 0;
	return err_printf(err,
			  "%s: a lost node can be replaced where all nodes "
			  "have as many tasks, but this step has %s tasks per "
			  "node; use --ntasks-per-node=N",
			  recovery_asked(w, what), step->tasks);
}

/* Refuse a step that can't have so many spares, or not such a ladder: once,
 * for core/plan/recovery.c, in a step with recovery. */
static int recovery_check_step(const struct resolved *w, const struct job *step,
			       struct err *err)
{
	if (check_ladder(w, err) < 0 || check_numbers(w, step->nnodes, err) < 0)
		return -1;
	return check_tasks(w, step, err);
}

/* --- what the framework and the other keys allow --- */

static int check_framework(const struct plan *p, const char *what,
			   struct err *err)
{
	const struct request *r = p->request;
	const char *name = r->framework->name;

	if (r->framework->worlds)
		return err_printf(err,
				  "%s: not supported with %s, which goes on "
				  "without a lost replica group by itself "
				  "(replicas, min-replicas)",
				  what, name);
	if (p->resolved.pmi)
		return err_printf(err,
				  "%s: not supported with %s: its ranks are "
				  "numbered by Slurm's PMI, which counts the "
				  "lost node's tasks",
				  what, name);
	if (p->serves)
		return err_printf(err,
				  "%s: not supported with %s: its %s can't be "
				  "restarted in place; on-node-loss=requeue "
				  "starts the whole job again",
				  what, name, role_name(p->service.role));
	if (r->framework->roles &&
	    ladder_has(&p->resolved.ladder, LADDER_SHRINK))
		return err_printf(err,
				  "%s: shrink isn't supported with %s, whose "
				  "roles need all nodes; use replace",
				  what, name);
	return 0;
}

static int check_keys(const struct plan *p, const char *what, struct err *err)
{
	const struct request *r = p->request;
	bool script = r->form && r->form->start_command;

	if (p->resolved.run_first || script ||
	    p->resolved.needs & NEEDS_HOST_FILE)
		return err_printf(err,
				  "%s: not supported where the program starts "
				  "the processes on all nodes itself; "
				  "on-node-loss=requeue starts the whole job "
				  "again",
				  what);
	if (request_word(r, KEY_ADDR) == ADDR_NIC)
		return err_printf(err,
				  "%s: addr=nic:%s is known of rank 0's node "
				  "alone, which may be lost; addr=ip uses the "
				  "address of whatever node is rank 0's",
				  what, request_text(r, KEY_ADDR));
	if (request_word(r, KEY_EXCHANGE) == EXCHANGE_PMIX)
		return err_printf(err,
				  "%s: exchange=pmix waits for lost nodes, "
				  "too; use exchange=tcp",
				  what);
	return 0;
}

int recovery_check(const struct plan *p, struct err *err)
{
	char what[RECOVERY_ASKED];

	if (!p->resolved.recovery)
		return 0;
	recovery_asked(&p->resolved, what);
	if (check_ladder(&p->resolved, err) < 0 || check_keys(p, what, err) < 0)
		return -1;
	return check_framework(p, what, err);
}

int first_places(const struct job *step, unsigned nspares, struct places *ret,
		 struct err *err)
{
	if (!step->order)
		return places_first(step->nnodes, nspares, ret, err);
	if (nspares >= step->nnodes)
		return err_printf(err, "%u spares of %u nodes leave no node",
				  nspares, step->nnodes);
	if (node_order_parse(step->order, step->nnodes, ret, NULL, err) < 0)
		return -1;
	ret->n -= nspares;
	return 0;
}

/* What the user has asked for. */
static const char *asked(const struct resolved *w, char buf[RECOVERY_ASKED])
{
	if (w->recovery)
		return recovery_asked(w, buf);
	return "order=topology";
}

const struct job *first_world(const struct request *request,
			      const struct job *step, struct job *own,
			      struct err *err)
{
	char what[RECOVERY_ASKED];
	struct places places;
	struct resolved w;
	struct err why;
	int rc;

	*own = (struct job){.node_name = NULL};
	resolve(request, step, &w);
	if (!w.recovery && !w.ordered)
		return step;
	if (w.recovery && recovery_check_step(&w, step, err) < 0)
		return NULL;
	rc = first_places(step, w.spares, &places, &why);
	if (rc == 0) {
		rc = job_world(step, &places, own, &why);
		places_clear(&places);
	}
	if (rc == 0)
		return own;
	err_printf(err, "%s: %.900s", asked(&w, what), why.text);
	return NULL;
}
