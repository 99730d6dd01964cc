/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun.h"

#include "core/groups/groups_report.h"
#include "sys/log.h"

static void say(const struct groups_report *r, const struct job *step,
		const struct resolved *w)
{
	char line[GROUPS_LINE_SIZE];

	if (r->alone)
		return;
	if (*groups_line(r, r->near, step->nodes, line))
		log_line("groups: %s", line);
	else if (!r->known[GROUPS_BLOCK] && !r->known[GROUPS_SWITCH] &&
		 !w->by_topology) /* which has said it */
		log_line("groups: Slurm knows no switch and no block of these "
			 "nodes (scontrol show topology)");
}

/* A component's srun hook knows its own part of the world alone. */
static int leave_out_het(const struct plan *plan, struct err *err)
{
	if (request_yes(plan->request, KEY_GROUPS_STRICT) ||
	    request_text(plan->request, KEY_GROUPS_STRICT))
		return err_printf(err, "groups-strict: the groups of a "
				       "heterogeneous step can't be counted; "
				       "leave the key out");
	log_line("groups: those of a heterogeneous step aren't counted");
	return 0;
}

int say_groups(const struct plan *plan, const struct job *step,
	       const struct topology *topology, struct err *err)
{
	__attribute__((cleanup(groups_report_clear))) struct groups_report r = {
		.alone = true};

	if (!plan->resolved.groups)
		return 0;
	if (components_there())
		return leave_out_het(plan, err);
	if (groups_report_make(plan, step, topology, &r, err) < 0 ||
	    groups_check(&r, step->nodes, err) < 0)
		return -1;
	say(&r, step, &plan->resolved);
	return 0;
}
