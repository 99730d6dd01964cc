/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In a task of a heterogeneous step: which NPUs the step has on this node.
 * Slurm has no plugin for them and tells no task, and what srun finds out when
 * the step exists reaches one component. So one task of each node asks the
 * controller, for its component's job and step: two questions, where srun has
 * said that there may be such devices (HANDOVER_NPUS). Called by apply.c.
 */
#include "spank/node/node.h"

#include "core/base/hostlist.h"
#include "core/facts/device.h"
#include "spank/slurm/slurmctld.h"
#include "spank/slurm/step_gres.h"
#include "spank/slurm/step_job.h"

#include <stdio.h>

/* The component's record among those of the job's steps: asked for one step,
 * Slurm 22.05 tells its first component alone. */
static const job_step_info_t *
component_on(const job_step_info_response_msg_t *msg, unsigned step_id,
	     const char *node)
{
	unsigned at;

	for (uint32_t i = 0; i < msg->job_step_count; i++) {
		const job_step_info_t *s = &msg->job_steps[i];

		if (s->step_id.step_id == step_id && s->nodes &&
		    hostlist_find(s->nodes, node, &at) == 0)
			return s;
	}
	return NULL;
}

static int find_share(const struct job *job, const job_info_t *record,
		      const job_step_info_t *step, const char *name,
		      struct idlist *ret, struct err *err)
{
	unsigned at, n = 0;

	ret->n = 0;
	if (!step || !record->nodes ||
	    hostlist_find(record->nodes, job->node_name, &at) < 0)
		return 0;
	if (step_gres_of_job(record, at, job->node_name, name, ret, err) < 0 ||
	    step_gres_share(record, step, name, job->local_ntasks == 1, ret->n,
			    &n, err) < 0)
		return -1;
	if (n && n < ret->n)
		return step_gres_refuse_part(name, n, ret->n, err);
	ret->n = n ? ret->n : 0;
	return 0;
}

/* What is asked, and in which task. */
struct question {
	spank_t sp;
	const struct job *job;
	const char *name; /* Slurm's, of NPUs */
};

/* The controller's two records, and what they come to. */
static int ask(const struct srun_step *step, const struct question *q,
	       struct idlist *ret, struct err *err)
{
	job_info_msg_t *jobs = slurmctld_job(step->job_id, err);
	job_step_info_response_msg_t *steps = NULL;
	int rc = -1;

	if (jobs)
		steps = slurmctld_step(step->job_id, NO_VAL, err);
	if (steps)
		rc = find_share(
			q->job, slurmctld_job_of(jobs, step->job_id),
			component_on(steps, step->step_id, q->job->node_name),
			q->name, ret, err);
	if (steps)
		slurm_free_job_step_info_response_msg(steps);
	if (jobs)
		slurm_free_job_info_msg(jobs);
	return rc;
}

/* "0,1"; "": none. */
static int find(void *arg, char ret[NODE_ANSWER_SIZE], struct err *err)
{
	const struct question *q = arg;
	struct srun_step step;
	struct idlist npus;

	if (job_of_srun(q->sp, &step, err) < 0 || ask(&step, q, &npus, err) < 0)
		return -1;
	if (!npus.n || idlist_format(&npus, ret, NODE_ANSWER_SIZE) < 0)
		*ret = '\0';
	return 0;
}

int component_npus_find(spank_t sp, const struct adapter *adapter,
			struct job *job, struct err *err)
{
	struct question q = {sp, job, job_handed(sp, HANDOVER_NPUS)};
	const struct device_facts *d = &job->devices;
	char list[NODE_ANSWER_SIZE];

	if (!job->het || !q.name || d->step.n || d->variable)
		return 0;
	if (node_memory_once(adapter->node_memory_fd, ASKED_NPUS, find, &q,
			     list, err) < 0)
		return -1;
	if (!*list)
		return 0;
	if (asprintf(&job->gres, "%s:%s", job->node_name, list) < 0) {
		job->gres = NULL;
		return err_memory(err);
	}
	if (job_setenv(sp, HANDOVER_GRES, job->gres, err) < 0)
		return -1;
	return job_take_gres(job, job_getenv, sp, err);
}
