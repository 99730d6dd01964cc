/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/ask_order.h"

#include "core/base/cleanup.h"
#include "core/plan/step_order.h"
#include "core/topology/topology_read.h"
#include "spank/slurm/controller.h"
#include "spank/srun/cmdline.h"
#include "sys/log.h"

#include <stdlib.h>

/* Ranks of a heterogeneous step are those of Slurm's tasks. */
static int leave_out_het(const struct resolved *w)
{
	if (w->by_topology)
		log_line("order=topology has no effect on a heterogeneous "
			 "step");
	return 0;
}

int ask_order(const struct request *request, const struct resolved *w,
	      const struct step_procmap *peers, unsigned nnodes,
	      unsigned ntasks, struct topology *ret_topology, char **ret_order,
	      struct err *err)
{
	cleanup_free char *text = NULL;
	struct step_tasks step = {.tasks = peers->tasks,
				  .taskmap = peers->taskmap,
				  .ntasks = ntasks,
				  .request = request};
	const char *why_not = step_order_no_effect(request, w);

	*ret_order = NULL;
	if (why_not)
		log_line("%s", why_not);
	if ((!w->by_topology && !w->groups) || nnodes == 1)
		return 0;
	if (cmdline_may_be_het())
		return leave_out_het(w);
	text = controller_topology(err);
	if (!text || topology_read(text, peers->nodes, ret_topology, err) < 0)
		return -1;
	if (!w->by_topology)
		return 0;
	if (ret_topology->nnodes == nnodes && topology_is_known(ret_topology))
		return step_order(ret_topology, &step, w, ret_order, err);
	log_line("order=topology: Slurm knows no switch and no block of these "
		 "nodes (scontrol show topology), so their order stays its "
		 "own");
	return 0;
}
