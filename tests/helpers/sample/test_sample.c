/* SPDX-License-Identifier: Apache-2.0 */
/* A tool that stops a process and doesn't come to its end: here a script in the
 * place of eu-stack. */
#include "helpers/sample/sample.h"

#include "helpers/sample/tools.h"
#include "sys/proc_file.h"
#include "tests/fixtures/tree.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_S	 60
#define SHORT_MS 1500
#define LONG_MS	 30000
#define POLL_MS	 10

static struct tree tree;
static struct loop loop;
static struct loop_timer timer;
static pid_t rank;
static char *answer, *our_path, path[PATH_MAX + 16];

static char state(void)
{
	struct proc_stat s;

	return proc_stat_read("", rank, 0, &s) == 0 ? s.state : '\0';
}

/* This program again, so that its folder and its PATH have no other tools. */
static void start_rank(void)
{
	char *env[] = {path, NULL}, *argv[] = {"rank", NULL};

	rank = fork();
	if (rank == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execve("/proc/self/exe", argv, env);
		_exit(127);
	}
	while (state() != 'S')
		sched_yield();
}

static int open_all(void **unused)
{
	struct err err;

	(void)unused;
	alarm(LIMIT_S);
	tree_open(&tree);
	snprintf(path, sizeof(path), "PATH=%s", tree.root);
	our_path = strdup(getenv("PATH"));
	setenv("PATH", tree.root, 1);
	answer = NULL;
	start_rank();
	return loop_open(&loop, &err);
}

static int close_all(void **unused)
{
	(void)unused;
	kill(rank, SIGKILL);
	while (waitpid(-1, NULL, WNOHANG) >= 0)
		sched_yield();
	free(answer);
	loop_close(&loop);
	setenv("PATH", our_path, 1);
	free(our_path);
	tree_close(&tree);
	return 0;
}

/* Its arguments: -m -n 64 -p PID. */
static void tool_is(const char *script)
{
	char file[PATH_MAX + 16], text[512];

	snprintf(text, sizeof(text), "#!/bin/sh\n: > \"$0.ran\"\n%s\n", script);
	tree_file(&tree, text, "/eu-stack");
	snprintf(file, sizeof(file), "%s/eu-stack", tree.root);
	assert_int_equal(chmod(file, 0700), 0);
}

static void tool_ran(void)
{
	char file[PATH_MAX + 32];

	snprintf(file, sizeof(file), "%s/eu-stack.ran", tree.root);
	assert_int_equal(access(file, F_OK), 0);
}

static void done(void *arg, const char *rows)
{
	(void)arg;
	answer = strdup(rows);
	loop_stop(&loop);
}

static void sample(pid_t pid, long ms)
{
	const struct sample_target target = {
		.rank = 3, .pid = pid, .parent = getpid()};
	const struct sample_wish wish = {
		.loop = &loop,
		.target = &target,
		.n = 1,
		.ms = ms,
		.rows_max = 1 << 20,
		.done = done,
	};
	struct err err;

	if (trace_refusal(trace_scope(), geteuid(), true))
		skip();
	assert_non_null(sample_begin(&wish, &err));
	assert_int_equal(loop_run(&loop, &err), 0);
	assert_non_null(answer);
	while (state() == 'R') /* it goes on */
		sched_yield();
}

static void tool_dies(void **unused)
{
	(void)unused;
	tool_is("kill -STOP $5; kill -KILL $$");
	sample(rank, LONG_MS);
	tool_ran();
	assert_int_equal(state(), 'S');
}

static void tool_hangs(void **unused)
{
	(void)unused;
	tool_is("kill -STOP $5; exec /bin/sleep 60");
	sample(rank, SHORT_MS);
	tool_ran();
	assert_int_equal(state(), 'S');
}

static void was_stopped_before(void **unused)
{
	(void)unused;
	tool_is("kill -STOP $5; kill -KILL $$");
	kill(rank, SIGSTOP);
	while (state() != 'T')
		sched_yield();
	sample(rank, LONG_MS);
	tool_ran();
	assert_int_equal(state(), 'T');
}

/* --- the child is ended with its tool --- */

static void kill_child(void *arg)
{
	char file[64];
	int pid = 0;
	FILE *f;

	(void)arg;
	if (state() != 'T') {
		loop_arm(&loop, &timer, POLL_MS);
		return;
	}
	snprintf(file, sizeof(file), "/proc/self/task/%d/children", getpid());
	f = fopen(file, "re");
	assert_non_null(f);
	while (fscanf(f, "%d", &pid) == 1)
		if (pid != rank)
			kill(pid, SIGKILL);
	fclose(f);
}

static void child_dies(void **unused)
{
	(void)unused;
	tool_is("kill -STOP $5; exec /bin/sleep 60");
	timer = (struct loop_timer){.expired = kill_child};
	loop_arm(&loop, &timer, 0);
	sample(rank, LONG_MS);
	tool_ran();
	assert_int_equal(state(), 'S');
}

/* --- */

static void number_of_another(void **unused)
{
	char expected[64];

	(void)unused;
	tool_is("");
	sample(getpid(), LONG_MS);
	snprintf(expected, sizeof(expected), "gone\t3\t%d\n", (int)getpid());
	assert_string_equal(answer, expected);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(tool_dies),	  TEST(tool_hangs),
		TEST(was_stopped_before), TEST(child_dies),
		TEST(number_of_another),
	};

	while (argc && !strcmp(argv[0], "rank"))
		pause();
	if (getenv("EMULATED"))
		return EXIT_SUCCESS; /* qemu has its own ptrace and /proc */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
