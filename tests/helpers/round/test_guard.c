/* SPDX-License-Identifier: Apache-2.0 */
/* A launcher that is stopped, and what it has started: its guard kills that. */
#include "helpers/round/round_state.h"

#include "core/option/ladder.h"
#include "tests/fixtures/unit.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEASE_S 3
#define LIMIT_S 120

static pid_t launcher, guard_pid, worker, workers_child;

/* As it is in /proc; 'X': there is none. */
static char state_of(pid_t pid)
{
	char path[64], state = 'X';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 'X';
	if (f)
		fclose(f);
	return state;
}

static bool runs(pid_t pid)
{
	return !strchr("XZ", state_of(pid));
}

static void wait_for_end(pid_t pid)
{
	while (runs(pid))
		usleep(1000);
}

static void wait_for_state(pid_t pid, char state)
{
	while (state_of(pid) != state)
		usleep(1000);
}

/* --- the launcher -------------------------------------------------------- */

static pid_t start_worker(int tell)
{
	pid_t pid = fork(), child;

	if (pid)
		return pid;
	child = fork();
	while (!child)
		pause();
	child = -child;
	if (write(tell, &child, sizeof(child)) != sizeof(child))
		_exit(1);
	for (;;)
		pause();
}

static void on_reap(void *arg)
{
	struct loop_timer *reap = arg;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	loop_arm(reap[1].arg, reap, 20);
}

static void be_launcher(int tell)
{
	struct loop loop;
	struct guard guard = {0};
	struct loop_timer reap[2] = {{.expired = on_reap, .arg = reap},
				     {.arg = &loop}};
	struct err err;
	pid_t pid;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGPIPE, SIG_IGN);
	pid = start_worker(tell);
	if (write(tell, &pid, sizeof(pid)) != sizeof(pid) ||
	    loop_open(&loop, &err) < 0)
		_exit(1);
	loop_arm(&loop, reap, 20);
	guard_begin(&guard, &loop, LEASE_S);
	_exit(loop_run(&loop, &err) < 0);
}

static pid_t find_guard(void)
{
	char path[64];
	int pid, found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)launcher,
		 (int)launcher);
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &pid) == 1)
		if (pid != worker)
			found = pid;
	if (f)
		fclose(f);
	return found;
}

static int begin(void **state)
{
	pid_t told[2];
	int fds[2];

	(void)state;
	alarm(LIMIT_S);
	if (pipe(fds) < 0)
		return -1;
	launcher = fork();
	if (!launcher)
		be_launcher(fds[1]);
	for (unsigned i = 0; i < 2; i++)
		if (read(fds[0], &told[i], sizeof(*told)) != sizeof(*told))
			return -1;
	close(fds[0]);
	close(fds[1]);
	/* Whichever came first; the worker's child is told as a negative one */
	worker = told[0] > 0 ? told[0] : told[1];
	workers_child = -(told[0] > 0 ? told[1] : told[0]);
	while (!(guard_pid = find_guard()))
		usleep(1000);
	return 0;
}

static int end(void **state)
{
	(void)state;
	kill(launcher, SIGKILL);
	kill(worker, SIGKILL);
	kill(workers_child, SIGKILL);
	waitpid(launcher, NULL, 0);
	wait_for_end(guard_pid);
	return 0;
}

/* --- what the guard does -------------------------------------------------- */

static void pass_fence(void)
{
	usleep((unsigned)recovery_fence_ms(LEASE_S) * 1000 + 700000);
}

/* Nothing, while the launcher runs; and it ends with it. */
static void launcher_runs(void **state)
{
	(void)state;
	pass_fence();
	assert_true(runs(worker));
	assert_true(runs(workers_child));
	assert_true(runs(guard_pid));
	kill(launcher, SIGKILL);
	waitpid(launcher, NULL, 0);
	wait_for_end(guard_pid);
}

/* Those that the killed ones leave to it, too. */
static void launcher_is_stopped(void **state)
{
	(void)state;
	if (getenv("EMULATED"))
		skip(); /* hangs under qemu; why isn't known */
	kill(launcher, SIGSTOP);
	wait_for_end(worker);
	wait_for_end(workers_child);
	assert_int_equal(state_of(launcher), 'T');
	kill(launcher, SIGCONT);
	wait_for_state(worker, 'X');
}

/* All of the node stood still, and nobody has to die for that. */
static void all_are_stopped(void **state)
{
	(void)state;
	kill(guard_pid, SIGSTOP);
	wait_for_state(guard_pid, 'T');
	kill(launcher, SIGSTOP);
	pass_fence();
	kill(guard_pid, SIGCONT);
	usleep(100000);
	kill(launcher, SIGCONT);
	pass_fence();
	assert_true(runs(worker));
	assert_true(runs(guard_pid));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(launcher_runs),
		CASE(launcher_is_stopped),
		CASE(all_are_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
