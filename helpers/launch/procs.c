/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/procs.h"

#include "helpers/channel/message.h"
#include "sys/orphans.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

void crew_leave_signals(void)
{
	static const int left_to_workers[] = {
		SIGHUP,	 SIGINT,  SIGQUIT, SIGTERM,  SIGUSR1, SIGUSR2,
		SIGALRM, SIGPROF, SIGURG,  SIGWINCH, SIGXCPU, SIGVTALRM,
	};
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(left_to_workers) / sizeof(int); i++)
		sigaddset(&blocked, left_to_workers[i]);
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	for (size_t i = 0; i < sizeof(left_to_workers) / sizeof(int); i++)
		signal(left_to_workers[i], SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* Whether the signal that ended a worker was sent to the whole step: then it
 * waits here too. */
static bool was_sent_to_all(int status)
{
	sigset_t pending;

	return WIFSIGNALED(status) && sigpending(&pending) == 0 &&
	       sigismember(&pending, WTERMSIG(status)) == 1;
}

int worker_exit_code(const struct worker *worker)
{
	return WIFSIGNALED(worker->status) ? 128 + WTERMSIG(worker->status)
					   : WEXITSTATUS(worker->status);
}

unsigned crew_nsignalled(const struct crew *crew)
{
	unsigned n = 0;

	for (unsigned i = 0; i < crew->n; i++)
		n += crew->worker[i].signalled &&
		     !crew->worker[i].process.added;
	return n;
}

static void send_next_signal(void *arg)
{
	struct crew *crew = arg;
	int sig = crew->next_signal;

	for (unsigned i = 0; i < crew->n; i++) {
		struct worker *w = &crew->worker[i];

		if (w->pid > 0 && !w->ended) {
			w->signalled = true;
			kill(w->pid, sig);
		}
	}
	if (sig == SIGKILL)
		return;
	crew->next_signal = SIGKILL;
	loop_arm(crew->loop, &crew->deadline, KILL_AFTER_S * 1000);
}

void crew_end(struct crew *crew, long after_s)
{
	uint64_t at = loop_now_ms() + (uint64_t)after_s * 1000;

	if (crew->next_signal == SIGKILL ||
	    (crew->deadline.armed && crew->deadline.at_ms <= at))
		return;
	crew->next_signal = SIGTERM;
	loop_arm(crew->loop, &crew->deadline, (uint64_t)after_s * 1000);
}

static void check_services(struct crew *crew)
{
	if (!crew->complete || crew->idle || !crew->running ||
	    crew->running > crew->services)
		return;
	crew->idle = true;
	crew->only_services(crew->arg);
}

void crew_complete(struct crew *crew)
{
	crew->complete = true;
	check_services(crew);
}

static void note_end(struct crew *crew, pid_t pid, int status)
{
	for (unsigned i = 0; i < crew->n; i++) {
		struct worker *w = &crew->worker[i];

		if (w->pid != pid || w->ended)
			continue;
		w->ended = true;
		w->ended_ms = loop_now_ms();
		w->status = status;
		crew->running--;
		crew->services -= w->process.service;
		if (crew->ended && !w->process.added)
			crew->ended(crew->arg, w);
		if (!worker_exit_code(w) && !w->process.added)
			crew->succeeded(crew->arg, w);
		if (worker_exit_code(w) && !crew->first_failure) {
			crew->first_failure = w;
			crew_end(crew, crew->grace_s);
			/* Others may be started before failed() returns */
			if (!crew->running)
				orphans_end();
			crew->failed(crew->arg, was_sent_to_all(status));
		}
	}
}

/* Reap all that have ended, orphans of workers too. */
static void reap(void *arg, uint32_t events)
{
	struct crew *crew = arg;
	struct signalfd_siginfo info;
	unsigned running = crew->running;
	int status;
	pid_t pid;

	(void)events;
	while (read(crew->children.fd, &info, sizeof(info)) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		note_end(crew, pid, status);
	check_services(crew);
	if (running && !crew->running) {
		loop_disarm(crew->loop, &crew->deadline);
		orphans_end(); /* what workers have left behind */
		crew->all_ended(crew->arg);
	}
}

/* It stays pending, for was_sent_to_all(). */
static void told(void *arg, uint32_t events)
{
	struct crew *crew = arg;

	(void)events;
	loop_remove(crew->loop, &crew->told);
	crew->told_to_end(crew->arg);
}

static int watch_told(struct crew *crew, struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	crew->told = (struct loop_watch){
		.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
		.ready = told,
		.arg = crew,
	};
	if (crew->told.fd < 0)
		return err_printf(err, "signalfd: %s", strerror(errno));
	return loop_watch(crew->loop, &crew->told, EPOLLIN, err);
}

int crew_open(struct crew *crew, struct loop *loop, unsigned n, struct err *err)
{
	sigset_t chld;

	crew->loop = loop;
	crew->n = n;
	crew->worker = calloc(n ? n : 1, sizeof(*crew->worker));
	if (!crew->worker)
		return err_memory(err);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	crew->children = (struct loop_watch){
		.fd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK),
		.ready = reap,
		.arg = crew,
	};
	crew->deadline = (struct loop_timer){
		.expired = send_next_signal,
		.arg = crew,
	};
	if (crew->children.fd < 0)
		return err_printf(err, "signalfd: %s", strerror(errno));
	if (watch_told(crew, err) < 0)
		return -1;
	return loop_watch(loop, &crew->children, EPOLLIN, err);
}

void crew_reset(struct crew *crew)
{
	loop_disarm(crew->loop, &crew->deadline);
	memset(crew->worker, 0, crew->n * sizeof(*crew->worker));
	crew->first_failure = NULL;
	crew->next_signal = 0;
	crew->complete = false;
}

void crew_started(struct crew *crew, unsigned index,
		  const struct process *process, pid_t pid)
{
	crew->worker[index] = (struct worker){
		.process = *process,
		.pid = pid,
		.started_ms = loop_now_ms(),
	};
	crew->running++;
	crew->services += process->service;
	crew->idle = false;
}

void crew_close(struct crew *crew)
{
	if (!crew->worker)
		return;
	loop_remove(crew->loop, &crew->children);
	loop_remove(crew->loop, &crew->told);
	loop_disarm(crew->loop, &crew->deadline);
	if (crew->children.fd >= 0)
		close(crew->children.fd);
	if (crew->told.fd >= 0)
		close(crew->told.fd);
	free(crew->worker);
	*crew = (struct crew){0};
}
