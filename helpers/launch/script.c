/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A script that runs once, in task 0's launcher, and starts what all processes
 * of the step run by calling a command that is our stand-in (the dialect's
 * `shim`). Its launcher tells the others by way of the arbiter.
 */
#include "helpers/launch/launch.h"

#include "core/base/cleanup.h"
#include "core/plan/dialect.h"
#include "core/plan/framework.h"
#include "core/plan/plan_process.h"
#include "core/plan/process_env.h"
#include "sys/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define DROPPED_MAX 32

/* --- what the script asks for --- */

static void say_order(struct launch *l, const struct exec_request *order,
		      const char *const dropped[])
{
	const struct dialect_form *form = l->request.form;
	char names[512] = "", line[1024];
	size_t used = 0;

	for (; *dropped && used < sizeof(names); dropped++)
		used += (size_t)snprintf(names + used, sizeof(names) - used,
					 "%s%s", used ? ", " : "", *dropped);
	snprintf(line, sizeof(line),
		 "dist-train: %s starts %u processes on %u node%s%s%s%s%s%s\n",
		 form->start_command, l->plan.world_size, l->plan.nnodes,
		 l->plan.nnodes == 1 ? "" : "s",
		 *order->asked ? " instead of " : "", order->asked,
		 *names ? "; the script's " : "", names,
		 *names ? " are replaced by the step's" : "");
	launch_say(l, line);
}

/* The order as the others are to have it: with what the script has changed
 * instead of its whole environment. */
static char *order_for_all(struct launch *l, const struct exec_request *order,
			   size_t *ret_n)
{
	const struct dialect_form *form = l->request.form;
	const char *dropped[DROPPED_MAX] = {NULL};
	char **changes, *text;

	changes =
		exec_request_changes(order->env, l->script.env, l->run_dir.path,
				     form->steps_own, dropped);
	if (!changes)
		return NULL;
	say_order(l, order, dropped);
	text = exec_request_text(
		exec_request_value(order->env, form->without_table)
			? STARTED_WITHOUT_TABLE
			: "",
		order->folder, order->argv, changes, ret_n);
	exec_request_free_words(changes);
	return text;
}

static void on_request(void *arg, char *text, size_t n)
{
	struct launch *l = arg;
	cleanup_free char *all = NULL;
	struct exec_request order;
	struct err err;
	size_t size;

	if (exec_request_parse(text, n, &order, &err) < 0)
		return launch_stop(l, EXIT_FAILURE, 0, err.text);
	all = order_for_all(l, &order, &size);
	exec_request_clear(&order);
	if (!all)
		return launch_stop(l, EXIT_FAILURE, 0, "out of memory");
	l->script.ordered = true;
	session_send(l->session, MSG_EXEC, all, size);
}

static void on_close(void *arg)
{
	struct launch *l = arg;
	char why[128];

	if (l->procs.first_failure || l->script.ending)
		return; /* it went down with the others */
	snprintf(why, sizeof(why), "%s was ended, and with it what it started",
		 l->plan.start_command);
	launch_stop(l, EXIT_FAILURE, 0, why);
}

/* --- the script --- */

static int add_own(struct launch *l, struct envset *set, struct err *err)
{
	const char *dirs = getenv("PATH");

	if (envset_add(set, ENV_OURS, "launcher", err, "DIST_TRAIN_RUN_DIR",
		       "%s", l->run_dir.path) < 0 ||
	    envset_add(set, ENV_OURS, "launcher", err,
		       "DIST_TRAIN_LAUNCHER_PID", "%d", (int)getpid()) < 0)
		return -1;
	return envset_add(set, ENV_OURS, "stand-ins", err, "PATH", "%s%s%s",
			  l->run_dir.path, dirs ? ":" : "", dirs ? dirs : "");
}

/* What srun gives variables that only the processes are to have. */
static void drop_missing(char **env)
{
	char **to = env;

	for (; *env; env++) {
		const char *eq = strchr(*env, '=');

		if (eq && !strcmp(eq + 1, ENV_PLUGIN_MISSING))
			free(*env);
		else
			*to++ = *env;
	}
	*to = NULL;
}

static int make_env(struct launch *l, struct process *process, struct err *err)
{
	struct envset set = {0};
	int rc = plan_process(&l->plan, 0, process, err);

	process->role = ROLE_LAUNCHER;
	process->added = process->service = true;
	if (rc == 0)
		rc = process_env(&l->plan, process, &set, err);
	if (rc == 0)
		rc = add_own(l, &set, err);
	if (rc == 0) {
		envset_resolve(&set, launch_env, NULL, false, l->stale);
		l->script.env = child_env(&set, launch_not_inherited);
		rc = l->script.env ? 0 : err_memory(err);
	}
	if (l->script.env)
		drop_missing(l->script.env);
	envset_clear(&set);
	process->devices.own.n = 0; /* they are the processes' */
	return rc;
}

static int prepare(struct launch *l, struct err *err)
{
	struct err why;

	if (shim_links_make(l->run_dir.path, l->plan.start_command, err) < 0)
		return -1;
	l->script.shim.on_request = on_request;
	l->script.shim.on_close = on_close;
	l->script.shim.arg = l;
	l->script.shim.loop = &l->loop;
	if (shim_server_open(&l->script.shim, l->run_dir.path, err) < 0)
		return -1;
	if (l->plan.needs_table &&
	    shim_links_place(&l->script.files, l->request.form,
			     l->plan.nodes_procs, l->rank_table, &why) < 0)
		fprintf(stderr, "dist-train: %s\n", why.text);
	return 0;
}

int launch_script(struct launch *l, struct err *err)
{
	struct child child = {.file = l->program, .out = -1, .err = -1};
	struct process process;
	const char *why;
	pid_t pid;

	if (session_no_channel(l->session, &why))
		return err_printf(err,
				  "the launchers of the step can't tell each "
				  "other what the script's %s starts: %s",
				  l->plan.start_command, why);
	if (l->job.procid)
		return 0;
	if (make_env(l, &process, err) < 0 || prepare(l, err) < 0)
		return -1;
	child.argv = l->argv;
	child.env = l->script.env;
	pid = child_start(&child, err);
	if (pid < 0)
		return -1;
	procs_started(&l->procs, l->plan.nprocs, &process, pid);
	l->script.runs = true;
	return 0;
}

/* --- in all launchers --- */

/* The script asks for the other family of variables, and the user for none. */
static int change_table(struct launch *l, struct err *err)
{
	if (strcmp(l->script.order.asked, STARTED_WITHOUT_TABLE) != 0 ||
	    !request_set_word(&l->request, KEY_TABLE, TABLE_NONE))
		return 0;
	return launch_plan_again(l, err);
}

int launch_exec_request(struct launch *l, const char *data, size_t n,
			struct err *err)
{
	char *text = malloc(n + 1);
	struct exec_request *order = &l->script.order;

	if (!text)
		return err_memory(err);
	memcpy(text, data, n);
	text[n] = '\0';
	if (exec_request_parse(text, n, order, err) < 0 ||
	    exec_request_apply(order, err) < 0 || change_table(l, err) < 0)
		return -1;
	l->argv = order->argv;
	if (child_find(l->argv[0], getenv("PATH"), l->program,
		       sizeof(l->program)) < 0)
		snprintf(l->program, sizeof(l->program), "%s", l->argv[0]);
	return 0;
}

bool launch_script_done(struct launch *l)
{
	if (!l->script.runs)
		return false;
	shim_server_answer(&l->script.shim,
			   l->script.ending ? EXIT_FAILURE : EXIT_SUCCESS);
	return true;
}

/* With the exit code of a script that has failed the step has failed already.
 */
void launch_script_ended(struct launch *l)
{
	char why[256];

	if (!l->script.runs || l->script.ordered || l->procs.first_failure)
		return;
	snprintf(why, sizeof(why),
		 "the script has ended and has started nothing: no %s that is "
		 "found by PATH, which begins with a folder of the step",
		 l->plan.start_command);
	launch_stop(l, EXIT_FAILURE, 0, why);
}

void launch_script_end(struct launch *l)
{
	shim_server_close(&l->script.shim);
	shim_links_remove(&l->script.files);
	child_free_env(l->script.env);
	exec_request_clear(&l->script.order);
}
