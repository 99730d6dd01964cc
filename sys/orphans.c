/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/orphans.h"

#include "sys/loop.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ORPHANS_MS	1000
#define ORPHANS_POLL_MS 1

static pid_t spared;

void orphans_spare(pid_t pid)
{
	spared = pid;
}

unsigned orphans_kill_of(pid_t parent, pid_t kept)
{
	char path[64];
	unsigned n = 0;
	int pid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent,
		 (int)parent);
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &pid) == 1) {
		if (pid == kept || pid == spared)
			continue;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, WNOHANG);
		n++;
	}
	if (f)
		fclose(f);
	return n;
}

unsigned orphans_kill(pid_t kept)
{
	return orphans_kill_of(getpid(), kept);
}

/* Processes that the ended workers have left are our children now (subreaper).
 * Send SIGKILL until none is left, but don't wait for one that hangs in a
 * driver or has become root: the step waits for us. */
void orphans_end(pid_t kept)
{
	const struct timespec pause = {.tv_nsec = ORPHANS_POLL_MS * 1000000L};
	uint64_t until = loop_now_ms() + ORPHANS_MS;

	while (orphans_kill(kept) && loop_now_ms() < until)
		nanosleep(&pause, NULL);
}
