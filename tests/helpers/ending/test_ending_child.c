/* SPDX-License-Identifier: Apache-2.0 */
/* The child that tells ranks of the job's end, at real processes: shells. */
#include "helpers/ending/ending_state.h"

#include "core/facts/rows.h"
#include "sys/epoch.h"
#include "sys/proc_file.h"
#include "sys/subprocess.h"
#include "tests/fixtures/tree.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_S	 60
#define LIMIT_MS 20000
#define LEAD_MS	 100

/* A program that handles the signal, writes that down, and goes on. */
#define HANDLES                                                                \
	"trap 'echo told >> told' USR1; : > ready; "                           \
	"while :; do sleep 0.01 & wait; done"

static struct tree tree;
static pid_t rank;
static char told[256]; /* the rows, blanks between */
static bool early;     /* it has ended before the moment */

static bool there(const char *name)
{
	char file[PATH_MAX + 32];

	snprintf(file, sizeof(file), "%s/%s", tree.root, name);
	return access(file, F_OK) == 0;
}

/* Returns when the script has made the file, and waits for what it has begun */
static void start_rank(const char *script)
{
	struct proc_stat s = {0};

	rank = fork();
	if (rank == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* Its own group: all of it is ended */
		if (setpgid(0, 0) < 0 || chdir(tree.root) < 0)
			_exit(126);
		execl("/bin/sh", "sh", "-c", script, NULL);
		_exit(127);
	}
	while (!there("ready") || proc_stat_read("", rank, 0, &s) < 0 ||
	       s.state != 'S')
		sched_yield();
}

static int begin(void **state)
{
	(void)state;
	alarm(LIMIT_S);
	tree_open(&tree);
	return 0;
}

static int end(void **state)
{
	(void)state;
	kill(-rank, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	tree_close(&tree);
	return 0;
}

/* Tell the process `pid`, as rank 4; `before` has the signal already. */
static void tell_but(pid_t pid, pid_t before)
{
	struct ending_rank ranks[] = {{pid, 4}};
	const struct ending_work work = {
		.signal = SIGUSR1,
		.at_ms = epoch_ms() + LEAD_MS,
		.limit_ms = LIMIT_MS,
		.n = COUNT(ranks),
		.rank = ranks,
		.nbefore = before != 0,
		.before = &before,
	};
	char rows[256], *at = rows, *field[ROW_FIELDS];
	struct err err;

	if (getenv("EMULATED")) /* handlers of the emulator */
		skip();
	assert_int_equal(subprocess_ask(ending_child, &work, LIMIT_MS, rows,
					sizeof(rows), &err),
			 0);
	early = epoch_ms() < work.at_ms;
	*told = '\0';
	while (row_next(&at, field))
		sprintf(told + strlen(told), "%s%s %s", *told ? " " : "",
			field[0], field[1]);
}

static void tell(pid_t pid)
{
	tell_but(pid, 0);
}

/* As soon as there is a line in it. */
static void read_file(const char *name, char *buf, size_t size)
{
	char file[PATH_MAX + 32];
	size_t n = 0;
	FILE *f;

	snprintf(file, sizeof(file), "%s/%s", tree.root, name);
	while (!n) {
		f = fopen(file, "r");
		n = f ? fread(buf, 1, size - 1, f) : 0;
		if (f)
			fclose(f);
	}
	buf[n] = '\0';
}

/* It got the signal, and once. */
static void assert_told(void)
{
	char text[64];

	assert_string_equal(told, "told 4");
	assert_false(early);
	read_file("told", text, sizeof(text));
	assert_string_equal(text, "told\n");
}

static void assert_lives(void)
{
	assert_int_equal(waitpid(rank, NULL, WNOHANG), 0);
}

static void handles(void **state)
{
	(void)state;
	start_rank(HANDLES);
	tell(rank);
	assert_told();
	assert_lives();
}

/* The child looks again, for another program of that rank. */
static void has_it_already(void **state)
{
	(void)state;
	start_rank(HANDLES);
	tell_but(rank, rank);
	assert_string_equal(told, "told 4");
	assert_lives();
	tell(rank);
	assert_told(); /* once: not before */
}

/* It would die of the signal. */
static void has_no_handler(void **state)
{
	(void)state;
	start_rank(": > ready; exec sleep 100");
	tell(rank);
	assert_string_equal(told, "deaf 4");
	assert_lives();
}

/* Below shells that only wait, and have no handler. */
static void below_shells(void **state)
{
	(void)state;
	start_rank("sh -c \"" HANDLES "\"; :");
	tell(rank);
	assert_told();
	assert_lives();
}

/* The shell above a program has a handler: it answers for what it starts. */
static void above_a_program(void **state)
{
	(void)state;
	start_rank("trap 'echo told >> told' USR1; : > ready; "
		   "while :; do sh -c 'sleep 100; :'; done");
	tell(rank);
	assert_string_equal(told, "told 4");
	assert_lives();
}

/* A rank has ended, and its number may be another process's. */
static void not_our_child(void **state)
{
	char text[32];

	(void)state;
	start_rank("sh -c \"echo \\$\\$ > pid; " HANDLES "\"; :");
	read_file("pid", text, sizeof(text));
	tell((pid_t)strtol(text, NULL, 10));
	assert_string_equal(told, "");
	assert_false(there("told"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(handles),	    TEST(has_it_already),  TEST(has_no_handler),
		TEST(below_shells), TEST(above_a_program), TEST(not_our_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
