/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/orphans.h"

#include "sys/loop.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ORPHANS_MS	1000
#define ORPHANS_POLL_MS 1

/* SIGKILL to each child; returns how many there are. */
static unsigned kill_children(void)
{
	char path[64];
	unsigned n = 0;
	int pid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		 (int)getpid());
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &pid) == 1 && ++n)
		kill(pid, SIGKILL);
	if (f)
		fclose(f);
	return n;
}

/* Processes that the ended workers have left are our children now (subreaper).
 * Send SIGKILL until none is left, but don't wait for one that hangs in a
 * driver or has become root: the step waits for us. */
void orphans_end(void)
{
	const struct timespec pause = {.tv_nsec = ORPHANS_POLL_MS * 1000000L};
	uint64_t until = loop_now_ms() + ORPHANS_MS;

	while (kill_children() && loop_now_ms() < until) {
		pid_t pid;

		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0)
			return;
		nanosleep(&pause, NULL);
	}
}
