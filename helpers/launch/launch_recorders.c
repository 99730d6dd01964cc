/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/launch_recorders.h"

#include "helpers/launch/launch.h"
#include "helpers/recorders/recorders.h"

#define KEEP_MS 2000

void recorders_tell(struct launch *l)
{
	if (l->plan.resolved.recorders && *l->run_dir.path)
		l->plan.files.recorders = l->run_dir.path;
}

/* NCCL's RAS has the state of the whole job: one node asks. */
struct collect_wish recorders_wish(const struct launch *l,
				   char name[JOB_STEP_SIZE])
{
	return (struct collect_wish){
		.folder = *l->run_dir.path ? l->run_dir.fd : -1,
		.pid = l->procs.n ? l->procs.proc[0].pid : 0,
		.ras = l->plan.node_rank == 0 && !l->plan.resolved.npu
			       ? l->plan.ras_port
			       : 0,
		.node = l->view.step->node_name ? l->view.step->node_name : "",
		.step = job_step(l->view.step, name),
		.limit = RECORDERS_KEEP /
			 (l->view.step->nnodes ? l->view.step->nnodes : 1),
	};
}

void recorders_keep(struct launch *l)
{
	char name[JOB_STEP_SIZE];
	struct collect_wish wish;

	if (!l->plan.resolved.recorders || !*l->run_dir.path)
		return;
	wish = recorders_wish(l, name);
	wish.ras = 0;
	wish.ms = KEEP_MS;
	collect_left(&wish, KEEP_MS);
}
