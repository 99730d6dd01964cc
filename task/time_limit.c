/* SPDX-License-Identifier: Apache-2.0 */
#include "task/task.h"

#include "sys/log.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
	char line[256];
	struct sigaction action;
	sigset_t mask;
} before;

static void on_alarm(int sig)
{
	(void)sig;
	log_text(STDERR_FILENO, before.line);
	_exit(EXIT_FAILURE);
}

void time_limit_begin(unsigned seconds, const char *line)
{
	const struct sigaction action = {.sa_handler = on_alarm};
	sigset_t alone;

	snprintf(before.line, sizeof(before.line), "%s", line);
	sigemptyset(&alone);
	sigaddset(&alone, SIGALRM);
	sigaction(SIGALRM, &action, &before.action);
	sigprocmask(SIG_UNBLOCK, &alone, &before.mask);
	alarm(seconds);
}

void time_limit_end(void)
{
	alarm(0);
	sigaction(SIGALRM, &before.action, NULL);
	sigprocmask(SIG_SETMASK, &before.mask, NULL);
}
