/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/npu/devinfo.h"

#include <string.h>

/* The step's devices as the runtime counts them. */
static int find_step(const struct plan *plan, const struct npu_nodes *nodes,
		     struct idlist *ret_physical, struct idlist *ret_seen,
		     struct err *err)
{
	const struct job *job = plan->job;

	if (npu_ids_of_gres(&job->devices.step, nodes, job->node_name,
			    ret_physical, err) < 0)
		return -1;
	return npu_ids_visible(ret_physical, nodes, NULL, ret_seen, err);
}

/* Whether the task has a device cgroup of its own: then the devices that it can
 * open are its own, while Slurm counts from 0 in each task. */
static bool is_confined(const struct job *job, const struct npu_nodes *nodes)
{
	const struct device_facts *d = &job->devices;

	return d->task.n && d->task.n < d->step.n &&
	       nodes->allowed.n == d->task.n &&
	       nodes->allowed.n < nodes->present.n;
}

static int place_own(const struct job *job, const struct idlist *own,
		     const struct idlist *step, struct idlist *ret,
		     struct err *err)
{
	ret->n = own->n;
	for (unsigned i = 0; i < own->n; i++) {
		int at = idlist_find(step, own->id[i]);

		if (at < 0)
			return err_printf(err,
					  "Slurm allocated device %u on node "
					  "%s to a task, but not to the step",
					  own->id[i], job->node_name);
		ret->id[i] = (unsigned short)at;
	}
	return 0;
}

int npu_task_find_among(const struct plan *plan, const struct npu_nodes *nodes,
			struct npu_task *ret, struct err *err)
{
	const struct job *job = plan->job;
	struct idlist indices, physical;

	if (plan_npus(plan, &indices, err) < 0 ||
	    find_step(plan, nodes, &physical, &ret->step, err) < 0)
		return -1;
	if (is_confined(job, nodes)) {
		ret->own = nodes->allowed;
		return place_own(job, &ret->own, &physical, &ret->at, err);
	}
	if (place_own(job, &indices, &job->devices.step, &ret->at, err) < 0)
		return -1;
	ret->own.n = indices.n;
	for (unsigned i = 0; i < indices.n; i++)
		ret->own.id[i] = physical.id[ret->at.id[i]];
	return 0;
}

void npu_task_see_step(const struct plan *plan, struct process_devices *d)
{
	char text[sizeof(d->visible)];
	struct idlist physical, seen;
	struct npu_nodes nodes;
	struct err ignored;

	if (plan->resolved.visible == VISIBLE_ALL && d->variable &&
	    !strcmp(d->variable, DEVICE_VARIABLE_ASCEND) &&
	    devinfo_nodes(devinfo_root(), &nodes, &ignored) == 0 &&
	    find_step(plan, &nodes, &physical, &seen, &ignored) == 0 &&
	    idlist_format(&seen, text, sizeof(text)) == 0)
		strcpy(d->visible, text);
}

int npu_task_find(const struct plan *plan, struct npu_task *ret,
		  struct err *err)
{
	struct npu_nodes nodes;

	return devinfo_nodes(devinfo_root(), &nodes, err) < 0
		       ? -1
		       : npu_task_find_among(plan, &nodes, ret, err);
}
