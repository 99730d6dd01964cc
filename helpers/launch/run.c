/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/launch.h"

#include "core/facts/share_cores.h"
#include "core/plan/framework.h"
#include "helpers/conn/loss_lines.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/part.h"
#include "helpers/part/phase.h"
#include "helpers/round/round.h"
#include "sys/proc_file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- what the arbiter says --- */

/* ROUND [ADDRESS]: all are ready. */
static void go_on(struct launch *l, const char *text)
{
	struct err err;
	long round;

	if (message_number(&text, 0, INT_MAX, &round) < 0 ||
	    round != l->job.round)
		return;
	if (address_learn(l, text, &err) < 0)
		launch_fail(l, err.text);
	else
		phases_all_done(l);
}

/* CODE */
static void leave(struct launch *l, const char *text)
{
	long code = EXIT_FAILURE;

	message_number(&text, 0, UCHAR_MAX, &code);
	launch_leave(l, (int)code);
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	parts_message(arg, type, data);
	phases_message(arg, type, data, n);
}

/* --- the channel --- */

static void on_say(void *arg, const char *lines)
{
	struct launch *l = arg;
	cleanup_free char *named = lines_of_world(lines, l->job.world);

	launch_say(l, named ? named : lines);
}

/* LINES, of the controller */
static void said(struct launch *l, const char *lines)
{
	launch_say(l, lines);
}

static void on_known(void *arg)
{
	launch_knows_secret(arg);
}

static bool on_doubt(void *arg)
{
	const struct launch *l = arg;

	return procs_in_doubt(&l->procs);
}

static void find_members(struct launch *l)
{
	l->view.members = l->view.step;
	if (l->plan.resolved.node_launcher)
		l->view.members =
			job_of_nodes(&l->job, l->plan.node_rank, &l->by_node);
}

static int open_session(struct launch *l, struct err *err)
{
	struct session_options options = {
		.loop = &l->loop,
		.plan = &l->plan,
		.job = l->view.members,
		.config = &l->config,
		.met = &l->met,
		.start = start_step,
		.facts = step_facts,
		.needs_go = l->plan.needs_go,
		.recovery = l->plan.resolved.recovery,
		.message = on_message,
		.say = on_say,
		.in_doubt = on_doubt,
		.known = on_known,
		.arg = l,
	};

	l->view.session = session_open(&options, err);
	return l->view.session ? 0 : -1;
}

static void close_session(struct launch *l)
{
	session_close(l->view.session);
	l->view.session = NULL;
}

const struct part session_part = {
	.name = "session",
	.open = open_session,
	.close = close_session,
	.messages = (const struct part_message[]){{MSG_GO, go_on},
						  {MSG_SAY, said},
						  {0}},
};

/* --- the plan --- */

static int make_plan_again(struct launch *l, struct err *err)
{
	bind_clear(&l->bind);
	if (launch_plan_again(l, err) < 0)
		return -1;
	return bind_here(&l->plan, &l->bind, err);
}

const struct part plan_part = {
	.name = "plan",
	.again = make_plan_again,
};

/* --- what processes read and write --- */

static void on_output_drained(void *arg)
{
	struct launch *l = arg;

	loop_stop(&l->loop);
}

/* Launchers of the worlds label and keep what their processes write. */
static bool of_worlds(const struct launch *l)
{
	return l->request.framework->program_is_file;
}

static int open_output(struct launch *l, struct err *err)
{
	if (timeline_open(&l->timeline, &l->plan, l->view.step->nodeid,
			  record_asked(&l->plan, l->view.step), err) < 0 ||
	    (!of_worlds(l) &&
	     output_open(&l->loop, &l->plan, &l->timeline, on_output_drained, l,
			 &l->view.output, err) < 0))
		return -1;
	return launch_input(l, err);
}

static void close_output(struct launch *l)
{
	input_close(l->input);
	output_close(l->view.output);
	l->view.output = NULL;
	timeline_close(&l->timeline);
}

static void proc_ended(struct launch *l, const struct proc *w)
{
	if (!w->process.added)
		timeline_ended(&l->timeline, &l->plan, &w->process, w->status,
			       w->signalled);
}

static int begin_output_again(struct launch *l, struct err *err)
{
	if (launch_input(l, err) < 0)
		return -1;
	return l->view.output ? output_again(l->view.output, err) : 0;
}

const struct part output_part = {
	.name = "output",
	.open = open_output,
	.again = begin_output_again,
	.close = close_output,
	.messages = (const struct part_message[]){{MSG_LEAVE, leave}, {0}},
	.ended = proc_ended,
};

/* --- the folder for files --- */

/* Make the folder for files if the step has a use for it. A rank table,
 * services and metrics need it: without it they fail. torch's error files are
 * optional. */
static int open_folder(struct launch *l, struct err *err)
{
	unsigned needs = l->plan.resolved.needs;
	bool hosts = needs & NEEDS_HOST_FILE && l->plan.nprocs;
	bool needed = l->plan.needs_go || hosts || l->plan.resolved.metrics ||
		      l->plan.resolved.end_signal.number || of_worlds(l);
	struct host_files *files = &l->made.host_files;
	int rc = 0;

	if (needed || (needs & NEEDS_ERROR_FILE) || l->plan.resolved.recorders)
		rc = run_dir_make(&l->run_dir, l->config.rundir, l->view.step,
				  err);
	if (rc == 0 && hosts)
		rc = host_files_make(l->run_dir.path, &l->plan, files, err);
	launch_tell_files(l);
	return needed ? rc : 0;
}

static void close_folder(struct launch *l)
{
	run_dir_remove(&l->run_dir);
}

const struct part folder_part = {
	.name = "folder",
	.open = open_folder,
	.close = close_folder,
};

/* --- slurmstepd --- */

/* slurmstepd is gone, which would have ended this node's processes, and Slurm
 * notices that late or never: end the step here. */
static void on_parent_gone(void *arg, uint32_t events)
{
	struct launch *l = arg;
	char why[512];

	(void)events;
	loop_remove(&l->loop, &l->parent);
	snprintf(why, sizeof(why), "slurmstepd on %s was killed",
		 l->job.node_name);
	launch_send(l, MSG_ORPHAN, "");
	if (l->plan.resolved.recovery)
		return round_orphaned(l);
	launch_stop(l, 128 + SIGKILL, 0, why);
}

/* By a file descriptor: PR_SET_PDEATHSIG would fire when only the thread of
 * slurmstepd ends that has started us. */
static int watch_parent(struct launch *l, struct err *err)
{
	l->parent = (struct loop_watch){
		.fd = (int)syscall(SYS_pidfd_open, getppid(), 0),
		.ready = on_parent_gone,
		.arg = l,
	};
	if (l->parent.fd < 0)
		return 0; /* Linux before 5.3 */
	return loop_watch(&l->loop, &l->parent, EPOLLIN, err);
}

static void close_parent(struct launch *l)
{
	loop_remove(&l->loop, &l->parent);
}

const struct part parent_part = {
	.name = "parent",
	.open = watch_parent,
	.close = close_parent,
};

/* --- all --- */

int launch_run(struct launch *l, const struct phase *const *phases,
	       const struct part *const *parts, struct err *err)
{
	if (bind_here(&l->plan, &l->bind, err) < 0)
		return -1;
	l->job.cores = share_of_task(&l->job, l->bind.ncores);
	if (!l->job.procid)
		l->job.cpus_bound = cpus_if_bound();
	if (request_word(&l->request, KEY_EXPLAIN) == EXPLAIN_ONLY)
		return phases_show(l, phases, err);
	find_members(l);
	if (loop_open(&l->loop, err) < 0 || parts_open(l, parts, err) < 0)
		return -1;
	phases_begin(l, phases);
	if (loop_run(&l->loop, err) < 0)
		return -1;
	return l->view.exit_code;
}

void launch_end(struct launch *l)
{
	parts_close(l);
	bind_clear(&l->bind);
	loop_close(&l->loop);
	own_lines_close(&l->own_lines);
}
