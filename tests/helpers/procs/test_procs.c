/* SPDX-License-Identifier: Apache-2.0 */
/* The end of all processes: at once, to the last one, and another number of
 * them afterwards. */
#include "helpers/procs/procs.h"

#include "helpers/conn/message.h"
#include "sys/left_signals.h"
#include "sys/orphans.h"
#include "tests/fixtures/unit.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_MS 5
#define LIMIT_S 60

static struct loop loop;
static struct procs procs;
static unsigned nended; /* calls of all_ended() */

static void on_failed(void *arg, bool sent_to_all)
{
	(void)arg;
	(void)sent_to_all;
}

static void on_succeeded(void *arg, const struct proc *proc)
{
	(void)arg;
	(void)proc;
}

static void on_event(void *arg)
{
	(void)arg;
}

static void on_all_ended(void *arg)
{
	(void)arg;
	nended++;
	loop_stop(&loop);
}

static int open_procs(void **state)
{
	struct err err;

	(void)state;
	nended = 0;
	alarm(LIMIT_S);
	procs = (struct procs){
		.grace_s = LIMIT_S,
		.to_the_last = true,
		.failed = on_failed,
		.succeeded = on_succeeded,
		.all_ended = on_all_ended,
		.told_to_end = on_event,
		.only_services = on_event,
	};
	procs_leave_signals();
	if (loop_open(&loop, &err) < 0)
		return -1;
	return procs_open(&procs, &loop, 1, &err);
}

static int close_procs(void **state)
{
	(void)state;
	procs_close(&procs);
	loop_close(&loop);
	orphans_end(0);
	return 0;
}

static void run(void)
{
	struct err err;

	assert_int_equal(loop_run(&loop, &err), 0);
}

static char state_of(pid_t pid)
{
	char path[64], state = 'X';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f) {
		if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = 'X';
		fclose(f);
	}
	return state;
}

/* A worker that doesn't obey SIGTERM, once it doesn't. */
static void start_stubborn(unsigned index)
{
	struct process who = {.rank = index};
	int fd[2];
	char c;
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	pid = fork();
	if (!pid) {
		signal(SIGTERM, SIG_IGN);
		close(fd[1]);
		close(fd[0]);
		for (;;)
			pause();
	}
	close(fd[1]);
	assert_int_equal(read(fd[0], &c, 1), 0);
	close(fd[0]);
	procs_started(&procs, index, &who, pid);
}

static void killed_at_once(void **state)
{
	uint64_t since = loop_now_ms();

	(void)state;
	start_stubborn(0);
	procs_complete(&procs);
	procs_kill(&procs);
	run();
	assert_int_equal(nended, 1);
	assert_true(WIFSIGNALED(procs.proc[0].status));
	assert_int_equal(WTERMSIG(procs.proc[0].status), SIGKILL);
	assert_true(procs.proc[0].signalled);
	/* procs_end() would have waited for so long before it */
	assert_true(loop_now_ms() - since < KILL_AFTER_S * 1000);
}

/* Ends with 1 when it gets SIGUSR1. */
static pid_t start_soft(unsigned index)
{
	struct process who = {.rank = index};
	pid_t pid = fork();
	sigset_t usr1;
	int sig;

	if (!pid) {
		sigemptyset(&usr1);
		sigaddset(&usr1, SIGUSR1);
		sigprocmask(SIG_SETMASK, &usr1, NULL);
		sigwait(&usr1, &sig);
		_exit(1);
	}
	procs_started(&procs, index, &who, pid);
	return pid;
}

/* Worker 1 is ended by a signal, and then worker 0 by the loss of it; waitpid()
 * gives worker 0 first. */
static void ends_first(int sig)
{
	pid_t eldest, other;
	struct err err;

	assert_int_equal(procs_again(&procs, 2, &err), 0);
	eldest = start_soft(0);
	other = start_soft(1);
	procs_complete(&procs);
	kill(other, sig);
	while (state_of(other) != 'Z')
		usleep(LOOK_MS * 1000);
	kill(eldest, SIGUSR1);
	while (state_of(eldest) != 'Z')
		usleep(LOOK_MS * 1000);
	run();
	assert_ptr_equal(procs.first_failure, &procs.proc[1]);
	assert_int_equal(proc_exit_code(&procs.proc[0]), 1);
}

static void first_by_signal(void **state)
{
	(void)state;
	ends_first(SIGTERM);
	ends_first(SIGKILL);
}

/* --- what a worker leaves behind --- */

/* Nobody but its tracer may reap a process that is traced: for us it is still
 * there, as one that hangs in a driver. The holder is none of our children, or
 * it would be ended as the rest. */
static struct holder {
	int pid[2];	/* whom to hold */
	int held[2];	/* says whether it can: qemu, for one, can't */
	int release[2]; /* lets go when this is closed */
} holder;

static struct left {
	pid_t pid;
	struct loop_timer look;
	unsigned looks; /* since it is dead, but held */
} left;

static void hold(void)
{
	pid_t pid;
	char c;

	alarm(LIMIT_S);
	close(holder.release[1]);
	if (read(holder.pid[0], &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	c = ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0;
	if (write(holder.held[1], &c, 1) == 1 &&
	    read(holder.release[0], &c, 1) == 0)
		_exit(0);
	_exit(1);
}

/* Before this process becomes the one that orphans come to. */
static int start_holder(void **state)
{
	pid_t pid;

	(void)state;
	if (pipe(holder.pid) < 0 || pipe(holder.held) < 0 ||
	    pipe(holder.release) < 0)
		return -1;
	pid = fork();
	if (!pid) {
		if (!fork())
			hold();
		_exit(0);
	}
	return waitpid(pid, NULL, 0) == pid ? 0 : -1;
}

#define NOT_HELD 77 /* exit code of who couldn't be held */

/* A worker starts a process that stays, and ends when that is held. */
static void leave_behind(void)
{
	pid_t pid = fork();
	char held;

	if (pid) {
		if (read(holder.held[0], &held, 1) != 1)
			_exit(1);
		_exit(held ? 0 : NOT_HELD);
	}
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	close(holder.release[1]);
	pid = getpid();
	if (write(holder.pid[1], &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	for (;;)
		pause();
}

/* Our child, other than the worker itself. */
static pid_t find_left(pid_t worker)
{
	char path[64];
	pid_t found = 0;
	int pid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		 (int)getpid());
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &pid) == 1)
		if (pid != worker)
			found = pid;
	if (f)
		fclose(f);
	return found;
}

static void look(void *arg)
{
	left.pid = left.pid ? left.pid : find_left(*(pid_t *)arg);
	if (left.pid && state_of(left.pid) == 'Z' && ++left.looks == 20) {
		assert_int_equal(nended, 0);
		assert_false(procs_are_gone(&procs));
		close(holder.release[1]);
		return;
	}
	loop_arm(&loop, &left.look, LOOK_MS);
}

static void waits_to_the_last(void **state)
{
	struct process who = {.rank = 0};
	pid_t pid;

	(void)state;
	pid = fork();
	if (!pid)
		leave_behind();
	procs_started(&procs, 0, &who, pid);
	procs_complete(&procs);
	left.look = (struct loop_timer){.expired = look, .arg = &pid};
	loop_arm(&loop, &left.look, LOOK_MS);
	run();
	assert_int_equal(nended, 1);
	if (proc_exit_code(procs.proc) == NOT_HELD)
		skip();
	assert_int_equal(left.looks, 20);
}

/* A worker leaves a child behind that ends by itself, with a last word. */
static void left_to_end(void **state)
{
	struct process who = {.rank = 0};
	char word = 0;
	int fd[2];
	pid_t pid;

	(void)state;
	procs.leave_ms = LIMIT_S * 1000;
	assert_int_equal(pipe(fd), 0);
	pid = fork();
	if (!pid) {
		if (!fork()) {
			usleep(50000);
			_exit(write(fd[1], "w", 1) != 1);
		}
		_exit(1);
	}
	close(fd[1]);
	procs_started(&procs, 0, &who, pid);
	procs_complete(&procs);
	run();
	assert_int_equal(read(fd[0], &word, 1), 1);
	assert_int_equal(nended, 1);
	close(fd[0]);
}

static void another_number(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(procs_again(&procs, 3, &err), 0);
	for (unsigned i = 0; i < 3; i++)
		start_stubborn(i);
	procs_kill(&procs);
	run();
	assert_int_equal(nended, 1);
	assert_int_equal(procs.running, 0);
	assert_int_equal(procs_again(&procs, 0, &err), 0);
	assert_true(procs_are_gone(&procs));
}

/* Another process's child: it counts from the moment in which it may start, and
 * gets the signal that was sent before its pid was known. */
static void of_another_parent(void **state)
{
	struct process who = {.rank = 0};
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid)
		for (;;)
			pause();
	procs_awaited(&procs, 0, &who);
	procs_complete(&procs);
	assert_int_equal(procs.running, 1);
	assert_false(procs_are_gone(&procs));
	procs_kill(&procs);
	assert_int_equal(procs_nsignalled(&procs), 1);
	procs_runs(&procs, 0, pid);
	/* as its parent would wait for it; procs doesn't */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_int_equal(nended, 0);
	procs_has_ended(&procs, 0, status);
	assert_int_equal(nended, 1);
	assert_ptr_equal(procs.first_failure, procs.proc);
	procs_has_ended(&procs, 0, status);
	assert_int_equal(nended, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(killed_at_once, open_procs,
						close_procs),
		cmocka_unit_test_setup_teardown(first_by_signal, open_procs,
						close_procs),
		cmocka_unit_test_setup_teardown(waits_to_the_last, open_procs,
						close_procs),
		cmocka_unit_test_setup_teardown(left_to_end, open_procs,
						close_procs),
		cmocka_unit_test_setup_teardown(another_number, open_procs,
						close_procs),
		cmocka_unit_test_setup_teardown(of_another_parent, open_procs,
						close_procs),
	};

	return cmocka_run_group_tests(tests, start_holder, NULL);
}
