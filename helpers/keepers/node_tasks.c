/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/keepers/keepers.h"

#include "core/facts/keeping.h"
#include "core/plan/plan.h"
#include "helpers/npu/devinfo.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/launch_view.h"
#include "helpers/part/part.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct node_tasks {
	struct launch_view *v;
	struct keepers *keepers;
	struct loop_timer patience; /* with those that haven't come */
	unsigned n;		    /* of the node, with the launcher's own */
	unsigned behind; /* procs that aren't theirs; task 1's is the next */
	bool started;
	struct node_task task[];
};

static unsigned proc_of(const struct node_tasks *t, unsigned task)
{
	return t->behind + task - 1;
}

/* --- what keepers tell --- */

static void on_runs(void *arg, unsigned task, pid_t pid)
{
	struct node_tasks *t = arg;

	procs_runs(t->v->procs, proc_of(t, task), pid);
}

static void on_ended(void *arg, unsigned task, int status)
{
	struct node_tasks *t = arg;

	procs_has_ended(t->v->procs, proc_of(t, task), status);
}

static void say_why(struct node_tasks *t, unsigned task, const char *why)
{
	struct launch *l = t->v->launch;
	cleanup_free char *text = NULL;

	if (asprintf(&text, "task %u of node %s: %s", task,
		     t->v->job->node_name, why) < 0)
		return launch_fail(l, "out of memory");
	launch_fail(l, text);
}

/* A program ends with its keeper, by SIGKILL. */
static void on_lost(void *arg, unsigned task, const char *why)
{
	struct node_tasks *t = arg;

	if (why)
		launch_fail(t->v->launch, why);
	else if (!t->started)
		say_why(t, task, "it has ended before its program started");
	if (t->started)
		procs_has_ended(t->v->procs, proc_of(t, task), SIGKILL);
}

/* Slurm starts them all at once, but a task prolog may take its time. */
static void on_no_patience(void *arg)
{
	static const char late[] = "it hasn't started its program within the "
				   "time of the key timeout";
	struct node_tasks *t = arg;
	struct launch_view *v = t->v;
	cleanup_free char *line = NULL;
	unsigned first;

	if (!keepers_absent(t->keepers, &first))
		return;
	if (v->plan->needs_go ||
	    request_word(v->request, KEY_ON_SILENCE) == ON_SILENCE_FAIL)
		say_why(t, first, late);
	else if (asprintf(&line,
			  "dist-train: task %u of node %s: %s; the step "
			  "goes on\n",
			  first, v->job->node_name, late) >= 0)
		launch_say(v->launch, line);
}

/* --- the beginning --- */

static int open(struct launch *l, struct err *err)
{
	struct launch_view *v = launch_view(l);
	unsigned n = v->job->local_ntasks;
	struct keepers_options options = {
		.loop = v->loop,
		.fd = v->keepers_fd,
		.n = n,
		.runs = on_runs,
		.ended = on_ended,
		.lost = on_lost,
	};
	struct node_tasks *t;

	if (!v->plan->resolved.node_launcher && v->keepers_fd < 0)
		return 0;
	if (!v->plan->resolved.node_launcher || v->keepers_fd < 0)
		return err_printf(err,
				  "node %s: the launcher finds other variables "
				  "of Slurm than the node's tasks did; does a "
				  "task prolog change them?",
				  v->job->node_name);
	t = calloc(1, sizeof(*t) + n * sizeof(*t->task));
	if (!t)
		return err_memory(err);
	*t = (struct node_tasks){
		.v = v,
		.n = n,
		.behind = v->procs->n - (n - 1),
		.patience = {.expired = on_no_patience, .arg = t},
	};
	options.arg = t;
	v->keepers_fd = -1;
	t->keepers = keepers_open(&options, err);
	if (!t->keepers) {
		free(t);
		return -1;
	}
	v->node_tasks = t;
	return 0;
}

/* --- their programs --- */

static int find_process(struct launch_view *v, struct node_task *task,
			const struct npu_nodes *nodes, struct process *process,
			struct keeping *keeping, struct err *err)
{
	const struct plan *plan = &task->plan;

	if (plan_process(plan, 0, process, err) < 0)
		return -1;
	if (plan->job->bound) /* they aren't known here */
		process->devices.own.n = 0;
	if (plan->resolved.npu &&
	    (npu_task_find_among(plan, nodes, &keeping->npus, err) < 0 ||
	     plan_npus_apply(plan, &keeping->npus, 0, process, err) < 0))
		return -1;
	launch_error_file(v->launch, process->rank, keeping->error_file,
			  sizeof(keeping->error_file));
	return 0;
}

static int start_task(struct launch_view *v, unsigned i,
		      const struct npu_nodes *nodes, struct err *err)
{
	struct node_tasks *t = v->node_tasks;
	struct node_task *task = &t->task[i];
	struct keeping keeping = {.launcher = (unsigned)getpid()};
	struct process process;
	char text[KEEPING_SIZE];

	if (node_task_make(v->plan, v->config, i, task, err) < 0 ||
	    find_process(v, task, nodes, &process, &keeping, err) < 0)
		return -1;
	snprintf(keeping.table, sizeof(keeping.table), "%s", v->rank_table);
	if (keeping_format(&keeping, text) < 0)
		return err_printf(err, "rundir=: the name of a folder has a "
				       "line's end");
	procs_awaited(v->procs, proc_of(t, i), &process);
	return keepers_go(t->keepers, i, text) < 0 ? err_memory(err) : 0;
}

int node_tasks_start(struct launch *l, struct err *err)
{
	struct launch_view *v = launch_view(l);
	struct node_tasks *t = v->node_tasks;
	struct npu_nodes nodes;

	if (!t || t->n < 2)
		return 0;
	if (v->plan->resolved.npu &&
	    devinfo_nodes(devinfo_root(), &nodes, err) < 0)
		return -1;
	t->started = true;
	for (unsigned i = 1; i < t->n; i++)
		if (start_task(v, i, &nodes, err) < 0)
			return -1;
	loop_arm(v->loop, &t->patience,
		 (uint64_t)request_seconds(v->request, KEY_TIMEOUT) * 1000);
	return 0;
}

const struct plan *node_tasks_plan(const struct launch *l,
				   const struct proc *proc)
{
	const struct launch_view *v = launch_view(l);
	const struct node_tasks *t = v->node_tasks;
	unsigned index = (unsigned)(proc - v->procs->proc);

	return t && index >= t->behind ? &t->task[index - t->behind + 1].plan
				       : v->plan;
}

static void end(struct launch *l)
{
	struct launch_view *v = launch_view(l);
	struct node_tasks *t = v->node_tasks;

	if (!t)
		return;
	loop_disarm(v->loop, &t->patience);
	keepers_leave(t->keepers, v->exit_code);
	keepers_close(t->keepers);
	free(t);
	v->node_tasks = NULL;
}

const struct part node_tasks_part = {
	.name = "node-tasks",
	.open = open,
	.close = end,
};
