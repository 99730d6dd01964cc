/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan.h"

#define VISIBLE_MAX 127 /* runtime.cc cuts the text there */

int plan_npus(const struct plan *plan, struct idlist *ret, struct err *err)
{
	const struct job *job = plan->job;

	ret->n = 0;
	for (unsigned i = 0; i < plan->nprocs; i++) {
		struct idlist its;

		device_on_node(&job->devices, job->localid + i,
			       plan->nodes_procs, &its);
		if (its.n != 1 || ret->n == IDLIST_MAX)
			return err_printf(
				err,
				"rank %u on node %s has %u NPUs, but the "
				"collective library needs exactly one per "
				"process; the step has %u NPUs on this node "
				"for %u processes: ask for one NPU per task "
				"(--gpus-per-node=N or --gres=npu:N), or use "
				"procs=device, which starts one process per "
				"NPU",
				plan->first_rank + i, job->node_name, its.n,
				device_count(&job->devices), plan->nodes_procs);
		ret->id[ret->n++] = its.id[0];
	}
	if (device_count(&job->devices) < plan->nodes_procs)
		return err_printf(err,
				  "node %s: the step has %u NPUs for %u "
				  "processes; two processes can't share one",
				  job->node_name, device_count(&job->devices),
				  plan->nodes_procs);
	return 0;
}

int plan_npus_apply(const struct plan *plan, const struct npu_task *task,
		    unsigned index, struct process *process, struct err *err)
{
	struct process_devices *d = &process->devices;
	struct idlist seen = task->step;

	process->npu = task->own.id[index];
	if (plan->resolved.visible == VISIBLE_ONE) {
		seen.n = 1;
		seen.id[0] = task->step.id[task->at.id[index]];
	} else {
		d->own.id[0] = task->at.id[index];
	}
	d->nvisible = seen.n;
	if (idlist_format(&seen, d->visible, VISIBLE_MAX + 1) < 0)
		return err_printf(err,
				  "the %u NPUs of node %s are too many "
				  "for " DEVICE_VARIABLE_ASCEND
				  ", of which the runtime reads %d characters; "
				  "use visible=one, which lists one",
				  seen.n, plan->job->node_name,
				  VISIBLE_MAX + 1);
	return 0;
}
