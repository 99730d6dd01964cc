/* SPDX-License-Identifier: Apache-2.0 */
/* What real processes take, as /proc tells it. */
#include "helpers/look/look_state.h"

#include "core/facts/rows.h"

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

/* Its row, as helpers/look/look_status.c has it: use RANK PID AT_MS STATE
 * NPROCS CPU_MS RSS_KIB WRITTEN. */
struct row {
	char *text;
	char *field[ROW_FIELDS];
	unsigned n; /* fields */
};

static struct row row_of(pid_t pid)
{
	struct row r = {.n = 0};
	char *at;
	size_t size;
	FILE *f = open_memstream(&r.text, &size);

	tree_use_tell(f, "", 7, pid);
	fclose(f);
	at = r.text;
	r.n = row_next(&at, r.field);
	return r;
}

static void state_is(pid_t pid, const char *state)
{
	struct row r = row_of(pid);

	assert_string_equal(r.field[4], state);
	free(r.text);
}

static void a_tree(void **state)
{
	struct row use;
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
	use = row_of(pid);
	assert_true(use.n >= 9);
	assert_string_equal(use.field[0], "use");
	assert_int_equal(atol(use.field[1]), 7);
	assert_int_equal(atol(use.field[2]), pid);
	assert_true(*use.field[4] == 'S' || *use.field[4] == 'R');
	assert_int_equal(atol(use.field[5]), 2);
	assert_in_range(atol(use.field[6]), CPU_MS - 10, 100 * CPU_MS);
	assert_true(atol(use.field[7]) >= (long)(MEMORY / 1024));
	assert_true(atol(use.field[8]) >= 5);
	free(use.text);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	use = row_of(pid);
	assert_int_equal(use.n, 0);
	free(use.text);
	close(fd[0]);
	close(fd[1]);
}

static void stopped(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		raise(SIGSTOP);
	}
	assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
	state_is(pid, "T");
	kill(pid, SIGKILL);
	/* Dead, and nobody has asked how */
	assert_int_equal(
		waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT),
		0);
	state_is(pid, "Z");
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
