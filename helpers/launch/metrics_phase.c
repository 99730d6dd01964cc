/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key metrics (helpers/metrics/metrics.h): the phase that lets this node's
 * processes report how far they are, and what the launcher does with it. When
 * none is left that could report, what takes reports ends, too: it is a child
 * of the launcher, which waits for all of them.
 */
#include "core/base/text.h"
#include "helpers/launch/launch.h"
#include "helpers/metrics/metrics.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/note.h"
#include "helpers/part/part.h"
#include "helpers/part/phase.h"

#include <math.h>
#include <stdio.h>

#define TELL_MAX 8 /* nodes whose last steps the record has */

static bool is_wanted(const struct plan *plan)
{
	return plan->resolved.metrics && plan->nprocs;
}

static void on_say(void *arg, const char *line)
{
	launch_say(arg, line);
}

/* JSON has no word for what is no number. */
static void on_reached(void *arg, unsigned rank, const struct report *r)
{
	struct launch *l = arg;
	char more[256];

	snprintf(more, sizeof(more), ",\"rank\":%u", rank);
	for (int i = 0; i < REPORT_FIGURES; i++)
		if (r->known[i] && isfinite(r->value[i]))
			text_add(more, sizeof(more), ",", "\"%s\":%.16g",
				 report_figure_name((enum report_figure)i),
				 r->value[i]);
	note_mark(l, l->job.round, MARK_PROGRESS, l->job.node_name, more);
}

/* Ranks of one world are within a step or so of each other: some nodes' tell
 * enough. */
static void on_ended(void *arg, unsigned rank, double step)
{
	struct launch *l = arg;
	char more[96];

	snprintf(more, sizeof(more), ",\"rank\":%u,\"last_step\":%.16g", rank,
		 step);
	if (l->job.procid < TELL_MAX)
		note_mark(l, l->job.round, MARK_PROGRESS, l->job.node_name,
			  more);
}

static enum phase_state begin(struct launch *l, struct err *err)
{
	const struct metrics_options options = {
		.loop = &l->loop,
		.dir = l->run_dir.path,
		.dir_fd = l->run_dir.fd,
		.node = l->view.step->node_name,
		.watch = l->timeline.fd >= 0 || note_is_kept(&l->plan),
		.say = on_say,
		.reached = on_reached,
		.ended = on_ended,
		.arg = l,
	};

	if (!l->view.metrics)
		l->view.metrics = metrics_open(&options);
	if (!l->view.metrics) {
		err_memory(err);
		return PHASE_FAILED;
	}
	if (metrics_begin(l->view.metrics, l->plan.first_rank, l->plan.nprocs,
			  err) < 0)
		return PHASE_FAILED;
	return PHASE_DONE;
}

static void end(struct launch *l)
{
	metrics_close(l->view.metrics);
	l->view.metrics = NULL;
}

static int add_env(struct launch *l, const struct process *p,
		   struct envset *set, struct err *err)
{
	return l->view.metrics
		       ? metrics_add_env(l->view.metrics, p->rank, set, err)
		       : 0;
}

static void on_proc_ended(struct launch *l, const struct proc *ended)
{
	(void)ended;
	for (unsigned i = 0; l->view.metrics && i < l->procs.n; i++) {
		const struct proc *w = &l->procs.proc[i];

		if (w->pid > 0 && !w->ended && !w->process.added)
			return;
	}
	metrics_end(l->view.metrics);
}

const struct phase metrics_phase = {
	.name = "metrics",
	.wanted = is_wanted,
	.begin = begin,
	.end = end,
	.each_round = true,
};

const struct part metrics_part = {
	.name = "metrics",
	.env = add_env,
	.ended = on_proc_ended,
};
