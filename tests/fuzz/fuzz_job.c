/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of a task, NAME=value on each line: Slurm's variables and
 * those that srun, or the user, has handed over; then the plan that a launcher
 * or a task makes of them.
 */
#include "core/facts/job.h"

#include "core/env/process_env.h"
#include "core/facts/taskmap.h"
#include "core/option/config.h"
#include "core/plan/plan.h"
#include "registry/registry.h"

#include "tests/fuzz/fuzz.h"

#define LINES_MAX 64
/* A plan of this many processes is made in some ms. */
#define PROCESSES_MAX 2000

static char *lines[LINES_MAX];
static unsigned nlines;

/* Without a line of its own each task has these. */
static const char *const usual[] = {
	"SLURM_JOB_ID=7",
	"SLURM_STEP_ID=0",
	"SLURM_STEP_NUM_TASKS=2",
	"SLURM_STEP_NUM_NODES=2",
	"SLURM_PROCID=0",
	"SLURM_LOCALID=0",
	"SLURM_NODEID=0",
	"SLURM_GTIDS=0",
	"SLURMD_NODENAME=node1",
	"SLURM_STEP_NODELIST=node[1-2]",
	"SLURM_STEP_TASKS_PER_NODE=1(x2)",
	"SLURM_DIST_TRAIN_HANDOVER=2:7.0",
};

static const char *value_of(const char *line, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(line, name, n) && line[n] == '=' ? line + n + 1 : NULL;
}

static const char *look(void *arg, const char *name)
{
	const char *value;

	(void)arg;
	for (unsigned i = 0; i < nlines; i++)
		if ((value = value_of(lines[i], name)))
			return value;
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		if ((value = value_of(usual[i], name)))
			return value;
	return NULL;
}

static void check_env(const struct plan *plan)
{
	struct process process;
	struct envset set = {0};
	struct err err = {""};

	if (plan_process(plan, 0, &process, &err) < 0 ||
	    process_env(plan, &process, &set, &err) < 0) {
		fuzz_check_error(err.text);
	} else {
		RULE(process.rank < plan->world_size);
		envset_resolve(&set, look, NULL, false, false);
	}
	envset_clear(&set);
}

static void try_plan(const struct job *job, const char *text)
{
	struct config config = {.port_min = 20000, .port_max = 28999};
	struct err err = {""};
	struct request r;
	struct plan plan;

	RULE(request_parse(text, NULL, NULL, &r, &err) == 0);
	if (plan_make(&r, &config, job, &plan, &err) < 0)
		fuzz_check_error(err.text);
	else if (plan.world_size <= PROCESSES_MAX)
		check_env(&plan);
	request_clear(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const options[] = {"ddp",	"ddp,procs=device",
					      "tf-ps",	"torchrun,nic=eth0",
					      "ascend", "jax",
					      "paddle"};
	char *text = fuzz_text(data, size), *rest = text;
	struct err err = {""};
	struct job job;

	for (nlines = 0; rest && nlines < LINES_MAX;)
		lines[nlines++] = strsep(&rest, "\n");
	if (job_read(look, NULL, size % 7 == 6, &job, &err) < 0)
		fuzz_check_error(err.text);
	else if (job.ntasks <= PROCESSES_MAX && job.nnodes <= PROCESSES_MAX)
		for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
			try_plan(&job, options[i]);
	job_clear(&job);
	free(text);
	return 0;
}
