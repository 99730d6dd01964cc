/* SPDX-License-Identifier: Apache-2.0 */
/* What processes say that SIGTERM doesn't end: real ones, each with a pipe for
 * what it says; a process stays for ever unless SIGABRT or SIGKILL ends it. */
#include "helpers/procs/last_words.h"

#include "helpers/procs/proc_seen.h"
#include "sys/left_signals.h"
#include "sys/orphans.h"
#include "tests/fixtures/unit.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS 4
#define LIMIT_S 60

enum kind { NOBODY, SPEAKS, SILENT, STOPPED, SHELL };

static struct loop loop;
static struct loop_timer end;
static struct last_words words;
static struct worker {
	pid_t pid;
	int out;	      /* what it says */
	bool asked_for, ends; /* when it was looked at */
} worker[WORKERS];
static char said[2000]; /* "WORKER[!] WHAT\n", ! of one that speaks */
static int out;		/* in a worker */

static void on_abort(int sig)
{
	struct rlimit core;
	char c;

	(void)sig;
	c = getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_cur <= 1 ? 'w'
								     : 'C';
	if (write(out, &c, 1) != 1)
		_exit(9);
	signal(SIGABRT, SIG_DFL);
	raise(SIGABRT);
}

static void stay(enum kind kind)
{
	struct rlimit core = {.rlim_cur = 1 << 20, .rlim_max = 1 << 20};

	if (kind != SILENT)
		signal(SIGABRT, on_abort);
	setrlimit(RLIMIT_CORE, &core);
	if (write(out, "r", 1) != 1)
		_exit(9);
	if (kind == STOPPED)
		raise(SIGSTOP);
	for (;;)
		pause();
}

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

static void begin_worker(unsigned i, enum kind kind)
{
	int fd[2];
	char c;

	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	worker[i].asked_for = true;
	worker[i].pid = fork();
	if (!worker[i].pid) {
		out = fd[1];
		if (kind != SHELL)
			stay(kind);
		if (!fork())
			stay(SPEAKS);
		waitpid(-1, NULL, 0);
		_exit(0);
	}
	close(fd[1]);
	worker[i].out = fd[0];
	assert_int_equal(read(fd[0], &c, 1), 1);
	while (state_of(worker[i].pid) != (kind == STOPPED ? 'T' : 'S'))
		sched_yield();
}

/* What it has written since it was ready: 'w', or 'C' where it may leave a
 * core; 0: nothing. Its end is awaited where SIGABRT has ended it. */
static char word_of(unsigned i)
{
	char c = 0;

	fcntl(worker[i].out, F_SETFL, O_NONBLOCK);
	return read(worker[i].out, &c, 1) == 1 ? c : 0;
}

static pid_t pid_of(void *arg, unsigned i)
{
	pid_t pid = worker[i].asked_for ? worker[i].pid : 0;

	(void)arg;
	if (worker[i].ends)
		worker[i].asked_for = false;
	return pid;
}

static void on_say(void *arg, unsigned i, const char *what, bool speaks)
{
	size_t n = strlen(said);

	(void)arg;
	snprintf(said + n, sizeof(said) - n, "%u%s %s\n", i, speaks ? "!" : "",
		 what);
}

static void on_end(void *arg)
{
	(void)arg;
	last_words_stop(&words);
	loop_stop(&loop);
}

static void pass(uint64_t ms)
{
	struct err err;

	end = (struct loop_timer){.expired = on_end};
	loop_arm(&loop, &end, ms);
	last_words_in(&words, WORKERS, ms);
	assert_int_equal(loop_run(&loop, &err), 0);
}

static const struct last_words_calls calls = {pid_of, on_say};

static int open_all(void **state)
{
	struct err err;

	(void)state;
	alarm(LIMIT_S);
	*said = '\0';
	memset(worker, 0, sizeof(worker));
	words = (struct last_words){.max = WORKERS};
	if (loop_open(&loop, &err) < 0)
		return -1;
	last_words_open(&words, &loop, &calls, NULL);
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	orphans_end(0);
	for (unsigned i = 0; i < WORKERS; i++)
		if (worker[i].pid)
			close(worker[i].out);
	loop_close(&loop);
	return 0;
}

static unsigned lines(void)
{
	unsigned n = 0;

	for (const char *at = said; (at = strchr(at, '\n')); at++)
		n++;
	return n;
}

static void speaks_without_core(void **state)
{
	(void)state;
	begin_worker(1, SPEAKS);
	begin_worker(2, STOPPED);
	pass(LAST_WORDS_MS);
	assert_int_equal(word_of(1), 'w');
	assert_int_equal(word_of(2), 'w');
	assert_int_equal(lines(), 2);
	assert_memory_equal(said, "1! pid ", 7);
	assert_non_null(strstr(said, "which sleeps"));
	assert_non_null(strstr(said, "\n2! pid "));
	assert_non_null(strstr(said, "is stopped by a signal"));
}

/* It may be saving: it keeps its whole time, and isn't stopped */
static void silent_goes_on(void **state)
{
	(void)state;
	begin_worker(0, SILENT);
	pass(LAST_WORDS_MS);
	assert_int_equal(lines(), 1);
	assert_memory_equal(said, "0 pid ", 6);
	assert_int_equal(state_of(worker[0].pid), 'S');
}

/* No word of the shell, nor a signal to it; where the kernel tells what it
 * waits for */
static void below_a_shell(void **state)
{
	struct proc_seen seen = {0};

	(void)state;
	begin_worker(0, SHELL);
	for (unsigned i = 0; i < 1000 && !proc_seen_waits(&seen); i++) {
		usleep(1000);
		assert_int_equal(proc_seen_look("", worker[0].pid, &seen), 0);
	}
	if (!*seen.main.where)
		skip();
	pass(LAST_WORDS_MS);
	assert_int_equal(word_of(0), 'w');
	assert_int_equal(lines(), 1);
}

static void at_most(void **state)
{
	(void)state;
	begin_worker(0, SILENT);
	begin_worker(1, SPEAKS);
	begin_worker(3, SPEAKS);
	words.max = 2;
	pass(LAST_WORDS_MS);
	assert_int_equal(lines(), 2);
	assert_int_equal(word_of(1), 'w');
	assert_int_equal(word_of(3), 0);
	assert_int_equal(state_of(worker[3].pid), 'S');
}

/* One that has ended, or is a service */
static void not_asked_for(void **state)
{
	(void)state;
	begin_worker(0, SPEAKS);
	worker[0].asked_for = false;
	pass(LAST_WORDS_MS);
	assert_int_equal(lines(), 0);
	assert_int_equal(word_of(0), 0);
}

/* What it has left isn't told of, but doesn't stay stopped either. */
static void ended_meanwhile(void **state)
{
	(void)state;
	begin_worker(0, SPEAKS);
	worker[0].ends = true;
	pass(LAST_WORDS_MS);
	assert_int_equal(lines(), 0);
	assert_int_equal(word_of(0), 0);
	assert_int_equal(state_of(worker[0].pid), 'S');
}

/* They have all the time before that; SIGKILL comes first where it is used */
static void not_before(void **state)
{
	struct err err;

	(void)state;
	begin_worker(0, SPEAKS);
	end = (struct loop_timer){.expired = on_end};
	loop_arm(&loop, &end, LAST_WORDS_MS);
	last_words_in(&words, WORKERS, 5 * LAST_WORDS_MS);
	assert_int_equal(loop_run(&loop, &err), 0);
	assert_int_equal(lines(), 0);
	assert_int_equal(state_of(worker[0].pid), 'S');
}

/* scancel, or the time limit */
static void told_by_slurm(void **state)
{
	sigset_t set;
	int sig;

	(void)state;
	begin_worker(0, SPEAKS);
	kill(getpid(), SIGTERM);
	pass(LAST_WORDS_MS);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	assert_int_equal(sigwait(&set, &sig), 0);
	assert_int_equal(lines(), 0);
	assert_int_equal(word_of(0), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(speaks_without_core), TEST(silent_goes_on),
		TEST(below_a_shell),	   TEST(at_most),
		TEST(not_asked_for),	   TEST(not_before),
		TEST(told_by_slurm),	   TEST(ended_meanwhile),
	};

	procs_leave_signals();
	if (getenv("EMULATED"))
		return EXIT_SUCCESS; /* qemu has its own /proc */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
