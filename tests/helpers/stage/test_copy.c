/* SPDX-License-Identifier: Apache-2.0 */
/* A copy from one launcher to another, over a real connection. */
#include "helpers/stage/copy_give.h"
#include "helpers/stage/copy_take.h"

#include "helpers/copies/tree.h"
#include "sys/folder.h"
#include "tests/fixtures/channel_fixture.h"

#include <sys/stat.h>

#define PORT_0 23000
#define BIG    (6U << 20) /* more than the window */

static char dir[] = "/tmp/test_copy.XXXXXX";
static int base, copy, half;
static struct copy_give *give;
static struct copy_take *take;
static struct growing comes, taken = {.list = -1};
static bool is_done;
static char why[512];
static struct tree_sum sum;

static unsigned own_port(const void *arg, unsigned try)
{
	(void)arg;
	return try < 8 ? PORT_0 +
	try:
		0;
}

/* 3 is whole; 5 comes. */
static struct copy_source on_copy(void *arg, long number)
{
	(void)arg;
	return (struct copy_source){
		.folder = number == 3 || number == 5 ? copy : -1,
		.name = "env",
		.growing = number == 5 ? comes : GROWING_NONE,
	};
}

static void on_done(void *arg, const char *text, const char *said)
{
	(void)arg;
	is_done = true;
	snprintf(why, sizeof(why), "%s", text ? text : said);
}

static void make_copy(void)
{
	cleanup_free char *big = repeated('x', BIG);
	struct err err;
	int fd;

	copy = openat(base, "copy", O_RDONLY | O_DIRECTORY);
	assert_int_equal(mkdirat(copy, "env", 0755), 0);
	assert_int_equal(mkdirat(copy, "env/lib", 0750), 0);
	fd = openat(copy, "env/lib/big", O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, big, BIG), BIG);
	assert_int_equal(fchmod(fd, 0440), 0);
	close(fd);
	assert_int_equal(symlinkat("lib/big", copy, "env/link"), 0);
	assert_int_equal(tree_walk(copy, "env", -1, NULL, &sum, &err), 0);
}

static int begin(void **state)
{
	const struct copy_give_options options = {
		.step = &step,
		.node = "node1",
		.nmembers = 2,
		.port = own_port,
		.copy = on_copy,
	};
	struct err err;

	open_loop(state);
	assert_int_equal(growing_open(&comes), 0);
	assert_non_null(mkdtemp(dir));
	base = open(dir, O_RDONLY | O_DIRECTORY);
	assert_int_equal(mkdirat(base, "copy", 0700), 0);
	assert_int_equal(mkdirat(base, "half", 0700), 0);
	half = openat(base, "half", O_RDONLY | O_DIRECTORY);
	make_copy();
	give = copy_give_open(&options, &err);
	assert_non_null(give);
	return 0;
}

static int end(void **state)
{
	copy_give_close(give);
	growing_close(&comes);
	growing_close(&taken);
	close(copy);
	close(half);
	folder_empty(base);
	close(base);
	assert_int_equal(rmdir(dir), 0);
	return shut_loop(state);
}

static void begin_take(const struct secure_conn_step *with, long number)
{
	const struct copy_take_options options = {
		.step = with,
		.ip = "127.0.0.1",
		.port = copy_give_port(give),
		.number = number,
		.folder = half,
		.growing = &taken,
		.done = on_done,
	};
	struct err err;

	growing_close(&taken);
	assert_int_equal(growing_open(&taken), 0);
	is_done = false;
	*why = '\0';
	folder_empty(half);
	take = copy_take_open(&options, &err);
	assert_non_null(take);
}

static bool done(const void *arg)
{
	(void)arg;
	return is_done;
}

static void finish(void)
{
	try_until_so(done, NULL);
	assert_true(is_done);
	copy_take_close(take);
}

static void it_is_the_same(void)
{
	struct tree_sum come;
	struct err err;

	assert_int_equal(tree_walk(half, "env", -1, NULL, &come, &err), 0);
	assert_string_equal(come.id, sum.id);
	assert_true(taken.grown->whole);
	assert_int_equal(taken.grown->bytes, BIG);
}

static void it_comes_as_it_is(void **state)
{
	(void)state;
	begin_take(&step, 3);
	finish();
	assert_string_equal(why, "");
	it_is_the_same();
}

static void two_at_a_time(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++)
		it_comes_as_it_is(state);
}

static void list(const char *path)
{
	struct stat st;

	assert_int_equal(fstatat(copy, path, &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(growing_list(&comes, path, &st), 0);
}

static bool lib_is_there(const void *arg)
{
	(void)arg;
	return faccessat(half, "env/lib", F_OK, 0) == 0;
}

/* It is given while it comes. */
static void what_is_half(void **state)
{
	(void)state;
	list("env");
	list("env/lib");
	begin_take(&step, 5);
	run_until_so(lib_is_there, NULL);
	assert_true(faccessat(half, "env/lib/big", F_OK, 0) < 0);
	list("env/lib/big");
	list("env/link");
	growing_end(&comes);
	finish();
	assert_string_equal(why, "");
	it_is_the_same();
}

/* Who gets what doesn't come any more. */
static void what_is_broken_off(void **state)
{
	(void)state;
	growing_close(&comes);
	assert_int_equal(growing_open(&comes), 0);
	list("env");
	list("env/lib");
	begin_take(&step, 5);
	run_until_so(lib_is_there, NULL);
	copy_give_drop(give, 3);
	assert_false(is_done);
	copy_give_drop(give, 5);
	finish();
	assert_string_not_equal(why, "");
	assert_false(taken.grown->whole);
}

static void one_that_isnt_there(void **state)
{
	(void)state;
	begin_take(&step, 4);
	finish();
	assert_string_not_equal(why, "");
}

/* Who hasn't the secret gets nothing, and the host stays. */
static void a_stranger(void **state)
{
	static const unsigned char another[SECRET_SIZE] = "another secret";
	struct secure_conn_step with = step;

	(void)state;
	with.secret = another;
	begin_take(&with, 3);
	finish();
	assert_string_not_equal(why, "");
	assert_true(faccessat(half, "env", F_OK, 0) < 0);
	it_comes_as_it_is(state);
}

static bool has_begun(const void *arg)
{
	(void)arg;
	return faccessat(half, "env", F_OK, 0) == 0;
}

/* The host goes in the middle of it. */
static void the_host_is_lost(void **state)
{
	(void)state;
	begin_take(&step, 3);
	try_until_so(has_begun, NULL);
	copy_give_close(give);
	give = NULL;
	finish();
	assert_string_not_equal(why, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_comes_as_it_is),
		cmocka_unit_test(two_at_a_time),
		cmocka_unit_test(what_is_half),
		cmocka_unit_test(what_is_broken_off),
		cmocka_unit_test(one_that_isnt_there),
		cmocka_unit_test(a_stranger),
		cmocka_unit_test(the_host_is_lost),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
