/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/procs/procs.h"

#include "helpers/conn/message.h"
#include "sys/left_signals.h"
#include "sys/orphans.h"
#include "sys/proc_file.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* slurmstepd sends a signal to one process of the step after the other, and on
 * a busy machine a worker may have ended before it is our turn. */
#define DOUBT_MS 500

#define REST_MS 5 /* between two looks at what is left */

int proc_exit_code(const struct proc *proc)
{
	return WIFSIGNALED(proc->status) ? 128 + WTERMSIG(proc->status)
					 : WEXITSTATUS(proc->status);
}

/* Whether the signal that ended a worker was sent to the whole step. A worker
 * may also catch that signal and exit with the code that stands for it. */
static bool was_sent_to_all(const struct proc *w)
{
	return signal_is_pending(proc_exit_code(w) - 128);
}

/* Whether it may turn out so. */
static bool may_be_sent_to_all(const struct proc *w)
{
	return !w->signalled && !was_sent_to_all(w) &&
	       signal_is_left(proc_exit_code(w) - 128);
}

static void tell_failure(struct procs *procs)
{
	procs->failed(procs->arg, was_sent_to_all(procs->first_failure));
}

unsigned procs_nsignalled(const struct procs *procs)
{
	unsigned n = 0;

	for (unsigned i = 0; i < procs->n; i++)
		n += procs->proc[i].signalled && !procs->proc[i].process.added;
	return n;
}

/* It goes on when the others are ended. */
static bool is_kept(const struct procs *procs, const struct proc *w)
{
	return procs->keeps_added && w->process.added;
}

/* The process that goes on, or 0. */
static pid_t kept_pid(const struct procs *procs)
{
	for (unsigned i = 0; i < procs->n; i++) {
		const struct proc *w = &procs->proc[i];

		if (w->pid > 0 && !w->ended && is_kept(procs, w))
			return w->pid;
	}
	return 0;
}

/* Nobody runs, except a process that goes on. */
static bool is_quiet(const struct procs *procs)
{
	return procs->running == (kept_pid(procs) ? 1 : 0);
}

/* Services have no last words, nor has a process that nobody told to end. */
static pid_t words_pid(void *arg, unsigned index)
{
	const struct procs *procs = arg;
	const struct proc *w = &procs->proc[index];

	if (!procs->hangs || !w->signalled || w->ended || w->process.added)
		return 0;
	return w->pid;
}

static void words_say(void *arg, unsigned index, const char *what, bool speaks)
{
	struct procs *procs = arg;

	procs->hangs(procs->arg, &procs->proc[index], what, speaks);
}

static const struct last_words_calls words = {words_pid, words_say};

static bool is_running(const struct proc *w)
{
	return w->started_ms && !w->ended;
}

/* Who still ignores SIGTERM has no use for the time until SIGKILL. One whose
 * pid isn't known gets it with its pid. */
static void end_one(const struct procs *procs, struct proc *w, int sig)
{
	w->signalled = true;
	if (!w->pid)
		return;
	kill(w->pid, sig);
	if (procs->ignore_term && sig == SIGTERM &&
	    proc_has_signal("", w->pid, "SigIgn", SIGTERM))
		kill(w->pid, SIGKILL);
}

static void send_next(void *arg)
{
	struct procs *procs = arg;
	int sig = procs->next_signal;

	for (unsigned i = 0; i < procs->n; i++) {
		struct proc *w = &procs->proc[i];

		if (is_running(w) && !is_kept(procs, w))
			end_one(procs, w, sig);
	}
	if (sig == SIGKILL) {
		last_words_stop(&procs->words);
		return;
	}
	procs->next_signal = SIGKILL;
	loop_arm(procs->loop, &procs->deadline, KILL_AFTER_S * 1000);
	last_words_in(&procs->words, procs->n, KILL_AFTER_S * 1000);
}

void procs_end(struct procs *procs, long after_s)
{
	uint64_t at = loop_now_ms() + (uint64_t)after_s * 1000;

	if (procs->next_signal == SIGKILL ||
	    (procs->deadline.armed && procs->deadline.at_ms <= at))
		return;
	procs->next_signal = SIGTERM;
	loop_arm(procs->loop, &procs->deadline, (uint64_t)after_s * 1000);
}

void procs_kill(struct procs *procs)
{
	loop_disarm(procs->loop, &procs->deadline);
	procs->next_signal = SIGKILL;
	send_next(procs);
}

bool procs_are_gone(const struct procs *procs)
{
	return !procs->running && !procs->rest.armed && !procs->doubt.armed;
}

bool procs_in_doubt(const struct procs *procs)
{
	return procs->doubt.armed;
}

static void disarm_end(struct procs *procs)
{
	loop_disarm(procs->loop, &procs->deadline);
	last_words_stop(&procs->words);
}

static void check_services(struct procs *procs)
{
	if (!procs->complete || procs->idle || !procs->running ||
	    procs->running > procs->services || procs->doubt.armed)
		return;
	procs->idle = true;
	if (is_quiet(procs)) {
		disarm_end(procs);
		procs->next_signal = 0;
		orphans_end(kept_pid(procs));
	}
	procs->only_services(procs->arg);
}

void procs_complete(struct procs *procs)
{
	procs->complete = true;
	check_services(procs);
}

static void end_doubt(void *arg)
{
	struct procs *procs = arg;

	loop_disarm(procs->loop, &procs->doubt);
	tell_failure(procs);
	check_services(procs);
	if (procs_are_gone(procs))
		procs->all_ended(procs->arg);
}

static bool is_any_left(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* What workers have left behind ends too. One that can't be ended hangs in a
 * driver, or has become root; with `to_the_last` it is waited for. */
static void end_rest(void *arg)
{
	struct procs *procs = arg;

	if (loop_now_ms() < procs->rest_until_ms && is_any_left())
		loop_arm(procs->loop, &procs->rest, REST_MS);
	else if (!procs->to_the_last)
		orphans_end(0);
	else if (orphans_kill(0))
		loop_arm(procs->loop, &procs->rest, REST_MS);
	if (procs_are_gone(procs))
		procs->all_ended(procs->arg);
}

static void note_failure(struct procs *procs, const struct proc *w)
{
	procs->first_failure = w;
	procs_end(procs, procs->grace_s);
	/* Others may be started before failed() returns */
	if (is_quiet(procs) && !procs->leave_ms)
		orphans_end(kept_pid(procs));
	if (may_be_sent_to_all(w))
		loop_arm(procs->loop, &procs->doubt, DOUBT_MS);
	else
		tell_failure(procs);
}

static void note_end(struct procs *procs, struct proc *w, int status)
{
	w->ended = true;
	w->ended_ms = loop_now_ms();
	w->status = status;
	procs->running--;
	procs->services -= w->process.service;
	if (procs->ended)
		procs->ended(procs->arg, w);
	if (!proc_exit_code(w) && !w->process.added)
		procs->succeeded(procs->arg, w);
	if (proc_exit_code(w) && !procs->first_failure)
		note_failure(procs, w);
}

static void note_child(struct procs *procs, pid_t pid, int status)
{
	for (unsigned i = 0; i < procs->n; i++) {
		struct proc *w = &procs->proc[i];

		if (w->pid == pid && !w->ended) {
			w->status = status;
			w->reaped = true;
		}
	}
}

/* One that the step gets, also where the worker has caught it. */
static bool ended_by_left_signal(const struct proc *w)
{
	return signal_is_left(proc_exit_code(w) - 128);
}

static bool ended_by_signal(const struct proc *w)
{
	return WIFSIGNALED(w->status);
}

/* Of those that waitpid() has given: it gives the eldest first, not who ended
 * first. Where some end by a signal, others, as they lose these, end by
 * themselves. */
static void note_ends(struct procs *procs, bool (*how)(const struct proc *w))
{
	for (unsigned i = 0; i < procs->n; i++) {
		struct proc *w = &procs->proc[i];

		if (w->reaped && !w->ended && (!how || how(w)))
			note_end(procs, w, w->status);
	}
}

/* After some have ended; so many ran before. */
static void look_who_is_left(struct procs *procs, unsigned running)
{
	check_services(procs);
	if (running && !procs->running) {
		disarm_end(procs);
		procs->rest_until_ms = loop_now_ms() + procs->leave_ms;
		end_rest(procs);
	}
}

/* Reap all that have ended, orphans of workers too. */
static void reap(void *arg, uint32_t events)
{
	struct procs *procs = arg;
	struct signalfd_siginfo info;
	unsigned running = procs->running;
	int status;
	pid_t pid;

	(void)events;
	while (read(procs->children.fd, &info, sizeof(info)) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		note_child(procs, pid, status);
	note_ends(procs, ended_by_left_signal);
	note_ends(procs, ended_by_signal);
	note_ends(procs, NULL);
	look_who_is_left(procs, running);
}

/* It stays pending, for was_sent_to_all(). */
static void on_told(void *arg, uint32_t events)
{
	struct procs *procs = arg;

	(void)events;
	loop_remove(procs->loop, &procs->told);
	procs->told_to_end(procs->arg);
	if (procs->doubt.armed)
		end_doubt(procs);
}

void procs_started(struct procs *procs, unsigned index,
		   const struct process *process, pid_t pid)
{
	procs->proc[index] = (struct proc){
		.process = *process,
		.pid = pid,
		.parent = getpid(),
		.started_ms = loop_now_ms(),
	};
	procs->running++;
	procs->services += process->service;
	procs->idle = false;
}

void procs_awaited(struct procs *procs, unsigned index,
		   const struct process *process)
{
	procs_started(procs, index, process, 0);
}

void procs_runs(struct procs *procs, unsigned index, pid_t pid)
{
	struct proc *w = &procs->proc[index];
	bool killed = procs->next_signal == SIGKILL && !procs->deadline.armed;
	struct proc_id id;

	if (!is_running(w) || w->pid)
		return;
	w->pid = pid;
	if (proc_id_read(pid, &id) == 0)
		w->parent = id.parent;
	if (w->signalled)
		end_one(procs, w, killed ? SIGKILL : SIGTERM);
}

void procs_has_ended(struct procs *procs, unsigned index, int status)
{
	unsigned running = procs->running;
	struct proc *w = &procs->proc[index];

	if (!is_running(w))
		return;
	note_end(procs, w, status);
	look_who_is_left(procs, running);
}

/* --- room for them: opened, used again for others, closed --- */

static int watch_told(struct procs *procs, struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	procs->told = (struct loop_watch){
		.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
		.ready = on_told,
		.arg = procs,
	};
	if (procs->told.fd < 0)
		return err_printf(err, "signalfd: %s", strerror(errno));
	return loop_watch(procs->loop, &procs->told, EPOLLIN, err);
}

int procs_open(struct procs *procs, struct loop *loop, unsigned n,
	       struct err *err)
{
	sigset_t chld;

	procs->loop = loop;
	procs->n = n;
	procs->proc = calloc(n ? n : 1, sizeof(*procs->proc));
	if (!procs->proc)
		return err_memory(err);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	procs->children = (struct loop_watch){
		.fd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK),
		.ready = reap,
		.arg = procs,
	};
	procs->deadline = (struct loop_timer){
		.expired = send_next,
		.arg = procs,
	};
	last_words_open(&procs->words, loop, &words, procs);
	procs->doubt = (struct loop_timer){.expired = end_doubt, .arg = procs};
	procs->rest = (struct loop_timer){.expired = end_rest, .arg = procs};
	if (procs->children.fd < 0)
		return err_printf(err, "signalfd: %s", strerror(errno));
	if (watch_told(procs, err) < 0)
		return -1;
	return loop_watch(loop, &procs->children, EPOLLIN, err);
}

static void reset(struct procs *procs)
{
	disarm_end(procs);
	loop_disarm(procs->loop, &procs->doubt);
	for (unsigned i = 0; i < procs->n; i++)
		if (!is_kept(procs, &procs->proc[i]))
			procs->proc[i] = (struct proc){0};
	procs->first_failure = NULL;
	procs->next_signal = 0;
	procs->complete = false;
}

int procs_again(struct procs *procs, unsigned n, struct err *err)
{
	struct proc *proc;

	if (n != procs->n) {
		proc = calloc(n ? n : 1, sizeof(*proc));
		if (!proc)
			return err_memory(err);
		free(procs->proc);
		procs->proc = proc;
		procs->n = n;
	}
	reset(procs);
	return 0;
}

void procs_close(struct procs *procs)
{
	if (!procs->proc)
		return;
	loop_remove(procs->loop, &procs->children);
	loop_remove(procs->loop, &procs->told);
	disarm_end(procs);
	loop_disarm(procs->loop, &procs->doubt);
	loop_disarm(procs->loop, &procs->rest);
	close_fd(&procs->children.fd);
	close_fd(&procs->told.fd);
	free(procs->proc);
	*procs = (struct procs){0};
}
