/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc tells of a process, in made-up trees. */
#include "helpers/procs/proc_seen.h"

#include "tests/fixtures/unit.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/dist-train-seen.XXXXXX";

static int make_root(void **state)
{
	(void)state;
	memcpy(root + sizeof(root) - 7, "XXXXXX", 6);
	return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static int remove_root(void **state)
{
	(void)state;
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void put(const char *text, const char *name)
{
	char path[200], *at;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/%s", root, name);
	for (at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0755);
		*at = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void put_thread(int pid, int tid, const char *stat, const char *wchan,
		       const char *children)
{
	char name[64];

	snprintf(name, sizeof(name), "%d/task/%d/stat", pid, tid);
	put(stat, name);
	snprintf(name, sizeof(name), "%d/task/%d/wchan", pid, tid);
	put(wchan, name);
	snprintf(name, sizeof(name), "%d/task/%d/children", pid, tid);
	put(children, name);
}

#define STATUS(name, threads, blocked, caught)                                 \
	"Name:\t" name "\nUmask:\t0022\nThreads:\t" threads                    \
	"\nSigQ:\t0/1\nSigBlk:\t" blocked                                      \
	"\nSigIgn:\t0000000000001000\nSigCgt:\t" caught "\n"
#define ABRT "0000000000000020" /* SIGABRT's bit */
#define NONE "0000000000000000"
#define REST "ffffffffffffffdf" /* all but it */

static const struct {
	const char *what, *stat, *wchan, *status, *text;
	bool speaks;
} single[] = {
	{"asleep", "7 (python3) S 1", "hrtimer_nanosleep",
	 STATUS("python3", "1", NONE, ABRT),
	 "pid 7 (python3): 1 thread, which sleeps in hrtimer_nanosleep", true},
	{"runs", "7 (a) R 1", "0", STATUS("a", "1", NONE, ABRT),
	 "pid 7 (a): 1 thread, which runs", true},
	{"a name of brackets", "7 (a) R (b) S 1", "x",
	 STATUS("a) R (b", "1", NONE, ABRT),
	 "pid 7 (a) R (b): 1 thread, which sleeps in x", true},
	{"a name that doesn't print", "7 (a\033[31m) S 1", "x",
	 STATUS("a\033[31m", "1", NONE, ABRT),
	 "pid 7 (a?[31m): 1 thread, which sleeps in x", true},
	{"no handler", "7 (a) S 1", "x", STATUS("a", "1", NONE, REST),
	 "pid 7 (a): 1 thread, which sleeps in x; no stacks, for it doesn't "
	 "catch SIGABRT",
	 false},
	{"blocked", "7 (a) S 1", "x", STATUS("a", "1", ABRT, ABRT),
	 "pid 7 (a): 1 thread, which sleeps in x; no stacks, for it blocks "
	 "SIGABRT",
	 false},
	{"stopped", "7 (a) T 1", "do_signal_stop", STATUS("a", "1", NONE, ABRT),
	 "pid 7 (a): 1 thread, which is stopped by a signal in do_signal_stop",
	 true},
	{"debugger", "7 (a) t 1", "ptrace_stop", STATUS("a", "1", NONE, ABRT),
	 "pid 7 (a): 1 thread, which is stopped by a debugger in ptrace_stop; "
	 "the debugger has its stacks",
	 false},
	{"FUSE", "7 (a) D 1", "request_wait_answer",
	 STATUS("a", "1", NONE, ABRT),
	 "pid 7 (a): 1 thread, which can't be interrupted (state D) in "
	 "request_wait_answer (FUSE); it can neither write its stacks nor end",
	 false},
	{"NFS", "7 (a) D 1", "rpc_wait_bit_killable",
	 STATUS("a", "1", NONE, ABRT),
	 "pid 7 (a): 1 thread, which can't be interrupted (state D) in "
	 "rpc_wait_bit_killable (NFS); it can neither write its stacks nor end",
	 false},
};

static void one_thread(void **state)
{
	char text[SEEN_TEXT_SIZE];
	struct proc_seen seen;

	(void)state;
	for (size_t i = 0; i < COUNT(single); i++) {
		put_thread(7, 7, single[i].stat, single[i].wchan, "");
		put(single[i].status, "7/status");
		assert_int_equal(proc_seen_look(root, 7, &seen), 0);
		assert_string_equal(proc_seen_text(&seen, text),
				    single[i].text);
		assert_case(single[i].what,
			    proc_seen_can_speak(&seen) == single[i].speaks);
		assert_case(single[i].what, !proc_seen_waits(&seen));
	}
}

static void more_threads(void **state)
{
	char text[SEEN_TEXT_SIZE];
	struct proc_seen seen;

	(void)state;
	put_thread(7, 7, "7 (a) S 1", "futex_wait", "");
	put_thread(7, 8, "8 (a) R 1", "0", "");
	put_thread(7, 9, "9 (a) D 1", "fuse_dev", "");
	put_thread(7, 10, "10 (a) S 1", "poll", "");
	put(STATUS("a", "4", ABRT, ABRT), "7/status");
	assert_int_equal(proc_seen_look(root, 7, &seen), 0);
	assert_string_equal(
		proc_seen_text(&seen, text),
		"pid 7 (a): 4 threads, the main one sleeps in futex_wait, 1 "
		"other runs, 1 other in state D in fuse_dev (FUSE)");
	/* The main thread blocks it; another one may take it */
	assert_true(proc_seen_can_speak(&seen));
}

/* The longest that there can be fits, or is cut */
static void long_names(void **state)
{
	char text[SEEN_TEXT_SIZE], stat[500], status[900];
	struct proc_seen seen;
	char *name = repeated('n', 400);

	(void)state;
	snprintf(stat, sizeof(stat), "7 (%s) D 1", name);
	snprintf(status, sizeof(status),
		 "Name:\t%s\nThreads:\t4294967295\nSigCgt:\t" NONE "\n", name);
	put_thread(7, 7, stat, name, "");
	put_thread(7, 8, "8 (a) D 1", name, "");
	put(status, "7/status");
	free(name);
	assert_int_equal(proc_seen_look(root, 7, &seen), 0);
	assert_true(strlen(proc_seen_text(&seen, text)) < SEEN_TEXT_SIZE);
	assert_null(strstr(text, "\n"));
}

static void not_there(void **state)
{
	struct proc_seen seen;
	char before[sizeof(seen)];

	(void)state;
	memset(&seen, UNTOUCHED, sizeof(seen));
	memcpy(before, &seen, sizeof(seen));
	assert_int_equal(proc_seen_look(root, 7, &seen), -1);
	put_thread(7, 7, "7 (a) Z 1", "0", "");
	put(STATUS("a", "1", NONE, ABRT), "7/status");
	assert_int_equal(proc_seen_look(root, 7, &seen), -1);
	put("7 without brackets", "7/task/7/stat");
	assert_int_equal(proc_seen_look(root, 7, &seen), -1);
	assert_memory_equal(&seen, before, sizeof(seen));
}

static void shell_waits(void **state)
{
	struct proc_seen seen;

	(void)state;
	put_thread(7, 7, "7 (bash) S 1", "do_wait", "8 ");
	put(STATUS("bash", "1", NONE, NONE), "7/status");
	assert_int_equal(proc_seen_look(root, 7, &seen), 0);
	assert_true(proc_seen_waits(&seen));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_thread), TEST(more_threads), TEST(long_names),
		TEST(not_there),  TEST(shell_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
