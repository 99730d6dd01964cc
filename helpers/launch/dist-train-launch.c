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
#include "core/base/env_secret.h"
#include "core/base/envset.h"
#include "core/env/process_env.h"
#include "core/facts/handover.h"
#include "helpers/container/env_restore.h"
#include "helpers/launch/launch.h"
#include "helpers/meet/meet.h"
#include "helpers/part/part.h"
#include "helpers/part/phase.h"
#include "helpers/ranktable/ranktable_shared.h"
#include "helpers/round/round.h"
#include "registry/component_options.h"
#include "registry/registry.h"
#include "sys/helper_path.h"
#include "sys/left_signals.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <nss.h>
#endif

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

/* Whether this task is the first or the last one of the step, or of its
 * component, which may have an environment of its own. */
static bool looks_at_world(const struct job *job)
{
	unsigned n = job->het ? job->component_tasks : job->ntasks;

	return job->procid == job->first || job->procid + 1 == job->first + n;
}

/* A rank or a size of the user's that isn't the process's. */
static int check_process(const struct launch *l, unsigned index,
			 struct err *err)
{
	struct process process;
	struct envset set = {0};
	int rc = plan_process(&l->plan, index, &process, err);

	if (rc == 0)
		rc = process_env(&l->plan, &process, &set, err);
	if (rc == 0)
		envset_resolve(&set, own_env, NULL, false, l->stale);
	for (size_t i = 0; rc == 0 && i < set.n; i++)
		if (set.entry[i].kind == ENV_WORLD &&
		    set.entry[i].state == ENV_KEPT)
			rc = env_refuse(&set.entry[i], set.entry[i].value, err);
	envset_clear(&set);
	return rc;
}

/* Where the plugin had but a guess of the world. */
static int check_world(const struct launch *l, struct err *err)
{
	if (!getenv(HANDOVER_LEARN) || !looks_at_world(&l->job) ||
	    request_yes(&l->request, KEY_OVERWRITE) || !l->plan.nprocs)
		return 0;
	if (check_process(l, 0, err) < 0)
		return -1;
	return check_process(l, l->plan.nprocs - 1, err);
}

static int make_plan(void *arg, struct err *err)
{
	const char *texts = getenv(HANDOVER_COMPONENTS);
	char remark[COMPONENTS_REMARK_SIZE];
	struct launch *l = arg;

	if (!texts)
		texts = getenv(HANDOVER_REQUEST);
	if (components_take(texts, &l->config, &l->job, &l->request, remark,
			    err) < 0)
		return -1;
	if (*remark && !l->job.procid)
		fprintf(stderr, "dist-train: %s\n", remark);
	if (plan_make(&l->request, &l->config, &l->job, &l->plan, err) < 0)
		return -1;
	return check_world(l, err);
}

/* The launchers of a heterogeneous step have the secret of this meeting, and
 * srun's afterwards. */
static int learn(struct launch *l, const struct learning *learning,
		 struct err *err)
{
	struct met_secret once = {0};
	int rc;

	if (!l->job.het)
		return meet_and_learn(learning, &l->met, err);
	rc = meet_and_learn(learning, &once, err);
	met_clear(&once);
	return rc;
}

/* The plan, and what only the other launchers can tell for it where srun hasn't
 * had the plugin, or has reached one component alone. */
static int meet_and_plan(struct launch *l, struct err *err)
{
	struct learning learning = {
		.request = &l->request,
		.config = &l->config,
		.job = &l->job,
		.check = make_plan,
		.arg = l,
	};
	bool meets = meet_wanted();

	if (((meets || l->job.het) && learn(l, &learning, err) < 0) ||
	    make_plan(l, err) < 0)
		return -1;
	if (!meets || request_word(&l->request, KEY_EXPLAIN) == EXPLAIN_ONLY)
		return 0;
	return meet_for_secret(&l->plan, &l->config, &l->met, err);
}

static int prepare(struct launch *l, int argc, char **argv, struct err *err)
{
	if (find_program(l, argc, argv, err) < 0 ||
	    handed_read(own_env, NULL, &l->config, &l->request, &l->job, err) <
		    0)
		return -1;
	l->job.command = l->argv;
	l->job.keepers = l->view.keepers_fd >= 0;
	l->stale = job_is_stale(&l->job, getenv("DIST_TRAIN_STEP"));
	launch_show(l);
	return round_first(l, err) < 0 ? -1 : meet_and_plan(l, err);
}

static void launch_clear(struct launch *l)
{
	launch_end(l);
	met_clear(&l->met);
	round_clear(l);
	job_clear(&l->job);
	request_clear(&l->request);
	config_clear(&l->config);
	close_fd(&l->hccn_fd);
	close_fd(&l->node_memory_fd);
	close_fd(&l->view.keepers_fd);
}

#ifdef STATIC_LAUNCHER

/* The one for containers is known by the number of a descriptor, and must not
 * open libraries of the container's libc to look names up. */
static int begin(int argc, char **argv, int *ret_status, struct err *err)
{
	prctl(PR_SET_NAME, "dist-train-launch");
#ifdef __GLIBC__
	__nss_configure_lookup("hosts", "files dns");
#endif
	return env_restore(argc, argv, ret_status, err);
}

#else

/* The other helpers are where it is itself. */
static int begin(int argc, char **argv, int *ret_status, struct err *err)
{
	helper_path_own("", NULL);
	(void)argc;
	(void)argv;
	(void)ret_status;
	(void)err;
	return 0;
}

#endif

/* The user's libraries are for his program; the launcher has started without
 * them. */
static void give_preload_back(void)
{
	const char *preload = getenv(HANDOVER_PRELOAD);

	if (preload)
		setenv(PRELOAD_VARIABLE, preload, 1);
}

/* Of a launcher that has failed before it had a step. */
static int fault_status(void)
{
	return signal_is_pending(SIGTERM) ? 128 + SIGTERM : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct launch launch = {.loop.epoll_fd = -1, .timeline.fd = -1};
	struct err err;
	int rc, status = EXIT_FAILURE;

	if (begin(argc, argv, &status, &err) < 0) {
		fprintf(stderr, "dist-train: %s\n", err.text);
		return status;
	}
	give_preload_back();
	launch.hccn_fd = inherited_fd_take(HANDOVER_HCCN, F_SEAL_WRITE);
	launch.node_memory_fd = node_memory_handed();
	launch.view.keepers_fd = inherited_socket_take(HANDOVER_KEEPERS);
	child_remember_signals();
	child_raise_files();
	procs_leave_signals();
	rc = prepare(&launch, argc, argv, &err);
	if (rc == 0)
		rc = launch_run(&launch, launch_phases, launch_parts, &err);
	if (rc < 0 && *err.text)
		fprintf(stderr, "dist-train: %s\n", err.text);
	launch.view.exit_code = rc < 0 ? fault_status() : rc;
	status = launch.view.exit_code;
	launch_clear(&launch);
	if (rc != 0)
		usleep(LAST_WORDS_US);
	return status;
}
