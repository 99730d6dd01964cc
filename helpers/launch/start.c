/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/launch.h"

#include "core/base/cleanup.h"
#include "core/facts/handover.h"
#include "core/plan/dialect.h"
#include "core/plan/explain.h"
#include "core/plan/framework.h"
#include "core/plan/plan_process.h"
#include "core/plan/plan_remark.h"
#include "core/plan/process_env.h"
#include "helpers/launch/bundled_server.h"
#include "helpers/launch/error_file.h"
#include "sys/child.h"

#include <stdio.h>
#include <stdlib.h>

const char *const launch_not_inherited[] = {
	HANDOVER_PREFIX, "PMIX_", "PMI_", "SLURM_PMIX", "SLURM_PMI_", NULL,
};

/* In task mode the one process has the task's place, its PMI too. */
static const char *const hand_over_only[] = {HANDOVER_PREFIX, NULL};

int launch_show(const struct launch *l, const struct process *process,
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

const char *launch_error_file(const struct launch *l, unsigned index,
			      char buf[PATH_MAX + 32])
{
	snprintf(buf, PATH_MAX + 32, "%s/error-%u-%u.json", l->run_dir.path,
		 l->plan.first_rank + index, l->round);
	return buf;
}

/* What only the launcher can know: where torch may leave an exception, and the
 * folder in which `ssh` is our stand-in. */
static int add_own(struct launch *l, unsigned index, struct envset *set,
		   struct err *err)
{
	unsigned needs = request_needs(&l->request);
	char path[PATH_MAX + 32];
	const char *dirs = getenv("PATH");

	if (l->way == EXCHANGE_BY_PMIX && !l->plan.device_mode &&
	    envset_add(set, ENV_HINT, "as the launcher's own PMIx had it", err,
		       PMIX_STORE_VARIABLE, "%s", PMIX_STORE) < 0)
		return -1;
	if (*l->run_dir.path && needs & NEEDS_ERROR_FILE &&
	    envset_add(set, ENV_HINT, "launcher", err, ERROR_FILE_VARIABLE,
		       "%s", launch_error_file(l, index, path)) < 0)
		return -1;
	if (!*l->host_files.hosts)
		return 0;
	if (envset_add(set, ENV_OURS, "for an srun in the program", err,
		       "DIST_TRAIN_OFF", "--%s=none", l->config.option) < 0)
		return -1;
	return envset_add(set, ENV_OURS, "ssh is a stand-in", err, "PATH",
			  "%s%s%s", l->run_dir.path, dirs ? ":" : "",
			  dirs ? dirs : "");
}

/* What is run instead of the user's own command line. */
struct command {
	struct bundled_server stock;
	struct argset args;
	char **argv; /* the user's with `args` behind */
};

static void command_clear(struct command *c)
{
	argset_clear(&c->args);
	free(c->argv);
}

/* A server of ours in the place of the user's program, where this process is
 * to be one; else the program, with what the dialect adds. */
static int choose_program(const struct launch *l, const struct process *process,
			  struct command *command, struct child *child,
			  struct err *err)
{
	const struct framework *fw = l->request.framework;
	const char *server = fw->server ? fw->server(&l->plan, process) : NULL;

	if (!server) {
		if (process_args(&l->plan, process, &command->args, err) < 0)
			return -1;
		command->argv = argset_behind(&command->args, l->argv);
		child->argv = command->argv;
		return child->argv ? 0 : err_memory(err);
	}
	if (bundled_server_command(server, l->argv, getenv("PATH"),
				   &command->stock, err) < 0)
		return -1;
	child->file = command->stock.python;
	child->argv = command->stock.argv;
	return 0;
}

static int start_worker(struct launch *l, unsigned index,
			const struct process *process, const struct envset *set,
			struct err *err)
{
	cleanup_close int out = -1, error = -1;
	bool scripts = shim_server_waits(&l->script.shim);
	const struct bind_share *bound = bind_share(&l->bind, index);
	struct child child = {
		.file = l->program,
		.cpus = bound ? &bound->cpus : NULL,
		.memory = bound ? &bound->memory : NULL,
	};
	bool own_pmi = !l->plan.device_mode && !l->plan.run_first;
	char **env =
		child_env(set, own_pmi ? hand_over_only : launch_not_inherited);
	struct timeline_who who;
	struct command command = {.argv = NULL};
	pid_t pid = -1;

	if (!env)
		return err_memory(err);
	if (choose_program(l, process, &command, &child, err) == 0 &&
	    (!l->output || output_attach(l->output, index, process, &out,
					 &error, err) == 0)) {
		child.env = env;
		child.out = !l->output && scripts ? l->script.shim.out : out;
		child.err = !l->output && scripts ? l->script.shim.err : error;
		pid = child_start(&child, err);
	}
	child_free_env(env);
	command_clear(&command);
	if (pid < 0)
		return -1;
	procs_started(&l->procs, index, process, pid);
	who = timeline_who(&l->plan, process);
	timeline_event(&l->timeline, &who, "started", "");
	return 0;
}

/* Start the index-th process; with explain=only just show it. */
static int start_one(struct launch *l, unsigned index, struct err *err)
{
	bool overwrite = request_yes(&l->request, KEY_OVERWRITE);
	struct process process;
	struct envset set = {0};
	int rc;

	rc = plan_process(&l->plan, index, &process, err);
	if (rc == 0 && l->plan.npu)
		rc = npu_task_apply(&l->npus, &l->plan, index, &process, err);
	if (rc == 0) {
		bind_tell(&l->bind, index, &process);
		rc = process_env(&l->plan, &process, &set, err);
		if (rc == 0)
			rc = add_own(l, index, &set, err);
	}
	if (rc == 0) {
		envset_resolve(&set, launch_env, NULL, overwrite, l->stale);
		rc = launch_show(l, &process, &set, err);
	}
	if (rc == 0 && request_word(&l->request, KEY_EXPLAIN) != EXPLAIN_ONLY)
		rc = start_worker(l, index, &process, &set, err);
	envset_clear(&set);
	return rc;
}

int launch_start(struct launch *l, struct err *err)
{
	bool none = l->request.framework->once && l->plan.first_rank > 0;

	for (unsigned i = 0; i < l->plan.nprocs && !none; i++)
		if (start_one(l, i, err) < 0)
			return -1;
	return 0;
}

int launch_explain(struct launch *l, struct err *err)
{
	if (l->plan.npu && npu_task_find(&l->plan, &l->npus, err) < 0)
		return -1;
	if (launch_service_show(l, err) < 0)
		return -1;
	return launch_start(l, err);
}

int launch_folder(struct launch *l, struct err *err)
{
	unsigned needs = request_needs(&l->request);
	bool hosts = needs & NEEDS_HOST_FILE && l->plan.nprocs;
	int rc = 0;

	if (l->plan.needs_go || hosts || (needs & NEEDS_ERROR_FILE))
		rc = run_dir_make(&l->run_dir, l->config.rundir, &l->job, err);
	if (rc == 0 && hosts)
		rc = host_files_make(l->run_dir.path, &l->plan, &l->host_files,
				     err);
	return l->plan.needs_go || hosts ? rc : 0;
}
