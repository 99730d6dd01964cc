/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the key hang costs a launcher: processor time of the looks at NRANKS
 * ranks with NBELOW processes below each, which all sleep (the dearest case:
 * nobody works), and of those at ranks that work. Prints; judges nothing.
 *
 *	watch_cost [LOOKS]
 */
#include "helpers/watch/signs.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NRANKS	    8
#define NBELOW	    50
#define INTERVAL_MS 4000   /* of hang=600 */
#define LIST_MS	    150000 /* the same, a quarter of it */

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1000 + (double)t.tv_nsec / 1e6;
}

/* One that sleeps, or writes more than a heartbeat each 10 ms. */
static void live(bool works)
{
	static const char some[65536];
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	while (works && write(fd, some, sizeof(some)) > 0)
		usleep(10000);
	pause();
}

static pid_t start_rank(bool works)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < NBELOW; i++)
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			live(false);
		}
	live(works);
	return 0;
}

static void measure(bool works, unsigned nlooks)
{
	struct signs rank[NRANKS], *all[NRANKS];
	uint64_t now = 1000000;
	pid_t pid[NRANKS];
	double ms;

	for (unsigned i = 0; i < NRANKS; i++) {
		pid[i] = start_rank(works);
		if (pid[i] < 0 || signs_open(&rank[i], "", pid[i], now) < 0)
			exit(EXIT_FAILURE);
		all[i] = &rank[i];
	}
	sleep(2);
	signs_find(all, NRANKS, now);
	ms = cpu_ms();
	for (unsigned k = 0; k < nlooks; k++, now += INTERVAL_MS) {
		usleep(works ? 20000 : 0);
		for (unsigned i = 0; i < NRANKS; i++)
			signs_look(&rank[i], now, LIST_MS);
		if (!works && !(k % (LIST_MS / INTERVAL_MS)))
			signs_find(all, NRANKS, now);
	}
	ms = (cpu_ms() - ms) / nlooks;
	printf("watch: %d ranks that %s, %u processes each: %.2f ms a look, "
	       "%.3f %% of a core with hang=600\n",
	       NRANKS, works ? "work" : "sleep", rank[0].n, ms,
	       ms * 100 / INTERVAL_MS);
	for (unsigned i = 0; i < NRANKS; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
		free(rank[i].process);
	}
}

int main(int argc, char *argv[])
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 200;

	measure(true, n);
	measure(false, n);
	return 0;
}
