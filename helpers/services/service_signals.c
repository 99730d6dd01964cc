/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/services/http_serve.h"

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

static void end_by_parent(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	if (info->si_pid == getppid())
		_exit(0);
}

void service_leave_signals(void)
{
	static const int left[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1,
				   SIGUSR2, SIGALRM, SIGPIPE};
	struct sigaction term = {
		.sa_sigaction = end_by_parent,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};

	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		signal(left[i], SIG_IGN);
	sigaction(SIGTERM, &term, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}
