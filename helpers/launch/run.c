/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/run.h"

#include "core/facts/share_cores.h"
#include "core/plan/framework.h"
#include "helpers/ending/common_fault.h"
#include "helpers/ending/ending.h"
#include "helpers/keepers/node_tasks.h"
#include "helpers/launch/address.h"
#include "helpers/launch/check_phase/check_step.h"
#include "helpers/launch/launch.h"
#include "helpers/launch/launch_recorders.h"
#include "helpers/launch/note.h"
#include "helpers/launch/phases.h"
#include "helpers/launch/proc_events.h"
#include "helpers/launch/script.h"
#include "helpers/launch/step.h"
#include "helpers/launch/table.h"
#include "helpers/look/look.h"
#include "helpers/round/node_fault.h"
#include "helpers/round/round.h"
#include "helpers/round/round_note.h"
#include "helpers/watch/watch.h"
#include "sys/cpus.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- what the arbiter says --- */

/* CODE */
static void leave(struct launch *l, const char *text)
{
	long code = EXIT_FAILURE;

	message_number(&text, 0, UCHAR_MAX, &code);
	note_end(l, (int)code);
	launch_leave(l, (int)code);
}

/* SECONDS [1]: end all after that, or all but a service that is to go on;
 * without processes that is now. */
static void end_processes(struct launch *l, const char *text)
{
	long after_s = 0, keep = 0;

	message_number(&text, 0, AFTER_MAX_S, &after_s);
	message_number(&text, 0, 1, &keep);
	l->procs.keeps_added = keep;
	script_step_ends(l);
	watch_leave(l->watch);
	round_leave(l);
	if (keep && l->procs.idle)
		return; /* as has been told */
	if (l->procs.running)
		procs_end(&l->procs, after_s);
	else if (procs_are_gone(&l->procs))
		l->procs.all_ended(l->procs.arg);
}

/* A new life of all processes, with a plan of its own: the port differs. */
static void begin_round(struct launch *l, unsigned round)
{
	struct err err;

	l->job.round = round;
	note_round(l);
	procs_reset(&l->procs);
	if (input_again(l->input, &err) < 0 || launch_plan_again(l, &err) < 0)
		launch_fail(l, err.text);
	else
		phases_begin_round(l);
}

/* ROUND [ADDRESS] */
static void go_on(struct launch *l, const char *text)
{
	struct err err;
	long round;

	if (message_number(&text, 0, INT_MAX, &round) < 0 ||
	    (l->plan.resolved.recovery && round != l->job.round))
		return;
	if (round > l->job.round)
		begin_round(l, (unsigned)round);
	else if (address_learn(l, text, &err) < 0)
		launch_fail(l, err.text);
	else
		phases_all_done(l);
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	struct launch *l = arg;

	switch ((enum message)type) {
	case MSG_REPORT:
		proc_events_report(l);
		break;
	case MSG_DONE:
		l->procs.keeps_added = false;
		watch_leave(l->watch);
		if (!script_answer(l))
			procs_end(&l->procs, 0);
		break;
	case MSG_END:
		end_processes(l, data);
		break;
	case MSG_GO:
		go_on(l, data);
		break;
	case MSG_ROUND:
		round_begin(l, data);
		break;
	case MSG_FENCE:
		watch_leave(l->watch);
		round_fence(l);
		break;
	case MSG_LEAVE:
		leave(l, data);
		break;
	case MSG_GATHERED:
		table_keep(l, data, n);
		phases_message(l, type, data, n);
		break;
	case MSG_LOOK:
		look_message(l, data);
		break;
	default:
		phases_message(l, type, data, n);
		break;
	}
}

/* --- opening --- */

static void on_say(void *arg, const char *lines)
{
	launch_say(arg, lines);
	note_said(arg, lines);
}

static void on_check(void *arg, unsigned member, const char *text)
{
	check_step_hear(arg, member, text);
}

static void on_quiet(void *arg, unsigned member, const char *text)
{
	struct launch *l = arg;

	watch_hear(l->watch, member, text);
}

static void on_end_time(void *arg, int64_t seconds)
{
	struct launch *l = arg;

	ending_time(l->ending, seconds);
}

static void on_output_drained(void *arg)
{
	struct launch *l = arg;

	loop_stop(&l->loop);
}

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

/* Its places are in the order of the world, the first of them task 0's. */
static void find_members(struct launch *l)
{
	struct by_node *b = &l->by_node;

	l->members = l->step;
	if (!l->plan.resolved.node_launcher)
		return;
	b->job = l->job;
	b->job.ntasks = l->job.nnodes;
	b->job.procid = l->plan.node_rank;
	b->job.localid = 0;
	b->job.local_ntasks = 1;
	snprintf(b->tasks, sizeof(b->tasks), "1(x%u)", l->job.nnodes);
	b->job.tasks = b->tasks;
	b->job.taskmap = NULL;
	l->members = &b->job;
}

static int open_session(struct launch *l, struct err *err)
{
	struct session_options options = {
		.loop = &l->loop,
		.plan = &l->plan,
		.job = l->members,
		.config = &l->config,
		.met = &l->met,
		.needs_go = l->plan.needs_go,
		.recovery = l->plan.resolved.recovery,
		.message = on_message,
		.say = on_say,
		.check = on_check,
		.quiet = on_quiet,
		.visits = look_visits(l->look),
		.notes = note_calls(l),
		.end_time = on_end_time,
		.arg = l,
	};

	l->session = session_open(&options, err);
	return l->session ? 0 : -1;
}

/* Make the folder for files if the step has a use for it. A rank table,
 * services and metrics need it: without it they fail. torch's error files are
 * optional. */
static int make_run_dir(struct launch *l, struct err *err)
{
	unsigned needs = l->plan.resolved.needs;
	bool hosts = needs & NEEDS_HOST_FILE && l->plan.nprocs;
	bool needed = l->plan.needs_go || hosts || l->plan.resolved.metrics ||
		      l->plan.resolved.end_signal.number;
	struct host_files *files = &l->made.host_files;
	int rc = 0;

	if (needed || (needs & NEEDS_ERROR_FILE) || l->plan.resolved.recorders)
		rc = run_dir_make(&l->run_dir, l->config.rundir, l->step, err);
	if (rc == 0 && hosts)
		rc = host_files_make(l->run_dir.path, &l->plan, files, err);
	host_files_tell(files, &l->plan);
	recorders_tell(l);
	return needed ? rc : 0;
}

static int open_all(struct launch *l, struct err *err)
{
	if (make_run_dir(l, err) < 0 || loop_open(&l->loop, err) < 0 ||
	    node_tasks_open(l, err) < 0 || proc_events_open(l, err) < 0 ||
	    timeline_open(&l->timeline, &l->plan, l->step->nodeid, err) < 0 ||
	    output_open(&l->loop, &l->plan, &l->timeline, on_output_drained, l,
			&l->output, err) < 0 ||
	    launch_input(l, err) < 0 || look_open(l, err) < 0 ||
	    watch_open(l, err) < 0 || open_session(l, err) < 0 ||
	    ending_open(l, &l->ending, err) < 0)
		return -1;
	note_begin(l);
	if (l->plan.resolved.recovery)
		round_note(l, &(struct places){0});
	return watch_parent(l, err);
}

int launch_run(struct launch *l, struct err *err)
{
	if (bind_here(&l->plan, &l->bind, err) < 0)
		return -1;
	l->job.cores = share_of_task(&l->job, l->bind.ncores);
	if (!l->job.procid)
		l->job.cpus_bound = cpus_if_bound();
	if (request_word(&l->request, KEY_EXPLAIN) == EXPLAIN_ONLY)
		return phases_show(l, launch_phases, err);
	find_members(l);
	if (open_all(l, err) < 0)
		return -1;
	phases_begin(l, launch_phases);
	if (loop_run(&l->loop, err) < 0)
		return -1;
	return l->exit_code;
}

void launch_end(struct launch *l)
{
	loop_remove(&l->loop, &l->parent);
	node_tasks_end(l);
	note_close(l);
	phases_end(l);
	watch_close(l->watch);
	look_close(l->look); /* ends a sight of l->ending */
	ending_close(l->ending);
	session_close(l->session);
	common_fault_end(l);
	node_fault_forget(l);
	recorders_keep(l);
	run_dir_remove(&l->run_dir);
	input_close(l->input);
	output_close(l->output);
	timeline_close(&l->timeline);
	procs_close(&l->procs);
	bind_clear(&l->bind);
	loop_close(&l->loop);
	own_lines_close(&l->own_lines);
}
