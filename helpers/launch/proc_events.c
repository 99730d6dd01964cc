/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens to this node's processes, told to the arbiter and the timeline;
 * and the report of the step's first failure.
 */
#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "core/plan/framework.h"
#include "helpers/ending/ending.h"
#include "helpers/keepers/keepers.h"
#include "helpers/launch/launch.h"
#include "helpers/node/oom.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/note.h"
#include "helpers/part/part.h"
#include "helpers/round/round.h"
#include "sys/left_signals.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

/* mpirun ends before its daemons have removed their files; the far end of each
 * lives as long as its srun, which mpirun leaves to us. */
#define LEAVE_MS 2000

/* Workers of a step that say where they are, without log files. */
#define WORDS_MAX    64U
#define WORDS_NODES  8U	  /* that take turns */
#define WORDS_ALL_MS 700U /* for all nodes */

static bool has_log_files(const struct launch *l)
{
	return l->view.output && request_text(&l->request, KEY_LOG_DIR);
}

/* Its last lines, if they went to a file and not to the terminal. */
static const char *unseen_lines(struct launch *l, const struct proc *w)
{
	if (!has_log_files(l) ||
	    (w->process.added &&
	     l->plan.start_command)) /* the script has ours */
		return "";
	return output_last_lines(l->view.output, (unsigned)(w - l->procs.proc));
}

/* What starts the worlds of a step with roles has said which of them failed. */
static bool said_itself(const struct launch *l, const struct proc *w)
{
	return l->request.framework->program_is_file && WIFEXITED(w->status);
}

/* For the caller to free; NULL: there is nothing to say. */
static char *report_text(struct launch *l)
{
	const struct proc *w = l->procs.first_failure;
	char path[ERROR_FILE_SIZE], exception[400] = "";
	struct text_stream stream;
	struct report_facts facts;
	FILE *f;

	if (!w || said_itself(l, w))
		return NULL;
	f = text_stream_open(&stream);
	if (!f)
		return NULL;
	if (!w->process.added) {
		launch_error_file(l, w->process.rank, path, sizeof(path));
		error_file_read(path, exception, sizeof(exception));
	}
	facts = (struct report_facts){
		.only_here = launch_no_channel(l),
		.out_of_memory = oom_kills("") > l->oom_kills,
		.last_lines = unseen_lines(l, w),
		.exception = exception,
	};
	report_first_failure(f, node_tasks_plan(l, w), w, &facts);
	return text_stream_take(&stream);
}

/* Nobody else has failed before, and the step is over when that is told: then
 * nobody takes a note any more. */
static bool is_alone(const struct launch *l)
{
	return l->view.members->ntasks == 1;
}

static void note_report(struct launch *l)
{
	cleanup_free char *text = report_text(l);

	if (text && *text)
		note_text(l, MARK_REPORT, l->job.node_name, text);
}

/* MSG_REPORT: our first failure was the first one of the step, as far as anyone
 * knows. */
static void report(struct launch *l, const char *unused)
{
	cleanup_free char *text = report_text(l);

	(void)unused;
	if (!text || !*text)
		return;
	launch_say(l, text);
	if (!is_alone(l))
		note_text(l, MARK_REPORT, l->job.node_name, text);
}

static void on_failed(void *arg, bool sent_to_all)
{
	struct launch *l = arg;
	const struct proc *w = l->procs.first_failure;
	enum failed_how how = FAILED;
	char text[64];

	if (l->plan.resolved.recovery && w->signalled)
		return; /* it was told to end */
	if (sent_to_all && !signals_told_to_end())
		ending_note(l, proc_exit_code(w) - 128);
	if (sent_to_all)
		how = FAILED_BY_SIGNAL;
	else if (child_was_not_executed())
		how = FAILED_TO_START;
	if (how != FAILED_BY_SIGNAL && is_alone(l))
		note_report(l);
	snprintf(text, sizeof(text), "%u %d %llu %d", l->job.round,
		 proc_exit_code(w),
		 (unsigned long long)(loop_now_ms() - w->ended_ms), how);
	launch_send(l, MSG_FAILED, text);
	if (l->plan.resolved.recovery)
		node_fault_check(l, w);
}

static void on_succeeded(void *arg, const struct proc *w)
{
	struct launch *l = arg;
	char text[HOSTLIST_NAME_MAX + 64];

	if (!l->plan.resolved.early_exit_fails)
		return;
	snprintf(text, sizeof(text), "%u rank %u (%s) on %s", l->job.round,
		 w->process.rank, role_name(w->process.role), l->job.node_name);
	launch_send(l, MSG_EARLY, text);
}

static void on_ended(void *arg, const struct proc *w)
{
	parts_ended(arg, w);
}

static void on_only_services(void *arg)
{
	struct launch *l = arg;
	char text[16];

	snprintf(text, sizeof(text), "%u", l->job.round);
	launch_send(l, MSG_IDLE, text);
}

static void on_all_ended(void *arg)
{
	struct launch *l = arg;
	char text[32];

	if (node_fault_asks(l))
		return;
	script_check_ended(l);
	snprintf(text, sizeof(text), "%u %u", l->job.round,
		 procs_nsignalled(&l->procs));
	launch_send(l, MSG_ENDED, text);
	round_check(l);
}

static void on_told_to_end(void *arg)
{
	struct launch *l = arg;
	char text[64];

	ending_note(l, signals_told_to_end());
	session_told_to_end(l->view.session);
	snprintf(text, sizeof(text), "%d %d %u %u", signal_is_pending(SIGTERM),
		 signal_is_pending(SIGINT), l->job.first,
		 l->job.component_tasks);
	launch_send(l, MSG_TOLD, text);
	if (!signal_is_pending(SIGTERM))
		return;
	ending_told(l);
}

static void on_hangs(void *arg, const struct proc *w, const char *what,
		     bool speaks)
{
	struct launch *l = arg;
	const char *after = "";
	cleanup_free char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	if (speaks)
		after = has_log_files(l) ? "; its stacks are in its log file"
					 : "; its stacks follow";
	report_hang(f, node_tasks_plan(l, w), w, what, after);
	if (fclose(f) != 0)
		return;
	launch_say(l, text);
	note_text(l, MARK_SAID, l->job.node_name, text);
}

/* Many stacks on one terminal would bury what has gone wrong first. */
static unsigned words_max(const struct launch *l)
{
	const unsigned nnodes = l->plan.nnodes;

	if (has_log_files(l) || !nnodes)
		return UINT_MAX;
	return WORDS_MAX > nnodes ? WORDS_MAX / nnodes : 1;
}

/* One node after the other, where they share a terminal and are few. */
static unsigned words_after_ms(const struct launch *l)
{
	const struct plan *plan = &l->plan;

	if (has_log_files(l) || plan->nnodes > WORDS_NODES ||
	    plan->node_rank >= plan->nnodes)
		return 0;
	return plan->node_rank * WORDS_ALL_MS / plan->nnodes;
}

/* --- the part --- */

/* Room for the plan's processes, the service, the script, the node's tasks. */
static int open(struct launch *l, struct err *err)
{
	const struct plan *plan = &l->plan;

	l->procs.grace_s = request_seconds(&l->request, KEY_GRACE);
	l->procs.keeps_added = plan->nreplicas;
	l->procs.to_the_last = plan->resolved.recovery;
	l->procs.ignore_term = plan->resolved.end_signal.number;
	if (plan->resolved.run_first)
		l->procs.leave_ms = LEAVE_MS;
	l->procs.failed = on_failed;
	l->procs.ended = on_ended;
	l->procs.succeeded = on_succeeded;
	l->procs.all_ended = on_all_ended;
	l->procs.told_to_end = on_told_to_end;
	l->procs.only_services = on_only_services;
	l->procs.hangs = on_hangs;
	l->procs.words.max = words_max(l);
	l->procs.words.after_ms = words_after_ms(l);
	l->procs.arg = l;
	l->oom_kills = oom_kills("");
	return procs_open(&l->procs, &l->loop, launch_count_procs(l), err);
}

static int open_again(struct launch *l, struct err *err)
{
	l->oom_kills = oom_kills("");
	return procs_again(&l->procs, launch_count_procs(l), err);
}

static void close_procs(struct launch *l)
{
	procs_close(&l->procs);
}

/* MSG_DONE: all workers have ended; services, too, then. */
static void on_done(struct launch *l, const char *text)
{
	(void)text;
	l->procs.keeps_added = false;
	parts_leave(l);
	if (!script_answer(l))
		procs_end(&l->procs, 0);
}

/* MSG_END: SECONDS [1]: end all after that, or all but a service that is to go
 * on; without processes that is now. */
static void on_end(struct launch *l, const char *text)
{
	long after_s = 0, keep = 0;

	message_number(&text, 0, AFTER_MAX_S, &after_s);
	message_number(&text, 0, 1, &keep);
	l->procs.keeps_added = keep;
	parts_leave(l);
	if (keep && l->procs.idle)
		return; /* as has been told */
	if (l->procs.running)
		procs_end(&l->procs, after_s);
	else if (procs_are_gone(&l->procs))
		l->procs.all_ended(l->procs.arg);
}

const struct part procs_part = {
	.name = "procs",
	.open = open,
	.again = open_again,
	.close = close_procs,
	.messages =
		(const struct part_message[]){
			{MSG_REPORT, report},
			{MSG_DONE, on_done},
			{MSG_END, on_end},
			{0},
		},
};
