/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/subprocess.h"

#include "tests/fixtures/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONG_MS 20000

/* The open files of a process, or of this one. */
static unsigned count_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static int status_of(const char *const argv[], unsigned flags)
{
	const struct subprocess_spec spec = {.argv = argv, .flags = flags};
	struct subprocess sub;
	struct err err;
	int status = -1;

	assert_int_equal(subprocess_start(&spec, &sub, &err), 0);
	assert_int_equal(subprocess_wait(&sub, LONG_MS, &status), 0);
	subprocess_close(&sub);
	return status;
}

static void exit_codes_and_signals(void **state)
{
	static const char *const code[] = {"/bin/sh", "-c", "exit 7", NULL};
	static const char *const dies[] = {"/bin/sh", "-c", "kill -9 $$", NULL};
	static const char *const none[] = {"/no/such", NULL};
	static const char *const folder[] = {"/", NULL};
	char text[256];
	struct err err;

	(void)state;
	assert_int_equal(WEXITSTATUS(status_of(code, 0)), 7);
	assert_int_equal(WTERMSIG(status_of(dies, SUBPROCESS_GROUP)), SIGKILL);
	assert_int_equal(WEXITSTATUS(status_of(none, SUBPROCESS_NULL)), 127);
	assert_int_equal(WEXITSTATUS(status_of(folder, SUBPROCESS_NULL)), 126);
	assert_int_equal(
		subprocess_ask_program(none, LONG_MS, text, sizeof(text), &err),
		0);
	assert_string_equal(text, "/no/such: No such file or directory\n");
}

/* Both streams, no input, no NUL; what doesn't fit doesn't stop the writer. */
static void output_is_bounded(void **state)
{
	static const char *const both[] = {
		"/bin/sh", "-c", "cat; printf 'a\\000b'; printf c >&2", NULL};
	static const char *const much[] = {
		"/bin/sh", "-c", "yes 123456789 | head -n 100000; kill -9 $$",
		NULL};
	char text[64];
	struct err err;

	(void)state;
	assert_int_equal(
		subprocess_ask_program(both, LONG_MS, text, sizeof(text), &err),
		0);
	assert_string_equal(text, "abc");
	assert_int_equal(
		subprocess_ask_program(much, LONG_MS, text, sizeof(text), &err),
		0);
	assert_int_equal(strlen(text), sizeof(text) - 1);
	assert_memory_equal(text, "123456789\n1", 11);
}

/* Its own environment and path; argv[0] is what it is called. */
static void program_of_another_name(void **state)
{
	static const char *const argv[] = {"name", "-c", "echo $0 $A $HOME",
					   NULL};
	char a[] = "A=1", *const env[] = {a, NULL};
	const struct subprocess_spec spec = {
		.argv = argv,
		.file = "/bin/sh",
		.env = env,
		.flags = SUBPROCESS_OUT,
	};
	char text[64];
	struct err err;
	size_t n;

	(void)state;
	assert_int_equal(
		subprocess_run(&spec, LONG_MS, text, sizeof(text), &n, &err),
		0);
	assert_string_equal(text, "name 1\n");
	assert_int_equal(n, 7);
}

static int echo_bytes(const int fd[2], const void *arg)
{
	char byte;

	printf("this goes nowhere");
	fflush(stdout);
	while (read(fd[0], &byte, 1) == 1)
		if (write(fd[1], &byte, 1) != 1)
			return 1;
	return *(const int *)arg;
}

/* A function has both pipes beside its standard streams. */
static void function_in_a_fork(void **state)
{
	const int code = 42;
	const struct subprocess_spec spec = {
		.run = echo_bytes,
		.arg = &code,
		.flags = SUBPROCESS_IN | SUBPROCESS_OUT | SUBPROCESS_NULL,
	};
	struct subprocess sub;
	char back[8] = "";
	struct err err;
	int status;

	(void)state;
	assert_int_equal(subprocess_start(&spec, &sub, &err), 0);
	assert_int_equal(write(sub.in, "ab\0c", 4), 4);
	for (int n = 0; n < 4; n++)
		assert_int_equal(read(sub.out, back + n, 1), 1);
	assert_memory_equal(back, "ab\0c", 4);
	assert_int_equal(subprocess_wait(&sub, 1, &status), -1);
	close(sub.in);
	sub.in = -1;
	assert_int_equal(read(sub.out, back, 1), 0);
	assert_int_equal(subprocess_wait(&sub, LONG_MS, &status), 0);
	assert_int_equal(WEXITSTATUS(status), 42);
	subprocess_close(&sub);
	subprocess_close(&sub);
}

/* Whether a process that this one inherits ends soon. */
static bool ends_soon(const char *pid)
{
	const struct subprocess orphan = {.pid = (pid_t)atoi(pid)};

	return orphan.pid > 0 && subprocess_wait(&orphan, 5000, NULL) == 0;
}

/* What has come is there; the process and its children are not. */
static void deadline(void **state)
{
	static const char *const argv[] = {
		"/bin/sh", "-c", "trap '' TERM; sleep 60 & echo $!; sleep 60",
		NULL};
	uint64_t start = loop_now_ms();
	char text[64];
	struct err err;

	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	assert_int_equal(
		subprocess_ask_program(argv, 300, text, sizeof(text), &err),
		-1);
	assert_string_equal(err.text, "no end after 0.3 s, so it was killed");
	assert_in_range(loop_now_ms() - start, 300, LONG_MS / 2);
	assert_true(ends_soon(text));
}

static int sleep_long(const int fd[2], const void *arg)
{
	(void)arg;
	dprintf(fd[1], "%d", (int)getpid());
	sleep(60);
	return 0;
}

/* A process that starts another and ends at once; that one has its pipe. */
static int leave_child(const int fd[2], const void *arg)
{
	const struct subprocess_spec spec = {.run = sleep_long,
					     .flags = SUBPROCESS_OUT};
	struct subprocess sub;
	char pid[16] = "";
	struct err err;

	(void)arg;
	if (subprocess_start(&spec, &sub, &err) < 0 ||
	    read(sub.out, pid, sizeof(pid) - 1) <= 0)
		return 1;
	dprintf(fd[1], "%s", pid);
	return 0;
}

static void parents_end(void **state)
{
	char text[64];
	struct err err;

	(void)state;
	/* The grandchild holds the pipe open: an end is its end, too */
	assert_int_equal(subprocess_ask(leave_child, NULL, LONG_MS, text,
					sizeof(text), &err),
			 0);
	assert_true(ends_soon(text));
}

static int tell_signals(const int fd[2], const void *arg)
{
	sigset_t now;

	(void)arg;
	sigprocmask(SIG_SETMASK, NULL, &now);
	dprintf(fd[1], "%d %d", sigismember(&now, SIGUSR1),
		signal(SIGPIPE, SIG_DFL) == SIG_IGN);
	return 0;
}

static void signals(void **state)
{
	struct subprocess_spec spec = {.run = tell_signals,
				       .flags = SUBPROCESS_OUT};
	sigset_t set, before;
	char text[64];
	struct err err;
	size_t n;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, &before);
	signal(SIGPIPE, SIG_IGN);
	subprocess_run(&spec, LONG_MS, text, sizeof(text), &n, &err);
	assert_string_equal(text, "0 0");
	spec.flags |= SUBPROCESS_SIGNALS;
	subprocess_run(&spec, LONG_MS, text, sizeof(text), &n, &err);
	assert_string_equal(text, "1 1");
	sigprocmask(SIG_SETMASK, &before, NULL);
	signal(SIGPIPE, SIG_DFL);
}

/* The open files of a program that is started now. */
static unsigned count_program_files(void)
{
	static const char *const argv[] = {"/bin/ls", "/proc/self/fd", NULL};
	char text[4096];
	unsigned n = 0;
	struct err err;

	assert_int_equal(
		subprocess_ask_program(argv, LONG_MS, text, sizeof(text), &err),
		0);
	for (const char *p = text; *p; p++)
		n += *p == '\n';
	return n;
}

static void no_file_leaks(void **state)
{
	static const char *const argv[] = {"/bin/cat", NULL};
	const struct subprocess_spec spec = {
		.argv = argv, .flags = SUBPROCESS_IN | SUBPROCESS_OUT};
	unsigned here = count_files(), there = count_program_files();
	struct subprocess cat;
	struct err err;

	(void)state;
	assert_int_equal(subprocess_start(&spec, &cat, &err), 0);
	assert_int_equal(count_program_files(), there);
	assert_int_equal(count_files(), here + 2);
	close(cat.in);
	cat.in = -1;
	assert_int_equal(subprocess_wait(&cat, LONG_MS, NULL), 0);
	subprocess_close(&cat);
	assert_int_equal(count_files(), here);
}

struct heard {
	struct loop loop;
	struct subprocess sub;
	char text[64];
	size_t n;
	unsigned ends;
};

static void on_output(void *arg, const char *data, size_t n)
{
	struct heard *h = arg;

	assert_true(h->n + n < sizeof(h->text));
	memcpy(h->text + h->n, data, n);
	h->n += n;
	if (n)
		return;
	h->ends++;
	subprocess_close(&h->sub);
	loop_stop(&h->loop);
}

static void on_the_loop(void **state)
{
	static const char *const argv[] = {"/bin/sh", "-c",
					   "echo a; sleep 0.1; echo b", NULL};
	const struct subprocess_spec spec = {.argv = argv,
					     .flags = SUBPROCESS_OUT};
	struct heard h = {.n = 0};
	struct err err;

	(void)state;
	assert_int_equal(loop_open(&h.loop, &err), 0);
	assert_int_equal(subprocess_start(&spec, &h.sub, &err), 0);
	assert_int_equal(subprocess_watch(&h.sub, &h.loop, on_output, &h, &err),
			 0);
	assert_int_equal(loop_run(&h.loop, &err), 0);
	assert_string_equal(h.text, "a\nb\n");
	assert_int_equal(h.ends, 1);
	assert_int_equal(subprocess_wait(&h.sub, LONG_MS, NULL), 0);
	loop_close(&h.loop);
}

/* 1: it can open the terminal that the session has; 0: it can't. */
static int opens_terminal(unsigned flags)
{
	static const char *const argv[] = {
		"/bin/sh", "-c", "(: </dev/tty) 2>/dev/null && exit 1; exit 0",
		NULL};

	return WEXITSTATUS(status_of(argv, flags));
}

/* In a session of its own, with that terminal. */
static int ask_in_session(const int fd[2], const void *arg)
{
	int terminal;

	if (setsid() < 0 || (terminal = open(arg, O_RDWR)) < 0 ||
	    ioctl(terminal, TIOCSCTTY, 0) < 0)
		return 1;
	dprintf(fd[1], "%d %d", opens_terminal(0),
		opens_terminal(SUBPROCESS_HANGS & ~SUBPROCESS_OUT));
	return 0;
}

/* Root's terminal isn't given to programs of the user whom root asks about. */
static void no_terminal(void **state)
{
	int ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	char name[64], text[64];
	const struct subprocess_spec spec = {
		.run = ask_in_session,
		.arg = name,
		.flags = SUBPROCESS_OUT,
	};
	struct err err;
	size_t n;

	(void)state;
	if (ours < 0 || grantpt(ours) < 0 || unlockpt(ours) < 0 ||
	    ptsname_r(ours, name, sizeof(name)) != 0)
		skip();
	assert_int_equal(
		subprocess_run(&spec, LONG_MS, text, sizeof(text), &n, &err),
		0);
	assert_string_equal(text, "1 0");
	close(ours);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_codes_and_signals),
		cmocka_unit_test(output_is_bounded),
		cmocka_unit_test(program_of_another_name),
		cmocka_unit_test(function_in_a_fork),
		cmocka_unit_test(deadline),
		cmocka_unit_test(parents_end),
		cmocka_unit_test(signals),
		cmocka_unit_test(no_terminal),
		cmocka_unit_test(no_file_leaks),
		cmocka_unit_test(on_the_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
