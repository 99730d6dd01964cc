/* SPDX-License-Identifier: Apache-2.0 */
/* What a launcher knows of its processes by their files. Without an endpoint:
 * there is no program for it beside this one. */
#include "helpers/metrics/metrics.h"

#include "sys/helper_path.h"
#include "tests/fixtures/tree.h"

#include <fcntl.h>
#include <time.h>

static struct tree tree;
static struct loop loop;
static struct metrics *metrics;
static char said[4096], reached[256];
static int dir_fd = -1;

static void on_say(void *arg, const char *line)
{
	(void)arg;
	strncat(said, line, sizeof(said) - strlen(said) - 1);
}

static void on_reached(void *arg, unsigned rank, const struct report *report)
{
	size_t n = strlen(reached);

	(void)arg;
	snprintf(reached + n, sizeof(reached) - n, "%u:%.0f ", rank,
		 report->value[REPORT_PERCENT]);
}

static int open_all(void **state)
{
	struct metrics_options options = {
		.loop = &loop,
		.dir = tree.root,
		.node = "node1",
		.say = on_say,
		.reached = on_reached,
	};
	struct err err;

	(void)state;
	tree_open(&tree);
	*said = *reached = '\0';
	options.dir_fd = dir_fd = open(tree.root, O_RDONLY | O_DIRECTORY);
	assert_int_equal(loop_open(&loop, &err), 0);
	metrics = metrics_open(&options);
	assert_non_null(metrics);
	assert_non_null(strstr(said, "no reports over HTTPS on node1"));
	*said = '\0';
	assert_int_equal(metrics_begin(metrics, 4, 2, &err), 0);
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	metrics_close(metrics);
	loop_close(&loop);
	close(dir_fd);
	tree_close(&tree);
	return 0;
}

/* Written so many seconds ago. */
static void write_file_of(unsigned rank, const char *text, long ago_s)
{
	char path[64];
	struct timespec times[2];

	tree_file(&tree, text, "/progress-%u", rank);
	snprintf(path, sizeof(path), "%s/progress-%u", tree.root, rank);
	clock_gettime(CLOCK_REALTIME, &times[0]);
	times[0].tv_sec -= ago_s;
	times[1] = times[0];
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* The nth field of the first row, or NULL. */
static char *field_of(char *text, int n)
{
	for (; n && text; n--) {
		text = strchr(text, '\t');
		text = text ? text + 1 : NULL;
	}
	return text;
}

/* All rows, the ages as "-" where they are what they should be, and the rate to
 * a tenth: the clock goes on between two reports. */
static void expect_rows(const char *rows, double age_s)
{
	char text[2048] = "", rest[2048], *age, *rate, *end;
	FILE *f = fmemopen(text, sizeof(text), "w");

	metrics_tell(metrics, f);
	assert_int_equal(fclose(f), 0);
	age = field_of(text, 7);
	if (age) {
		double found = strtod(age, &end);

		assert_true(found >= age_s && found < age_s + 5);
		memmove(age + 1, end, strlen(end) + 1);
		*age = '-';
	}
	rate = field_of(text, 5);
	if (rate && *rate != '\t') {
		double found = strtod(rate, &end);

		snprintf(rest, sizeof(rest), "%s", end);
		sprintf(rate, "%g%s", (int)(found * 10 + 0.5) / 10.0, rest);
	}
	assert_string_equal(text, rows);
}

static void nothing_said(void **state)
{
	(void)state;
	expect_rows("", 0);
	assert_int_equal(metrics_last_ms(metrics, 4), 0);
	assert_int_equal(metrics_last_ms(metrics, 6), 0);
	assert_int_equal(metrics_last_ms(NULL, 4), 0);
	metrics_tell(NULL, stderr);
	metrics_end(NULL);
	assert_string_equal(said, "");
}

static void rows_and_rate(void **state)
{
	(void)state;
	write_file_of(5, "10 step=100 acc=0.5\n", 30);
	expect_rows("progress\t5\t10\t\t100\t\t\t-\t\tacc=0.5\n", 30);
	write_file_of(5, "30\n\npercent=41 step=200\n\n \n", 10);
	expect_rows("progress\t5\t41\t\t200\t5\t\t-\t\tacc=0.5\n", 10);
	/* no step further, and the rate stays */
	write_file_of(5, "42", 5);
	expect_rows("progress\t5\t42\t\t200\t5\t\t-\t\tacc=0.5\n", 5);
	/* it has begun anew */
	write_file_of(5, "2 step=4", 4);
	expect_rows("progress\t5\t2\t\t4\t5\t\t-\t\tacc=0.5\n", 4);
	/* its own word */
	write_file_of(5, "2 step=8 rate=7 loss=1", 3);
	expect_rows("progress\t5\t2\t\t8\t7\t1\t-\t\tacc=0.5\n", 3);
	assert_string_equal(reached, "5:10 5:41 ");
	assert_string_equal(said, "");
	assert_true(loop_now_ms() - metrics_last_ms(metrics, 5) < 8000);
}

/* An empty file is one that is being written. */
static void keeps_the_newest(void **state)
{
	(void)state;
	write_file_of(4, "50\n", 10);
	expect_rows("progress\t4\t50\t\t\t\t\t-\t\n", 10);
	write_file_of(4, "", 5);
	expect_rows("progress\t4\t50\t\t\t\t\t-\t\n", 10);
	write_file_of(4, "60", 20); /* an older one */
	expect_rows("progress\t4\t50\t\t\t\t\t-\t\n", 10);
	assert_string_equal(said, "");
}

static void new_round(void **state)
{
	struct err err;

	(void)state;
	write_file_of(4, "50", 1);
	expect_rows("progress\t4\t50\t\t\t\t\t-\t\n", 1);
	assert_int_equal(metrics_begin(metrics, 4, 2, &err), 0);
	expect_rows("", 0);
	assert_string_equal(reached, "4:50 ");
}

static void on_ended(void *arg, unsigned rank, double step)
{
	size_t n = strlen(reached);

	(void)arg;
	snprintf(reached + n, sizeof(reached) - n, "%u at %.0f ", rank, step);
}

/* The slowest one's last step, once for each round. */
static void slowest_at_the_end(void **state)
{
	const struct metrics_options options = {
		.loop = &loop,
		.dir = tree.root,
		.dir_fd = dir_fd,
		.node = "node1",
		.watch = true,
		.say = on_say,
		.reached = on_reached,
		.ended = on_ended,
	};
	struct err err;

	(void)state;
	metrics_close(metrics);
	metrics = metrics_open(&options);
	assert_int_equal(metrics_begin(metrics, 4, 3, &err), 0);
	write_file_of(4, "step=12", 1);
	write_file_of(5, "step=11", 1);
	write_file_of(6, "loss=2", 1);
	metrics_end(metrics);
	metrics_end(metrics);
	assert_string_equal(reached, "5 at 11 ");
	assert_int_equal(metrics_begin(metrics, 4, 3, &err), 0);
	metrics_end(metrics);
	assert_string_equal(reached, "5 at 11 ");
}

/* Whatever a process puts there: one line, and it isn't followed. */
static void hostile_files(void **state)
{
	static const char bad[] = "such reports don't count";
	char path[64], *long_line = repeated('1', 5000);

	(void)state;
	snprintf(path, sizeof(path), "%s/progress-4", tree.root);
	tree_file(&tree, "50", "/elsewhere");
	assert_int_equal(symlink("elsewhere", path), 0);
	expect_rows("", 0);
	assert_non_null(strstr(said, "rank 4 on node1: "
				     "DIST_TRAIN_PROGRESS_FILE: is no regular "
				     "file"));
	assert_non_null(strstr(said, bad));
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_rows("", 0);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	expect_rows("", 0);
	rmdir(path);
	write_file_of(4, long_line, 1);
	expect_rows("", 0);
	write_file_of(4, "nonsense", 1);
	expect_rows("", 0);
	/* said once for all */
	assert_null(strstr(strstr(said, bad) + 1, bad));
	write_file_of(4, "50", 1);
	expect_rows("progress\t4\t50\t\t\t\t\t-\t\n", 1);
	free(long_line);
}

static void end_of_a_long_file(void **state)
{
	char *much = repeated('\n', 100000);

	(void)state;
	strcpy(much + 90000, "\n70 loss=2\n");
	write_file_of(4, much, 1);
	expect_rows("progress\t4\t70\t\t\t\t2\t-\t\n", 1);
	free(much);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_said),	  TEST(rows_and_rate),
		TEST(keeps_the_newest),	  TEST(new_round),
		TEST(slowest_at_the_end), TEST(hostile_files),
		TEST(end_of_a_long_file),
	};

	helper_path_own("", NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
