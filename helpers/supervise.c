/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/supervise.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#define KILL_WAIT_S 5 /* between SIGTERM and SIGKILL */

struct supervision {
	pid_t *pids;
	unsigned n, running;
	int exit_code;
	int next_signal; /* to those that still run, at `deadline`; 0: none */
	struct timespec deadline;
};

void supervise_begin(void)
{
	static const int left_to_children[] = {
		SIGHUP,	  SIGINT,  SIGQUIT,   SIGTERM, SIGUSR1,
		SIGUSR2,  SIGALRM, SIGVTALRM, SIGPROF, SIGURG,
		SIGWINCH, SIGPIPE, SIGXCPU,
	};
	sigset_t chld;

	for (size_t i = 0;
	     i < sizeof(left_to_children) / sizeof(*left_to_children); i++)
		signal(left_to_children[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static void set_deadline(struct supervision *s, int signal, long seconds)
{
	clock_gettime(CLOCK_MONOTONIC, &s->deadline);
	s->deadline.tv_sec += seconds;
	s->next_signal = signal;
}

static int code_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

static void note_end(struct supervision *s, pid_t pid, int status, long grace_s)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (s->pids[i] != pid)
			continue;
		s->pids[i] = 0;
		s->running--;
		if (code_of(status) && !s->exit_code) {
			s->exit_code = code_of(status);
			set_deadline(s, SIGTERM, grace_s);
		}
	}
}

static void signal_all(struct supervision *s)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->pids[i] > 0)
			kill(s->pids[i], s->next_signal);
	if (s->next_signal == SIGTERM)
		set_deadline(s, SIGKILL, KILL_WAIT_S);
	else
		s->next_signal = 0;
}

/* Sleep until a child ends or the deadline has passed. */
static void sleep_until_news(struct supervision *s)
{
	struct timespec now, left = {0};
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	if (!s->next_signal) {
		sigwaitinfo(&chld, NULL);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	left.tv_sec = s->deadline.tv_sec - now.tv_sec;
	left.tv_nsec = s->deadline.tv_nsec - now.tv_nsec;
	if (left.tv_nsec < 0) {
		left.tv_sec--;
		left.tv_nsec += 1000000000L;
	}
	if (left.tv_sec < 0 ||
	    (sigtimedwait(&chld, NULL, &left) < 0 && errno == EAGAIN))
		signal_all(s);
}

int supervise_wait(pid_t *pids, unsigned n, long grace_s)
{
	struct supervision s = {.pids = pids, .n = n};
	int status;

	for (unsigned i = 0; i < n; i++)
		s.running += pids[i] > 0;
	while (s.running) {
		pid_t pid = waitpid(-1, &status, WNOHANG);

		if (pid > 0)
			note_end(&s, pid, status, grace_s);
		else if (pid == 0)
			sleep_until_news(&s);
		else if (errno != EINTR)
			break;
	}
	return s.exit_code;
}
