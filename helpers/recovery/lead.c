/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/recovery/lead.h"

#include "core/base/cleanup.h"
#include "core/facts/taskmap.h"
#include "helpers/channel/session_state.h"
#include "helpers/roster/roster.h"

#include <stdlib.h>

struct lead {
	unsigned *node; /* by member, the number of its node */
	struct roster roster;
	struct arbiter_recovery arbiter;
};

static int number_nodes(struct lead *lead, const struct job *job,
			struct err *err)
{
	cleanup_free struct task_place *place = taskmap_make(
		job->tasks, job->taskmap, job->ntasks, job->nnodes, err);

	if (!place)
		return -1;
	lead->node = calloc(job->ntasks, sizeof(*lead->node));
	if (!lead->node)
		return err_memory(err);
	for (unsigned i = 0; i < job->ntasks; i++)
		lead->node[i] = place[i].node;
	return 0;
}

static int make_roster(struct lead *lead, const struct session *t,
		       struct err *err)
{
	const struct resolved *r = &t->o.plan->resolved;
	struct roster_options options = {
		.nnodes = t->job->nnodes,
		.nspares = r->spares,
		.names = t->job->nodes,
		.order = t->job->order,
		.ladder = &r->ladder,
	};

	return roster_open(&options, &lead->roster, err);
}

struct lead *lead_open(const struct session *t, struct err *err)
{
	struct lead *lead = calloc(1, sizeof(*lead));

	if (!lead) {
		err_memory(err);
		return NULL;
	}
	if (number_nodes(lead, t->job, err) < 0 ||
	    make_roster(lead, t, err) < 0) {
		lead_close(lead);
		return NULL;
	}
	lead->arbiter = (struct arbiter_recovery){
		.roster = &lead->roster,
		.node = lead->node,
		.lease_s = t->step.lease_s,
	};
	return lead;
}

void lead_close(struct lead *lead)
{
	if (!lead)
		return;
	if (lead->roster.node)
		roster_close(&lead->roster);
	free(lead->node);
	free(lead);
}

void lead_arbiter(struct lead *lead, struct arbiter_options *ret)
{
	ret->start_together = true;
	ret->recovery = &lead->arbiter;
}

bool lead_awaits(const struct lead *lead)
{
	for (unsigned i = 0; i < lead->roster.nnodes; i++)
		if (lead->roster.node[i].state == NODE_AWAITED)
			return true;
	return false;
}
