/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/lead/lead_state.h"

#include "core/facts/taskmap.h"
#include "helpers/roster/roster.h"

#include <stdlib.h>

struct lead_roster {
	unsigned *node; /* by member, the number of its node */
	struct roster roster;
	struct arbiter_recovery arbiter;
};

static int number_nodes(struct lead_roster *lead, const struct job *job,
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

static int make_roster(struct lead_roster *lead, const struct job *job,
		       const struct resolved *resolved, struct err *err)
{
	struct roster_options options = {
		.nnodes = job->nnodes,
		.nspares = resolved->spares,
		.names = job->nodes,
		.order = job->order,
		.ladder = &resolved->ladder,
	};

	return roster_open(&options, &lead->roster, err);
}

struct lead_roster *lead_roster_open(const struct job *job,
				     const struct resolved *resolved,
				     long lease_s, struct err *err)
{
	struct lead_roster *lead = calloc(1, sizeof(*lead));

	if (!lead)
		return err_memory_null(err);
	if (number_nodes(lead, job, err) < 0 ||
	    make_roster(lead, job, resolved, err) < 0) {
		lead_roster_close(lead);
		return NULL;
	}
	lead->arbiter = (struct arbiter_recovery){
		.roster = &lead->roster,
		.node = lead->node,
		.lease_s = lease_s,
	};
	return lead;
}

void lead_roster_close(struct lead_roster *lead)
{
	if (!lead)
		return;
	if (lead->roster.node)
		roster_close(&lead->roster);
	free(lead->node);
	free(lead);
}

void lead_roster_tell(struct lead_roster *lead, struct arbiter_options *ret)
{
	ret->start_together = true;
	ret->recovery = &lead->arbiter;
}

bool lead_roster_awaits(const struct lead_roster *lead)
{
	for (unsigned i = 0; i < lead->roster.nnodes; i++)
		if (lead->roster.node[i].state == NODE_AWAITED)
			return true;
	return false;
}
