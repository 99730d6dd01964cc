/* SPDX-License-Identifier: Apache-2.0 */
/* Lines go to the file by children, in order, and nobody waits for these. */
#include "helpers/record/recorder.h"

#include "core/facts/record_words.h"
#include "sys/orphans.h"
#include "sys/text_file.h"
#include "tests/fixtures/tree.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENOUGH_MS 20000

static struct tree tree;
static struct loop loop;
static struct loop_timer timer;
static char why[600];

static int open_all(void **state)
{
	struct err err;

	(void)state;
	*why = '\0';
	tree_open(&tree);
	return loop_open(&loop, &err);
}

static int close_all(void **state)
{
	(void)state;
	loop_close(&loop);
	tree_close(&tree);
	return 0;
}

static void on_failed(void *arg, const char *text)
{
	(void)arg;
	snprintf(why, sizeof(why), "%s", text);
}

static struct recorder *open_recorder(const char *dir)
{
	struct recorder_options options = {
		.loop = &loop,
		.dir = dir,
		.step = "7.0.0",
		.head = strdup("head\n"),
		.failed = on_failed,
	};
	struct recorder *r = recorder_open(&options);

	assert_non_null(r);
	return r;
}

static void add(struct recorder *r, const char *line, bool soon)
{
	recorder_add(r, strdup(line), RECORD_MAX, soon);
}

static char *read_record(void)
{
	char path[PATH_MAX + 16];
	struct err err;

	snprintf(path, sizeof(path), "%s/7.0.0.jsonl", tree.root);
	return text_file_read(path, 1 << 20, &err);
}

static void has(const char *expected)
{
	char *text = read_record();

	if (!text || strcmp(text, expected) != 0)
		fail_msg("not '%s': '%s'", expected, text ? text : "no file");
	free(text);
}

/* Look at the file until it has that. */
struct awaited {
	const char *text;
	uint64_t until_ms;
};

static void look(void *arg)
{
	struct awaited *a = arg;
	char *text = read_record();
	bool is = text && !strcmp(text, a->text);

	free(text);
	if (is || loop_now_ms() > a->until_ms)
		loop_stop(&loop);
	else
		loop_arm(&loop, &timer, 10);
}

static void await(const char *text)
{
	struct awaited a = {text, loop_now_ms() + ENOUGH_MS};
	struct err err;

	timer = (struct loop_timer){.expired = look, .arg = &a};
	loop_arm(&loop, &timer, 0);
	assert_int_equal(loop_run(&loop, &err), 0);
	loop_disarm(&loop, &timer);
	has(text);
}

/* Those that can wait go with the next one that can't. */
static void writes_as_it_goes(void **state)
{
	struct recorder *r = open_recorder(tree.root);

	(void)state;
	add(r, "a\n", false);
	add(r, "b\n", true);
	await("head\na\nb\n");
	add(r, "c\n", true);
	await("head\na\nb\nc\n");
	add(r, "d\n", false);
	recorder_close(r);
	has("head\na\nb\nc\nd\n");
}

/* Another launcher goes on in the same file. */
static void goes_on(void **state)
{
	struct recorder *r = open_recorder(tree.root);

	(void)state;
	recorder_close(r);
	has("head\n");
	r = open_recorder(tree.root);
	add(r, "a\n", false);
	recorder_close(r);
	has("head\na\n");
}

static void says_why_not(void **state)
{
	char path[PATH_MAX + 16];
	struct recorder *r;

	(void)state;
	tree_file(&tree, "", "/file");
	snprintf(path, sizeof(path), "%s/file", tree.root);
	r = open_recorder(path);
	add(r, "a\n", true);
	recorder_close(r);
	if (!strstr(why, path))
		fail_msg("'%s' doesn't name %s", why, path);
}

/* --- a file system that hangs --- */

static pid_t child;

/* The one child that hasn't ended; 0: there is none. */
static pid_t find_child(void)
{
	char path[64];
	int pid = 0;
	FILE *f;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	f = fopen(path, "re");
	assert_non_null(f);
	if (fscanf(f, "%d", &pid) != 1)
		pid = 0;
	fclose(f);
	return pid;
}

static void stop_it(void *arg)
{
	siginfo_t info = {.si_code = 0};

	(void)arg;
	child = find_child();
	if (child) {
		kill(child, SIGSTOP);
		waitid(P_PID, (id_t)child, &info, WSTOPPED | WEXITED | WNOWAIT);
	}
	if (info.si_code != CLD_STOPPED)
		child = 0;
	loop_stop(&loop);
}

/* As if a call of its own never returned. It may be too quick for that. */
static struct recorder *with_hanging_child(void)
{
	struct recorder *r;
	struct err err;

	for (unsigned i = 0; i < 1000; i++) {
		r = open_recorder(tree.root);
		add(r, "a\n", true);
		timer = (struct loop_timer){.expired = stop_it};
		loop_arm(&loop, &timer, 0);
		assert_int_equal(loop_run(&loop, &err), 0);
		if (child)
			return r;
		recorder_close(r);
	}
	fail_msg("no child could be stopped");
	return NULL;
}

static void waits_a_second_at_most(void **state)
{
	struct recorder *r = with_hanging_child();
	uint64_t begin = loop_now_ms(), took;

	(void)state;
	for (int i = 0; i < 100000; i++)
		add(r, "a line that finds no room at some time\n", false);
	recorder_close(r);
	took = loop_now_ms() - begin;
	assert_in_range(took, 900, 3000);
}

/* What ends the workers' orphans leaves it alone. */
static void is_no_orphan(void **state)
{
	struct recorder *r = with_hanging_child();

	(void)state;
	while (orphans_kill(child)) /* earlier ones, which were too quick */
		usleep(1000);
	assert_int_equal(orphans_kill(0), 0);
	kill(child, SIGCONT);
	recorder_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(writes_as_it_goes, open_all,
						close_all),
		cmocka_unit_test_setup_teardown(goes_on, open_all, close_all),
		cmocka_unit_test_setup_teardown(says_why_not, open_all,
						close_all),
		cmocka_unit_test_setup_teardown(waits_a_second_at_most,
						open_all, close_all),
		cmocka_unit_test_setup_teardown(is_no_orphan, open_all,
						close_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
