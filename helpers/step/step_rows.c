/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the controller adds to the sight "status" (helpers/look/look_status.c):
 *
 *	world NAME			before all, as launchers tell it
 *	step NRANKS NNODES RESTARTS	agents of roles are no ranks
 *	away NODE
 *	stage PATH BYTES OF DONE MEMBERS SECONDS_LEFT
 */
#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "core/facts/rows.h"
#include "core/facts/taskmap.h"
#include "core/plan/framework.h"
#include "helpers/step/query.h"

#include <stdlib.h>

/* Nodes from which no launcher is here; where there is one for each node. */
static void tell_away(FILE *f, const struct controller *c)
{
	const struct job *job = c->members;
	cleanup_free struct task_place *place = NULL;
	char name[HOSTLIST_NAME_MAX];
	struct err err;

	if (!job_one_task_per_node(job) || !job->nodes || !job->tasks)
		return;
	place = taskmap_make(job->tasks, job->taskmap, job->ntasks, job->nnodes,
			     &err);
	for (unsigned i = 0; place && i < job->ntasks; i++) {
		if (controller_node_of(c, i) ||
		    hostlist_nth(job->nodes, place[i].node, name) < 0)
			continue;
		if (ftell(f) > STEP_ROWS_MAX - HOSTLIST_NAME_MAX)
			return;
		row_begin(f, "away");
		row_text(f, name);
		row_end(f);
	}
}

char *step_rows(const struct controller *c)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	if (!f)
		return NULL;
	if (c->job->world)
		fprintf(f, ROW_WORLD, c->job->world);
	row_begin(f, "step");
	row_number(f, c->plan->request->framework->program_is_file
			      ? 0
			      : c->plan->world_size);
	row_number(f, c->step->nnodes);
	row_number(f, c->job->restart);
	row_end(f);
	staging_row(f, c);
	tell_away(f, c);
	return text_stream_take(&stream);
}
