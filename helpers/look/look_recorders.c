/* SPDX-License-Identifier: Apache-2.0 */
/* What the communication libraries have recorded (helpers/recorders): the sight
 * "recorders", and the part that keeps what is left of it at the end. */
#include "helpers/look/look_state.h"

#include "core/facts/rows.h"
#include "helpers/part/part.h"
#include "helpers/recorders/collect.h"
#include "helpers/recorders/recorders.h"
#include "helpers/watch/watch.h"

#define ANSWER_MS 1000 /* of the time: to tell it */
#define KEEP_MS	  2000

/* What to collect on this node, but for its `ms`; `name` is for the step's.
 * NCCL's RAS has the state of the whole job: one node asks. */
static struct collect_wish make_wish(const struct launch_view *v,
				     char name[JOB_STEP_SIZE])
{
	const struct job *step = v->step;

	return (struct collect_wish){
		.folder = *v->run_dir->path ? v->run_dir->fd : -1,
		.pid = v->procs->n ? v->procs->proc[0].pid : 0,
		.ras = v->plan->node_rank == 0 && !v->plan->resolved.npu
			       ? v->plan->ras_port
			       : 0,
		.node = step->node_name ? step->node_name : "",
		.step = job_step(step, name),
		.limit = RECORDERS_KEEP / (step->nnodes ? step->nnodes : 1),
	};
}

/* --- the sight --- */

void recorders_end(struct sight *sight)
{
	struct collecting *collecting = sight_kept(sight);

	if (!collecting)
		return;
	collect_drop(collecting);
	watch_ask_recorders(sight_view(sight), false);
}

/* With its world's name, if it is one's. */
static void tell(struct sight *sight, const char *rows)
{
	const char *world = sight_view(sight)->job->world;
	cleanup_free char *text = NULL;

	if (world && asprintf(&text, ROW_WORLD "%s", world, rows) < 0)
		text = NULL;
	sight_tell(sight, text ? text : rows);
}

static void done(void *arg, const char *rows)
{
	struct sight *sight = arg;

	sight_keep(sight, NULL); /* it goes by itself */
	watch_ask_recorders(sight_view(sight), false);
	tell(sight, rows);
}

void recorders_begin(struct sight *sight, const char *words)
{
	struct launch_view *v = sight_view(sight);
	char name[JOB_STEP_SIZE];
	struct collect_wish wish = make_wish(v, name);
	struct collecting *collecting;
	struct err unused;

	(void)words;
	sight_keep(sight, NULL);
	if (roles_answer(sight))
		return;
	if (!v->plan->resolved.recorders) {
		tell(sight, ROW_NOTE("the step has no recorders: start it "
				     "with hang=SECONDS"));
		return;
	}
	watch_ask_recorders(v, true);
	wish.ask = true;
	wish.ms = sight_ms(sight) - ANSWER_MS;
	collecting = collect_begin(v->loop, &wish, done, sight, &unused);
	if (collecting) {
		sight_keep(sight, collecting);
		return;
	}
	watch_ask_recorders(v, false);
	tell(sight, ROW_NOTE("the launcher is out of processes or memory"));
}

/* --- the part --- */

static bool has_recorders(const struct plan *plan)
{
	return plan->resolved.recorders;
}

/* Dumps that processes have written by themselves, on a timeout. Blocks for two
 * seconds at most, and only where there are some. */
static void keep(struct launch *l)
{
	const struct launch_view *v = launch_view(l);
	char name[JOB_STEP_SIZE];
	struct collect_wish wish;

	if (!has_recorders(v->plan) || !*v->run_dir->path)
		return;
	wish = make_wish(v, name);
	wish.ras = 0;
	wish.ms = KEEP_MS;
	collect_left(&wish, KEEP_MS);
}

const struct part recorders_part = {
	.name = "recorders",
	.wanted = has_recorders,
	.close = keep,
};
