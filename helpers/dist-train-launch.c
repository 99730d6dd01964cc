/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train-launch: bring up a node's processes, one per device, in the place
 * of the node's single Slurm task. It is put before the program by the plugin
 * and makes the same plan from the same facts.
 *
 *	dist-train-launch -- PROGRAM [ARG]...
 *	dist-train-launch [ARG]...	the program's name in
 *					SLURM_DIST_TRAIN_ARGV0 (Slurm < 23.11)
 */
#include "core/cleanup.h"
#include "core/explain.h"
#include "core/framework.h"
#include "core/handover.h"
#include "helpers/child.h"
#include "helpers/supervise.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MAX 64

/* Not for the processes: our own hand-over, and the parent task's PMI, which
 * only one process could use. */
static const char *const not_inherited[] = {
	HANDOVER_PREFIX, "PMIX_", "PMI_", "SLURM_PMIX", "SLURM_PMI_", NULL,
};

struct launch {
	struct config config;
	struct request request;
	struct job job;
	struct plan plan;
	char program[PATH_MAX];
	char **argv;
	bool stale; /* variables of an outer step are in the environment */
};

static char *own_env(void *arg, const char *name)
{
	const char *value = getenv(name);

	(void)arg;
	return value ? strdup(value) : NULL;
}

static int read_config(struct config *config, struct err *err)
{
	cleanup_free char *text = own_env(NULL, HANDOVER_CONFIG);
	char *argv[LINES_MAX], *save = NULL;
	int argc = 0;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL;
	     line && argc < LINES_MAX; line = strtok_r(NULL, "\n", &save))
		argv[argc++] = line;
	return config_parse(argc, argv, config, err);
}

/* The program and its arguments, from either form of the command line. */
static int find_program(struct launch *l, int argc, char **argv,
			struct err *err)
{
	char *name = getenv(HANDOVER_ARGV0);

	if (name) {
		argv[0] = name;
		l->argv = argv;
	} else if (argc > 2 && !strcmp(argv[1], "--")) {
		l->argv = argv + 2;
	} else {
		return err_printf(err, "dist-train-launch is started by "
				       "srun --dist-train=...");
	}
	if (child_find(l->argv[0], getenv("PATH"), l->program,
		       sizeof(l->program)) < 0)
		snprintf(l->program, sizeof(l->program), "%s", l->argv[0]);
	l->argv[0] = l->program; /* as Slurm has it */
	return 0;
}

static int prepare(struct launch *l, int argc, char **argv, struct err *err)
{
	const char *request = getenv(HANDOVER_REQUEST);

	if (find_program(l, argc, argv, err) < 0 ||
	    read_config(&l->config, err) < 0)
		return -1;
	if (!request)
		return err_printf(err, "%s isn't set", HANDOVER_REQUEST);
	if (request_parse(request, l->config.defaults, l->config.allow,
			  &l->request, err) < 0 ||
	    job_read(own_env, NULL, false, &l->job, err) < 0)
		return -1;
	l->stale = job_is_stale(&l->job, getenv("DIST_TRAIN_STEP"));
	return plan_make(&l->request, &l->config, &l->job, &l->plan, err);
}

static int show(const struct launch *l, const struct process *process,
		const struct envset *set, struct err *err)
{
	int word = request_word(&l->request, KEY_EXPLAIN);
	FILE *out = word == EXPLAIN_ONLY ? stdout : stderr;
	cleanup_free char *text = NULL;
	char remark[512];

	if (plan_remark(&l->plan, process, remark, sizeof(remark)))
		fprintf(stderr, "dist-train: %s\n", remark);
	if (word == EXPLAIN_NO)
		return 0;
	text = explain_process(&l->plan, process, set, NULL, err);
	if (!text)
		return -1;
	fputs(text, out);
	fflush(out);
	return 0;
}

/* Start the index-th process; with explain=only just show it (*ret is 0). */
static int start_one(const struct launch *l, unsigned index, pid_t *ret,
		     struct err *err)
{
	bool overwrite = request_word(&l->request, KEY_OVERWRITE) == YES;
	struct process process;
	struct envset set = {0};
	char **env = NULL;
	int rc;

	*ret = 0;
	rc = plan_process(&l->plan, index, &process, err);
	if (rc == 0)
		rc = process_env(&l->plan, &process, &set, err);
	if (rc == 0) {
		envset_resolve(&set, own_env, NULL, overwrite, l->stale);
		rc = show(l, &process, &set, err);
	}
	if (rc == 0 && request_word(&l->request, KEY_EXPLAIN) != EXPLAIN_ONLY) {
		env = child_env(&set, not_inherited);
		*ret = env ? child_start(l->program, l->argv, env, err)
			   : err_memory(err);
		rc = *ret < 0 ? -1 : 0;
	}
	child_free_env(env);
	envset_clear(&set);
	return rc;
}

static int run(struct launch *l, struct err *err)
{
	cleanup_free pid_t *pids = calloc(l->plan.nprocs, sizeof(*pids));

	if (!pids)
		return err_memory(err);
	for (unsigned i = 0; i < l->plan.nprocs; i++)
		if (start_one(l, i, &pids[i], err) < 0)
			return -1; /* those that run die with this process */
	return supervise_wait(pids, l->plan.nprocs,
			      l->request.key[KEY_GRACE].number);
}

int main(int argc, char **argv)
{
	struct launch launch = {0};
	struct err err;
	int rc;

	child_remember_signals();
	supervise_begin();
	rc = prepare(&launch, argc, argv, &err);
	if (rc == 0)
		rc = run(&launch, &err);
	if (rc < 0)
		fprintf(stderr, "dist-train: %s\n", err.text);
	job_clear(&launch.job);
	request_clear(&launch.request);
	config_clear(&launch.config);
	return rc < 0 ? EXIT_FAILURE : rc;
}
