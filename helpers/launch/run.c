/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/launch.h"

#include "core/base/cleanup.h"
#include "core/base/hostlist.h"
#include "core/facts/share_cores.h"
#include "core/plan/framework.h"
#include "core/plan/plan_make.h"
#include "helpers/launch/error_file.h"
#include "helpers/launch/report.h"
#include "helpers/node/oom.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

void launch_say(struct launch *l, const char *lines)
{
	if (l->output)
		output_say(l->output, lines);
	else
		fputs(lines, stderr);
}

static void say(void *arg, const char *lines)
{
	launch_say(arg, lines);
}

void launch_send(struct launch *l, enum message type, const char *text)
{
	session_send(l->session, (char)type, text, strlen(text));
}

/* What it wrote last, where nobody has seen it. */
static const char *unseen_lines(struct launch *l, const struct proc *w)
{
	if (!l->output || !request_text(&l->request, KEY_LOG_DIR) ||
	    (w->process.added &&
	     l->plan.start_command)) /* the script has ours */
		return "";
	return output_last_lines(l->output, (unsigned)(w - l->procs.proc));
}

/* Ours was the first failure of the step, as far as anyone knows. */
static void report(struct launch *l)
{
	const struct proc *w = l->procs.first_failure;
	char path[PATH_MAX + 32], exception[400];
	cleanup_free char *text = NULL;
	struct report_facts facts;
	const char *why;
	size_t size;
	FILE *f = w ? open_memstream(&text, &size) : NULL;

	if (!f)
		return;
	launch_error_file(l, (unsigned)(w - l->procs.proc), path);
	facts = (struct report_facts){
		.only_here = session_no_channel(l->session, &why),
		.out_of_memory = oom_kills("") > l->oom_kills,
		.last_lines = unseen_lines(l, w),
		.exception =
			error_file_read(path, exception, sizeof(exception)),
	};
	report_first_failure(f, &l->plan, w, &facts);
	if (fclose(f) == 0 && *text)
		say(l, text);
}

static void failed(void *arg, bool sent_to_all)
{
	struct launch *l = arg;
	const struct proc *w = l->procs.first_failure;
	char text[64];

	snprintf(text, sizeof(text), "%u %d %llu %d", l->round,
		 proc_exit_code(w),
		 (unsigned long long)(loop_now_ms() - w->ended_ms),
		 sent_to_all);
	launch_send(l, MSG_FAILED, text);
}

static void succeeded(void *arg, const struct proc *w)
{
	struct launch *l = arg;
	char text[HOSTLIST_NAME_MAX + 64];

	if (request_word(&l->request, KEY_EARLY_EXIT) != EARLY_EXIT_FAIL)
		return;
	snprintf(text, sizeof(text), "%u rank %u (%s) on %s", l->round,
		 w->process.rank, role_name(w->process.role), l->job.node_name);
	launch_send(l, MSG_EARLY, text);
}

static void ended(void *arg, const struct proc *w)
{
	struct launch *l = arg;

	timeline_ended(&l->timeline, &l->plan, &w->process, w->status,
		       w->signalled);
}

static void only_services(void *arg)
{
	struct launch *l = arg;
	char text[16];

	snprintf(text, sizeof(text), "%u", l->round);
	launch_send(l, MSG_IDLE, text);
}

static void all_ended(void *arg)
{
	struct launch *l = arg;
	char text[32];

	launch_script_ended(l);
	snprintf(text, sizeof(text), "%u %u", l->round,
		 procs_nsignalled(&l->procs));
	launch_send(l, MSG_ENDED, text);
}

static void told_to_end(void *arg)
{
	struct launch *l = arg;

	session_told_to_end(l->session);
}

static void all_drained(void *arg)
{
	struct launch *l = arg;

	loop_stop(&l->loop);
}

static void leave(struct launch *l, const char *code)
{
	long number = EXIT_FAILURE;

	message_number(&code, 0, UCHAR_MAX, &number);
	l->exit_code = (int)number;
	if (l->output)
		output_finish(l->output);
	else
		loop_stop(&l->loop);
}

/* End all after that many seconds; without processes that is now. */
static void end(struct launch *l, const char *seconds)
{
	long after_s = 0;

	message_number(&seconds, 0, AFTER_MAX_S, &after_s);
	l->script.ending = true;
	if (l->procs.running)
		procs_end(&l->procs, after_s);
	else
		all_ended(l);
}

void launch_stop(struct launch *l, int code, long after_s, const char *why)
{
	cleanup_free char *text = NULL;

	if (asprintf(&text, "%d %ld %s", code, after_s, why) >= 0)
		launch_send(l, MSG_STOP, text);
	if (l->procs.running)
		procs_end(&l->procs, after_s);
}

/* slurmstepd is gone: nobody would end this node's processes, and Slurm learns
 * of it late or never. */
static void parent_gone(void *arg, uint32_t events)
{
	struct launch *l = arg;
	char why[512];

	(void)events;
	loop_remove(&l->loop, &l->parent);
	snprintf(why, sizeof(why), "slurmstepd on %s was killed",
		 l->job.node_name);
	launch_send(l, MSG_ORPHAN, "");
	launch_stop(l, 128 + SIGKILL, 0, why);
}

/* By a file descriptor: PR_SET_PDEATHSIG would fire when only the thread of
 * slurmstepd ends that has started us. */
static int watch_parent(struct launch *l, struct err *err)
{
	l->parent = (struct loop_watch){
		.fd = (int)syscall(SYS_pidfd_open, getppid(), 0),
		.ready = parent_gone,
		.arg = l,
	};
	if (l->parent.fd < 0)
		return 0; /* Linux before 5.3 */
	return loop_watch(&l->loop, &l->parent, EPOLLIN, err);
}

/* When one can't be started, the step fails. */
static void start(struct launch *l)
{
	struct err err;
	char up[16];

	snprintf(up, sizeof(up), "%u", l->plan.nprocs);
	if (launch_start(l, &err) == 0) {
		launch_send(l, MSG_UP, up);
		procs_complete(&l->procs);
		if (!l->plan.nprocs)
			all_ended(l); /* it only waits for the others */
		return;
	}
	launch_stop(l, EXIT_FAILURE, 0, err.text);
}

int launch_plan_again(struct launch *l, struct err *err)
{
	if (plan_make(&l->request, &l->config, &l->job, &l->plan, err) < 0)
		return -1;
	l->plan.rank_table = *l->rank_table ? l->rank_table : NULL;
	l->plan.secret = *l->secret ? l->secret : NULL;
	host_files_tell(&l->host_files, &l->plan);
	return 0;
}

/* A new life of all processes, with a plan of its own: the port differs. */
static int plan_round(struct launch *l, unsigned round, struct err *err)
{
	l->round = l->job.round = round;
	procs_reset(&l->procs);
	return launch_plan_again(l, err);
}

static void go(struct launch *l, const char *text)
{
	struct err err;
	long round;
	int rc;

	if (message_number(&text, 0, INT_MAX, &round) < 0)
		return;
	rc = launch_table_check(l, &err);
	if (rc == 0)
		rc = round > 0 ? plan_round(l, (unsigned)round, &err)
			       : launch_learn_address(l, text, &err);
	if (rc == 0 && round == 0)
		rc = launch_next_service(l, &err);
	if (rc == 0 && round == 0 && l->plan.start_command)
		rc = launch_script(l, &err) < 0 ? -1 : 1;
	if (rc < 0)
		launch_stop(l, EXIT_FAILURE, 0, err.text);
	else if (rc == 0)
		start(l);
}

/* A script has said what all run. */
static void run(struct launch *l, const char *data, size_t n)
{
	struct err err;

	if (launch_exec_request(l, data, n, &err) < 0)
		launch_stop(l, EXIT_FAILURE, 0, err.text);
	else
		start(l);
	shim_server_close_output(&l->script.shim);
}

/* --- before anything starts --- */

/* What the processes need of this node. */
static void prepare(struct launch *l)
{
	if (l->plan.needs_go)
		launch_serve(l);
	else
		start(l);
}

/* Find what only this node knows, and start, or ask for what others know. */
static void begin(struct launch *l)
{
	struct err err;
	int rc = 0;

	if (l->plan.npu)
		rc = npu_task_find(&l->plan, &l->npus, &err);
	if (rc < 0)
		launch_stop(l, EXIT_FAILURE, 0, err.text);
	else if (launch_cannot_learn(l, &err))
		launch_common_fault(l, &err);
	else if (l->plan.needs_table)
		launch_table_begin(l);
	else
		prepare(l);
}

/* --- what the arbiter says --- */

static void message(void *arg, char type, const char *data, size_t n)
{
	struct launch *l = arg;

	switch ((enum message)type) {
	case MSG_REPORT:
		report(l);
		break;
	case MSG_DONE:
		if (!launch_script_done(l))
			procs_end(&l->procs, 0);
		break;
	case MSG_EXEC_ALL:
		run(l, data, n);
		break;
	case MSG_END:
		end(l, data);
		break;
	case MSG_GATHERED:
		launch_table_facts(l, data, n);
		break;
	case MSG_GO:
		go(l, data);
		break;
	case MSG_LEAVE:
		leave(l, data);
		break;
	default:
		break;
	}
}

static int open_team(struct launch *l, struct err *err)
{
	struct session_options options = {
		.loop = &l->loop,
		.plan = &l->plan,
		.config = &l->config,
		.needs_go = l->plan.needs_go,
		.message = message,
		.say = say,
		.arg = l,
	};

	l->session = session_open(&options, err);
	return l->session ? 0 : -1;
}

int launch_run(struct launch *l, struct err *err)
{
	l->procs.grace_s = request_seconds(&l->request, KEY_GRACE);
	l->procs.failed = failed;
	l->procs.ended = ended;
	l->procs.succeeded = succeeded;
	l->procs.all_ended = all_ended;
	l->procs.told_to_end = told_to_end;
	l->procs.only_services = only_services;
	l->procs.arg = l;
	if (bind_here(&l->plan, &l->bind, err) < 0)
		return -1;
	l->job.cores = share_of_task(&l->job, l->bind.ncores);
	if (request_word(&l->request, KEY_EXPLAIN) == EXPLAIN_ONLY)
		return launch_explain(l, err);
	l->oom_kills = oom_kills("");
	if (launch_folder(l, err) < 0)
		return -1;
	host_files_tell(&l->host_files, &l->plan);
	if (loop_open(&l->loop, err) < 0 ||
	    procs_open(&l->procs, &l->loop,
		       l->plan.nprocs + l->plan.service.here +
			       (l->plan.start_command != NULL),
		       err) < 0 ||
	    timeline_open(&l->timeline, &l->plan, err) < 0 ||
	    output_open(&l->loop, &l->plan, &l->timeline, all_drained, l,
			&l->output, err) < 0 ||
	    open_team(l, err) < 0 || watch_parent(l, err) < 0)
		return -1;
	begin(l);
	if (loop_run(&l->loop, err) < 0)
		return -1;
	return l->exit_code;
}

void launch_end(struct launch *l)
{
	loop_remove(&l->loop, &l->parent);
	launch_service_end(l);
	launch_script_end(l);
	session_close(l->session);
	launch_table_close(l);
	run_dir_remove(&l->run_dir);
	output_close(l->output);
	timeline_close(&l->timeline);
	procs_close(&l->procs);
	bind_clear(&l->bind);
	loop_close(&l->loop);
}
