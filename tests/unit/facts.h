/* SPDX-License-Identifier: Apache-2.0 */
/* A task's environment as a table, and tasks made from it. */
#ifndef DT_TESTS_FACTS_H
#define DT_TESTS_FACTS_H

#include "core/facts/job.h"

#include "tests/unit/unit.h"

#define FACTS_MAX 32

struct facts {
	struct {
		const char *name;
		char value[128];
	} row[FACTS_MAX];
	unsigned n;
};

static inline void facts_unset(struct facts *f, const char *name)
{
	for (unsigned i = 0; i < f->n; i++)
		if (!strcmp(f->row[i].name, name))
			f->row[i--] = f->row[--f->n];
}

static inline void facts_set(struct facts *f, const char *name,
			     const char *value)
{
	facts_unset(f, name);
	assert_true(f->n < FACTS_MAX);
	assert_true(strlen(value) < sizeof(f->row[0].value));
	f->row[f->n].name = name;
	strcpy(f->row[f->n++].value, value);
}

static inline void facts_number(struct facts *f, const char *name,
				unsigned long n)
{
	char text[24];

	snprintf(text, sizeof(text), "%lu", n);
	facts_set(f, name, text);
}

static inline char *facts_lookup(void *arg, const char *name)
{
	const struct facts *f = arg;

	for (unsigned i = 0; i < f->n; i++)
		if (!strcmp(f->row[i].name, name))
			return strdup(f->row[i].value);
	return NULL;
}

/* What Slurm gives to one task of job 4711, step 3. */
static inline struct facts facts_task(unsigned ntasks, unsigned nnodes,
				      unsigned procid, unsigned localid,
				      unsigned nodeid, const char *gtids)
{
	struct facts f = {.n = 0};
	char node[16];

	snprintf(node, sizeof(node), "node%u", nodeid + 1);
	facts_set(&f, "SLURM_JOB_ID", "4711");
	facts_set(&f, "SLURM_STEP_ID", "3");
	facts_number(&f, "SLURM_STEP_NUM_TASKS", ntasks);
	facts_number(&f, "SLURM_STEP_NUM_NODES", nnodes);
	facts_number(&f, "SLURM_PROCID", procid);
	facts_number(&f, "SLURM_LOCALID", localid);
	facts_number(&f, "SLURM_NODEID", nodeid);
	facts_set(&f, "SLURM_GTIDS", gtids);
	facts_set(&f, "SLURMD_NODENAME", node);
	return f;
}

/* What srun hands over to them. */
static inline void facts_handover(struct facts *f)
{
	facts_set(f, "SLURM_DIST_TRAIN_HANDOVER", "1:4711.3");
	facts_set(f, "SLURM_DIST_TRAIN_NODE", "node1");
	facts_set(f, "SLURM_DIST_TRAIN_ADDR", "10.0.0.1");
}

#endif
