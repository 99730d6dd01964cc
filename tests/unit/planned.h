/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks with their plans. */
#ifndef DT_TESTS_PLANNED_H
#define DT_TESTS_PLANNED_H

#include "core/plan/framework.h"
#include "core/plan/plan.h"

#include "core/plan/plan_make.h"
#include "core/plan/plan_process.h"
#include "registry/request.h"
#include "tests/unit/facts.h"

/* One task with all that its plan refers to. */
struct task {
	struct config config;
	struct request request;
	struct job job;
	struct plan plan;
	struct err err;
};

/* Plan the task that `f` describes; the result is plan_make()'s. */
static inline int plan(struct task *t, const char *text, struct facts *f)
{
	int rc;

	memset(t, 0, sizeof(*t));
	memset(&t->plan, UNTOUCHED, sizeof(t->plan));
	if (request_config(0, NULL, &t->config, &t->err) < 0 ||
	    request_parse(text, NULL, NULL, &t->request, &t->err) < 0 ||
	    job_read(facts_lookup, f, false, &t->job, &t->err) < 0)
		fail_msg("%s: %s", text, t->err.text);
	rc = plan_make(&t->request, &t->config, &t->job, &t->plan, &t->err);
	return rc;
}

static inline void clear(struct task *t)
{
	request_clear(&t->request);
	config_clear(&t->config);
	job_clear(&t->job);
}

static inline void plan_ok(struct task *t, const char *text, struct facts *f)
{
	if (plan(t, text, f) < 0)
		fail_msg("%s: %s", text, t->err.text);
}

/* Refused, with the reason, and the plan as it was. */
static inline void refused(const char *text, struct facts *f, const char *why)
{
	struct plan before;
	struct task t;

	memset(&before, UNTOUCHED, sizeof(before));
	if (plan(&t, text, f) == 0)
		fail_msg("%s is accepted", text);
	assert_memory_equal(&t.plan, &before, sizeof(before));
	if (!strstr(t.err.text, why))
		fail_msg("'%s' isn't in '%s'", why, t.err.text);
	clear(&t);
}

static inline void process(const struct task *t, unsigned index,
			   struct process *p)
{
	struct err err;

	assert_int_equal(plan_process(&t->plan, index, p, &err), 0);
}

/* The facts of one node's single task in a step with these devices by task. */
static inline struct facts device_task(unsigned nnodes, unsigned procid,
				       const char *procs, unsigned devices)
{
	char gtid[12], list[16];
	struct facts f;

	snprintf(gtid, sizeof(gtid), "%u", procid);
	f = facts_task(nnodes, nnodes, procid, 0, procid, gtid);
	facts_handover(&f);
	if (procs)
		facts_set(&f, "SLURM_DIST_TRAIN_PROCS", procs);
	if (devices) {
		snprintf(list, sizeof(list), "0-%u", devices - 1);
		facts_set(&f, "SLURM_DIST_TRAIN_GPUS", list);
	}
	return f;
}

#endif
