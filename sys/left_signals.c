/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/left_signals.h"

#include <stddef.h>
#include <sys/prctl.h>

static const int left_to_workers[] = {
	SIGHUP,	 SIGINT,  SIGQUIT, SIGTERM,  SIGUSR1, SIGUSR2,
	SIGALRM, SIGPROF, SIGURG,  SIGWINCH, SIGXCPU, SIGVTALRM,
};
#define NLEFT (sizeof(left_to_workers) / sizeof(*left_to_workers))

void signals_forget(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

bool signal_is_left(int sig)
{
	for (size_t i = 0; i < NLEFT; i++)
		if (left_to_workers[i] == sig)
			return true;
	return false;
}

void left_signals_block(sigset_t *ret_before)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < NLEFT; i++)
		sigaddset(&blocked, left_to_workers[i]);
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_BLOCK, &blocked, ret_before);
}

void procs_leave_signals(void)
{
	sigset_t before;

	left_signals_block(&before);
	for (size_t i = 0; i < NLEFT; i++)
		signal(left_to_workers[i], SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	/* A file that may not grow any more costs its own text alone */
	signal(SIGXFSZ, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool signal_is_pending(int sig)
{
	sigset_t pending;

	return sigpending(&pending) == 0 && sigismember(&pending, sig) == 1;
}

int signals_told_to_end(void)
{
	static const int ends[] = {SIGTERM, SIGINT, SIGHUP};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (signal_is_pending(ends[i]))
			return ends[i];
	return 0;
}
