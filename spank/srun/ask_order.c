/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun.h"

#include "core/ascend/inventory.h"
#include "core/groups/groups_report.h"
#include "core/plan/step_order.h"
#include "spank/slurm/slurmctld.h"
#include "sys/log.h"

#include <stdlib.h>

/* Ranks of a heterogeneous step are those of Slurm's tasks. */
static int leave_out_het(const struct resolved *w)
{
	if (w->by_topology)
		log_line("order=topology has no effect on a heterogeneous "
			 "step: its ranks stay in the order of its components");
	return 0;
}

/* Super pods and NVLink domains are blocks around those that Slurm knows. */
static int add_domains(const char *path, const char *nodes,
		       const struct resolved *w, struct topology *t,
		       struct err *err)
{
	cleanup_free char *text = NULL;
	struct inventory_domains domains;
	struct err why;
	int rc = 0;

	text = text_file_read(path, INVENTORY_MAX, &why);
	if (!text) {
		log_line("%s: super pods and NVLink domains aren't known on "
			 "this host: %s",
			 w->by_topology ? "order=topology" : "groups",
			 why.text);
		return 0;
	}
	if (inventory_domains_read(text, path, nodes, &domains, err) < 0)
		return -1;
	for (int k = 0; rc == 0 && k < INVENTORY_DOMAINS; k++)
		rc = topology_enclose(
			t, inventory_domain_word((enum inventory_domain)k),
			domains.name[k], domains.n, err);
	inventory_domains_clear(&domains);
	return rc;
}

int ask_order(const struct request *request, const struct resolved *w,
	      const struct srun_step *step, const struct step_procmap *peers,
	      const char *inventory, struct topology *ret_topology,
	      char **ret_order, struct err *err)
{
	cleanup_free char *text = NULL;
	struct step_tasks tasks = {.tasks = peers->tasks,
				   .taskmap = peers->taskmap,
				   .ntasks = step->ntasks,
				   .request = request};
	const char *why_not = step_order_no_effect(request, w);
	bool slurms = false;

	*ret_order = NULL;
	if (why_not)
		log_line("%s", why_not);
	if ((!w->by_topology && !w->groups) || step->nnodes == 1)
		return 0;
	if (components_there())
		return leave_out_het(w);
	text = slurmctld_topology(err);
	if (!text || topology_read(text, peers->nodes, ret_topology, err) < 0 ||
	    (inventory &&
	     add_domains(inventory, peers->nodes, w, ret_topology, err) < 0))
		return -1;
	if (!w->by_topology)
		return 0;
	if (ret_topology->nnodes != step->nnodes ||
	    !topology_is_known(ret_topology)) {
		log_line("order=topology: Slurm knows no switch and no block "
			 "of these nodes (scontrol show topology), so their "
			 "order stays its own");
		return 0;
	}
	if (step_order(ret_topology, &tasks, w, ret_order, &slurms, err) < 0)
		return -1;
	if (slurms)
		log_line("order=topology changes no rank: Slurm's own order of "
			 "this step's tasks follows the network already");
	return 0;
}

/* --- groups --- */

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
static int leave_out_groups(const struct plan *plan, struct err *err)
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
		return leave_out_groups(plan, err);
	if (groups_report_make(plan, step, topology, &r, err) < 0 ||
	    groups_check(&r, step->nodes, err) < 0)
		return -1;
	say(&r, step, &plan->resolved);
	return 0;
}
