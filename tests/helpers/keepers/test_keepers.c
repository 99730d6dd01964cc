/* SPDX-License-Identifier: Apache-2.0 */
/* The launcher's part and the keepers', with real processes: forks of this one
 * are the tasks, as forks of slurmstepd are. */
#include "core/facts/keeping.h"
#include "sys/left_signals.h"
#include "sys/proc_file.h"
#include "task/keeper.h"
#include "tests/fixtures/keepers_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void go(unsigned number)
{
	struct keeping k = {.launcher = (unsigned)getpid()};
	char text[KEEPING_SIZE];

	assert_int_equal(keeping_format(&k, text), 0);
	assert_int_equal(keepers_go(keepers, number, text), 0);
}

/* A task of the node, whose program is that command; NULL: it can't start it.
 */
static void start_task(unsigned number, const char *command)
{
	struct keeper keeper;
	struct keeping told;
	struct err err;

	task[number] = fork();
	if (task[number])
		return;
	close(launcher_end);
	if (keeper_meet(node_end, number, LIMIT_S, &keeper, &told, &err) < 0)
		_exit(99);
	if (!command) {
		err_printf(&err, "no reason");
		keeper_fail(&keeper, &err);
	}
	if (keeper_stay(&keeper, &err) < 0)
		_exit(98);
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

static int exit_code(unsigned number)
{
	int status;

	assert_int_equal(waitpid(task[number], &status, 0), task[number]);
	task[number] = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static bool is_there(pid_t pid)
{
	return kill(pid, 0) == 0 || errno != ESRCH;
}

static void wait_gone(pid_t pid)
{
	while (is_there(pid))
		usleep(1000);
}

static void programs_end(void **state)
{
	(void)state;
	start_task(1, "exit 7");
	go(1);
	go(2);
	start_task(2, "kill -TERM $$");
	hear(4);
	assert_int_equal(heard.nruns, 2);
	assert_int_equal(heard.status[1], 7 << 8);
	assert_int_equal(heard.status[2], SIGTERM);
	/* nobody else gets its number */
	assert_true(is_there(heard.pid[1]) && is_there(heard.pid[2]));
	keepers_leave(keepers, 5);
	assert_int_equal(exit_code(1), 5);
	assert_int_equal(exit_code(2), 5);
	assert_false(is_there(heard.pid[1]) || is_there(heard.pid[2]));
}

static void who_has_come(void **state)
{
	unsigned first = 0;

	(void)state;
	assert_int_equal(keepers_absent(keepers, &first), 2);
	assert_int_equal(first, 1);
	start_task(1, "exit 0");
	go(1);
	hear(2);
	assert_int_equal(keepers_absent(keepers, &first), 1);
	assert_int_equal(first, 2);
}

/* SIGUSR1 of the whole step comes to the program alone, once. */
static void signals_are_the_programs(void **state)
{
	(void)state;
	start_task(1, "trap 'exit 3' USR1; trap 'exit 4' TERM; "
		      "while :; do sleep 0.01; done");
	go(1);
	hear(1);
	assert_true(heard.pid[1] > 0);
	while (!proc_has_signal("", heard.pid[1], "SigCgt", SIGTERM))
		usleep(1000);
	kill(task[1], SIGUSR1);
	kill(task[1], SIGTERM);
	kill(heard.pid[1], SIGUSR1);
	hear(2);
	assert_int_equal(heard.status[1], 3 << 8);
	keepers_leave(keepers, 0);
	assert_int_equal(exit_code(1), 0);
}

/* What was blocked in the task is in the program, and nothing else. */
static void mask_is_as_it_was(void **state)
{
	(void)state;
	start_task(1, "exit $((0x$(sed -n 's/^SigBlk:.*\\(.\\{8\\}\\)$/\\1/p' "
		      "/proc/$$/status) ? 1 : 0))");
	go(1);
	hear(2);
	assert_int_equal(heard.status[1], 0);
}

static void launcher_is_gone(void **state)
{
	(void)state;
	start_task(1, "sleep 1000");
	start_task(2, "sleep 1000");
	go(1);
	hear(1);
	close(node_end);
	node_end = -1;
	keepers_close(keepers);
	keepers = NULL;
	assert_int_equal(exit_code(1), 128 + SIGKILL);
	wait_gone(heard.pid[1]);
	assert_int_equal(exit_code(2), 99); /* it was still waiting */
}

/* What a program has left behind ends with its keeper. */
static void ends_what_is_left(void **state)
{
	char path[] = "/tmp/test_keepers.XXXXXX", command[128], text[16] = "";
	int fd = mkstemp(path);

	(void)state;
	snprintf(command, sizeof(command),
		 "setsid sleep 1000 < /dev/null > /dev/null 2>&1 & "
		 "echo $! > %s; exit 0",
		 path);
	start_task(1, command);
	go(1);
	hear(2);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	assert_true(is_there((pid_t)atoi(text)));
	keepers_leave(keepers, 0);
	assert_int_equal(exit_code(1), 0);
	assert_false(is_there((pid_t)atoi(text)));
	close(fd);
	unlink(path);
}

static void keeper_is_gone(void **state)
{
	(void)state;
	start_task(1, "exec sleep 1000");
	go(1);
	hear(1);
	kill(task[1], SIGKILL);
	hear(2);
	assert_int_equal(heard.nlost, 1);
	assert_string_equal(heard.why[1], "gone");
	assert_int_equal(exit_code(1), -SIGKILL);
	wait_gone(heard.pid[1]);
}

static void program_cannot_start(void **state)
{
	(void)state;
	start_task(1, NULL);
	go(1);
	hear(1);
	assert_string_equal(heard.why[1], "no reason");
	keepers_leave(keepers, 6);
	assert_int_equal(exit_code(1), 6);
}

/* slurmstepd is killed before the launcher has said a word. */
static void parent_is_gone(void **state)
{
	pid_t parent = fork(), both[2];
	struct proc_stat keeper;

	if (!parent) {
		start_task(1, "exit 0");
		pause();
	}
	do
		usleep(1000);
	while (proc_descendants("", parent, both, 2) < 2 ||
	       proc_stat_read("", both[1], 0, &keeper) < 0 ||
	       strcmp(keeper.name, "dist-train-keep") != 0);
	kill(parent, SIGKILL);
	(void)state;
	waitpid(parent, NULL, 0);
	wait_gone(both[1]);
}

/* The step ends before its programs start. */
static void leaves_early(void **state)
{
	unsigned number = 1;
	int status;

	(void)state;
	start_task(1, "exit 0");
	start_task(2, "exit 0");
	while (number < NTASKS) {
		keepers_leave(keepers, 9); /* those that have come by now */
		if (waitpid(task[number], &status, WNOHANG) != task[number]) {
			usleep(1000);
			continue;
		}
		assert_int_equal(status, 9 << 8);
		task[number++] = 0;
	}
	assert_int_equal(heard.nruns, 0);
}

#define KEEPERS_TEST(f) cmocka_unit_test_setup_teardown(f, open_all, close_all)
int main(void)
{
	const struct CMUnitTest tests[] = {
		KEEPERS_TEST(programs_end),
		KEEPERS_TEST(who_has_come),
		KEEPERS_TEST(signals_are_the_programs),
		KEEPERS_TEST(mask_is_as_it_was),
		KEEPERS_TEST(launcher_is_gone),
		KEEPERS_TEST(ends_what_is_left),
		KEEPERS_TEST(keeper_is_gone),
		KEEPERS_TEST(parent_is_gone),
		KEEPERS_TEST(program_cannot_start),
		KEEPERS_TEST(leaves_early),
	};
	if (getenv("EMULATED"))
		return EXIT_SUCCESS; /* qemu's vfork() and /proc are its own */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
