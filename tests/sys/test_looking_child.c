/* SPDX-License-Identifier: Apache-2.0 */
/* Children that look at processes, and the orphans among which they stand. */
#include "sys/orphans.h"
#include "sys/subprocess.h"

#include "tests/fixtures/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONG_MS 20000

static struct subprocess start(int (*run)(const int fd[2], const void *arg),
			       const void *arg, int keeps)
{
	const struct subprocess_spec spec = {
		.run = run,
		.arg = arg,
		.flags = SUBPROCESS_LOOKS,
		.keeps = keeps,
	};
	struct subprocess sub;
	struct err err;

	assert_int_equal(subprocess_start(&spec, &sub, &err), 0);
	return sub;
}

static void await(pid_t pid)
{
	const struct subprocess sub = {.pid = pid};

	assert_int_equal(subprocess_wait(&sub, LONG_MS, NULL), 0);
}

static void end(struct subprocess *sub)
{
	subprocess_kill(sub, SIGKILL);
	await(sub->pid);
	subprocess_close(sub);
}

/* --- what it has --- */

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static int tell_itself(const int fd[2], const void *arg)
{
	const int *file = arg;
	char score[16] = "";
	int oom = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC);

	if (read(oom, score, sizeof(score) - 1) <= 0)
		return 1;
	close(oom);
	dprintf(fd[1], "%d %d %d %d %s", is_open(file[0]), is_open(file[2]),
		getsid(0) == getpid(), write(file[2], "", 1) < 0 ? errno : 0,
		score);
	return 0;
}

/* No file of ours but one, no SIGPIPE, and its place when memory is short. */
static void has_nothing_of_ours(void **state)
{
	int file[3] = {open("/dev/null", O_RDONLY | O_CLOEXEC)};
	struct subprocess sub;
	char said[64] = "", expected[64];

	(void)state;
	assert_int_equal(pipe2(file + 1, O_CLOEXEC), 0);
	close(file[1]);
	sub = start(tell_itself, file, file[2]);
	assert_true(read(sub.out, said, sizeof(said) - 1) > 0);
	snprintf(expected, sizeof(expected), "0 1 1 %d 1000\n", EPIPE);
	assert_string_equal(said, expected);
	await(sub.pid);
	subprocess_close(&sub);
	close(file[0]);
	close(file[2]);
}

/* --- it is no orphan --- */

static int stay(const int fd[2], const void *arg)
{
	(void)arg;
	if (write(fd[1], "", 1) == 1)
		pause();
	return 0;
}

static void await_byte(const struct subprocess *sub)
{
	char byte;

	assert_int_equal(read(sub->out, &byte, 1), 1);
}

static void be_orphan(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

/* As if it came to us. It ends with the test. */
static pid_t start_orphan(void)
{
	pid_t pid = fork();

	if (pid == 0)
		be_orphan();
	return pid;
}

static void is_spared(void **state)
{
	struct subprocess sub = start(stay, NULL, -1);
	pid_t orphan = start_orphan();

	(void)state;
	await_byte(&sub);
	assert_int_equal(orphans_kill(0), 1);
	await(orphan);
	assert_int_equal(orphans_kill(0), 0);
	assert_int_equal(subprocess_wait(&sub, 1, NULL), -1);
	end(&sub);
}

/* A tool in a group of its own, and who has started it ends. */
static int leave(const int fd[2], const void *arg)
{
	pid_t tool = fork();

	(void)arg;
	if (tool == 0) {
		setpgid(0, 0);
		for (;;)
			pause();
	}
	return write(fd[1], &tool, sizeof(tool)) != sizeof(tool);
}

static pid_t left_by(int (*run)(const int fd[2], const void *arg))
{
	struct subprocess sub = start(run, NULL, -1);
	pid_t tool;

	assert_int_equal(read(sub.out, &tool, sizeof(tool)), sizeof(tool));
	await(sub.pid);
	subprocess_close(&sub);
	return tool;
}

/* It may hang as well: it is ended, but nobody waits for it. */
static void leaves_no_orphan(void **state)
{
	pid_t tool;

	(void)state;
	if (getenv("EMULATED"))
		skip(); /* qemu has no subreaper */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1L), 0);
	tool = left_by(leave);
	assert_int_equal(orphans_nspared(), 1);
	assert_int_equal(orphans_kill(0), 0);
	await(tool);
	assert_int_equal(orphans_nspared(), 0);
}

/* It has this number, where we may say so and nobody else has it: else -1. */
static pid_t start_numbered(pid_t pid)
{
	const struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&pid,
		.set_tid_size = 1,
	};
	pid_t child = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (child == 0)
		be_orphan();
	return child;
}

/* Who has the number of one that has ended is an orphan like others. */
static void number_is_given_again(void **state)
{
	struct subprocess sub = start(stay, NULL, -1);
	pid_t again;

	(void)state;
	await_byte(&sub);
	poll(NULL, 0, 20); /* a tick of the kernel's clock */
	end(&sub);
	again = start_numbered(sub.pid);
	if (again < 0)
		skip();
	assert_int_equal(again, sub.pid);
	assert_int_equal(orphans_kill(0), 1);
	await(again);
}

/* --- many that hang --- */

static void are_bounded(void **state)
{
	const struct subprocess_spec spec = {
		.run = stay,
		.flags = SUBPROCESS_LOOKS,
	};
	struct subprocess sub[SPARED_MAX];
	unsigned n = 0;
	struct err err;

	(void)state;
	while (n < SPARED_MAX && subprocess_start(&spec, &sub[n], &err) == 0)
		n++;
	assert_in_range(n, 8, SPARED_MAX - 4);
	assert_int_equal(orphans_kill(0), 0);
	end(&sub[--n]);
	assert_int_equal(subprocess_start(&spec, &sub[n++], &err), 0);
	while (n)
		end(&sub[--n]);
	assert_int_equal(orphans_nspared(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_nothing_of_ours),
		cmocka_unit_test(is_spared),
		cmocka_unit_test(leaves_no_orphan),
		cmocka_unit_test(number_is_given_again),
		cmocka_unit_test(are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
