/* SPDX-License-Identifier: Apache-2.0 */
/* What real processes take, as /proc tells it. */
#include "helpers/look/tree_use.h"

#include "tests/fixtures/unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MEMORY (32UL << 20)
#define CPU_MS 60

/* A grandchild takes CPU, memory and writes, then all wait; its parent is a
 * thread that isn't the child's first one. */
static void work(int ready)
{
	char *memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec used;

	memset(memory, 1, MEMORY);
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < CPU_MS);
	/* The name of a process may be anything */
	prctl(PR_SET_NAME, ") R 1 1 (");
	if (write(ready, "ready", 5) != 5)
		_exit(1);
	pause();
}

static void *fork_here(void *arg)
{
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		work(*(int *)arg);
	}
	pause();
	return NULL;
}

static void a_tree(void **state)
{
	struct tree_use use;
	char text[8];
	int fd[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	pid = fork();
	if (pid == 0) {
		pthread_t thread;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_create(&thread, NULL, fork_here, &fd[1]);
		pause();
	}
	assert_int_equal(read(fd[0], text, 5), 5);
	assert_int_equal(tree_use("", pid, &use), 0);
	assert_int_equal(use.nprocs, 2);
	assert_true(use.cpu_ms >= CPU_MS - 10 && use.cpu_ms < 100 * CPU_MS);
	assert_true(use.rss_kib >= MEMORY / 1024);
	assert_true(use.written >= 5);
	assert_true(use.state == 'S' || use.state == 'R');
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(tree_use("", pid, &use), -1);
	close(fd[0]);
	close(fd[1]);
}

static void stopped(void **state)
{
	struct tree_use use;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		raise(SIGSTOP);
	}
	assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
	assert_int_equal(tree_use("", pid, &use), 0);
	assert_int_equal(use.state, 'T');
	kill(pid, SIGKILL);
	/* Dead, and nobody has asked how */
	assert_int_equal(
		waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT),
		0);
	assert_int_equal(tree_use("", pid, &use), 0);
	assert_int_equal(use.state, 'Z');
	waitpid(pid, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree),
		cmocka_unit_test(stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
