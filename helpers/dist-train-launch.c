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
#include "core/share_cores.h"
#include "helpers/bind.h"
#include "helpers/child.h"
#include "helpers/crew.h"
#include "helpers/loop.h"
#include "helpers/output.h"
#include "helpers/report.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES_MAX 64

/* Not for the processes: our own hand-over, and the parent task's PMI, which
 * only one process could use. */
static const char *const not_inherited[] = {
	HANDOVER_PREFIX, "PMIX_", "PMI_", "SLURM_PMIX", "SLURM_PMI_", NULL,
};

/* In task mode the one process has the task's place, its PMI too. */
static const char *const hand_over_only[] = {HANDOVER_PREFIX, NULL};

struct launch {
	struct loop loop;
	struct crew crew;
	struct output *output; /* NULL: the workers have ours */
	struct config config;
	struct request request;
	struct job job;
	struct plan plan;
	struct bind bind;
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

static int start_worker(struct launch *l, unsigned index,
			const struct process *process, const struct envset *set,
			struct err *err)
{
	cleanup_close int out = -1, error = -1;
	const struct bind_share *bound = bind_share(&l->bind, index);
	struct child child = {
		.file = l->program,
		.argv = l->argv,
		.cpus = bound ? &bound->cpus : NULL,
		.memory = bound ? &bound->memory : NULL,
	};
	char **env = child_env(set, l->plan.device_mode ? not_inherited
							: hand_over_only);
	pid_t pid = -1;

	if (!env)
		return err_memory(err);
	if (!l->output ||
	    output_attach(l->output, index, process, &out, &error, err) == 0) {
		child.env = env;
		child.out = out;
		child.err = error;
		pid = child_start(&child, err);
	}
	child_free_env(env);
	if (pid < 0)
		return -1;
	crew_started(&l->crew, index, process, pid);
	return 0;
}

/* Start the index-th process; with explain=only just show it. */
static int start_one(struct launch *l, unsigned index, struct err *err)
{
	bool overwrite = request_word(&l->request, KEY_OVERWRITE) == YES;
	struct process process;
	struct envset set = {0};
	int rc;

	rc = plan_process(&l->plan, index, &process, err);
	if (rc == 0) {
		bind_tell(&l->bind, index, &process);
		rc = process_env(&l->plan, &process, &set, err);
	}
	if (rc == 0) {
		envset_resolve(&set, own_env, NULL, overwrite, l->stale);
		rc = show(l, &process, &set, err);
	}
	if (rc == 0 && request_word(&l->request, KEY_EXPLAIN) != EXPLAIN_ONLY)
		rc = start_worker(l, index, &process, &set, err);
	envset_clear(&set);
	return rc;
}

/* The launcher's own lines tear no line of a worker. */
static void say(struct launch *l, const char *lines)
{
	if (l->output)
		output_say(l->output, lines);
	else
		fputs(lines, stderr);
}

/* What it wrote last, where nobody has seen it. */
static const char *unseen_lines(struct launch *l, const struct worker *w)
{
	if (!l->output || !l->request.key[KEY_LOG_DIR].text)
		return "";
	return output_last_lines(l->output, (unsigned)(w - l->crew.worker));
}

static void tell(struct launch *l, bool ended)
{
	const struct worker *w = l->crew.first_failure;
	cleanup_free char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	if (ended)
		report_ended(f, &l->crew);
	else
		report_first_failure(f, &l->plan, w, unseen_lines(l, w));
	if (fclose(f) == 0 && *text)
		say(l, text);
}

static void failed(void *arg)
{
	tell(arg, false);
}

static void all_drained(void *arg)
{
	struct launch *l = arg;

	loop_stop(&l->loop);
}

static void all_ended(void *arg)
{
	struct launch *l = arg;

	if (l->crew.first_failure)
		tell(l, true);
	if (l->output)
		output_finish(l->output);
	else
		loop_stop(&l->loop);
}

/* Start all and wait for all. When one can't be started those that run die
 * with this process. */
static int run(struct launch *l, struct err *err)
{
	l->crew.grace_s = l->request.key[KEY_GRACE].number;
	l->crew.failed = failed;
	l->crew.all_ended = all_ended;
	l->crew.arg = l;
	if (bind_here(&l->plan, &l->bind, err) < 0 ||
	    loop_open(&l->loop, err) < 0 ||
	    crew_open(&l->crew, &l->loop, l->plan.nprocs, err) < 0 ||
	    output_open(&l->loop, &l->plan, all_drained, l, &l->output, err) <
		    0)
		return -1;
	l->job.cores = share_of_task(&l->job, l->bind.ncores);
	for (unsigned i = 0; i < l->plan.nprocs; i++)
		if (start_one(l, i, err) < 0)
			return -1;
	if (l->crew.running && loop_run(&l->loop, err) < 0)
		return -1;
	return crew_exit_code(&l->crew);
}

static void launch_clear(struct launch *l)
{
	output_close(l->output);
	crew_close(&l->crew);
	bind_clear(&l->bind);
	loop_close(&l->loop);
	job_clear(&l->job);
	request_clear(&l->request);
	config_clear(&l->config);
}

int main(int argc, char **argv)
{
	struct launch launch = {.loop.epoll_fd = -1};
	struct err err;
	int rc;

	child_remember_signals();
	crew_leave_signals();
	rc = prepare(&launch, argc, argv, &err);
	if (rc == 0)
		rc = run(&launch, &err);
	if (rc < 0)
		fprintf(stderr, "dist-train: %s\n", err.text);
	launch_clear(&launch);
	if (rc != 0)
		usleep(LAST_WORDS_US);
	return rc < 0 ? EXIT_FAILURE : rc;
}
