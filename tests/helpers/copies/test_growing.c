/* SPDX-License-Identifier: Apache-2.0 */
/* What is packed while it comes, and unpacked elsewhere. */
#include "helpers/copies/growing.h"

#include "helpers/copies/tree.h"
#include "sys/folder.h"
#include "sys/text_file.h"
#include "tests/fixtures/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#define BIG	 (300U << 10)
#define PATIENCE 20000 /* ms */

static char dir[] = "/tmp/test_growing.XXXXXX";
static int base, from, to, pipe_in, pipe_out;
static struct growing comes, taken;
static struct err why;
static int packed, unpacked;
static pthread_t packer, unpacker;

static int begin(void **state)
{
	int fd[2];

	(void)state;
	strcpy(dir, "/tmp/test_growing.XXXXXX");
	assert_non_null(mkdtemp(dir));
	base = open(dir, O_RDONLY | O_DIRECTORY);
	assert_int_equal(mkdirat(base, "from", 0700), 0);
	assert_int_equal(mkdirat(base, "to", 0700), 0);
	from = openat(base, "from", O_RDONLY | O_DIRECTORY);
	to = openat(base, "to", O_RDONLY | O_DIRECTORY);
	assert_int_equal(growing_open(&comes), 0);
	assert_int_equal(growing_open(&taken), 0);
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	pipe_out = fd[0];
	pipe_in = fd[1];
	return 0;
}

static int end(void **state)
{
	(void)state;
	growing_close(&comes);
	growing_close(&taken);
	close(from);
	close(to);
	if (pipe_in >= 0)
		close(pipe_in);
	close(pipe_out);
	folder_empty(base);
	close(base);
	return rmdir(dir);
}

static void put(const char *path, const char *text, size_t n)
{
	int fd = openat(from, path, O_WRONLY | O_CREAT | O_APPEND, 0640);

	assert_true(fd >= 0);
	assert_int_equal(write_full(fd, text, n), 0);
	close(fd);
}

static struct stat stat_of(const char *path)
{
	struct stat st;

	assert_int_equal(fstatat(from, path, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st;
}

static void list(const char *path)
{
	struct stat st = stat_of(path);

	assert_int_equal(growing_list(&comes, path, &st), 0);
}

static void *pack(void *unused)
{
	(void)unused;
	packed = growing_pack(&comes, from, pipe_in);
	close(pipe_in);
	pipe_in = -1;
	return NULL;
}

static void *unpack(void *unused)
{
	(void)unused;
	unpacked = growing_unpack(&taken, to, pipe_out, &why);
	return NULL;
}

static void start(void)
{
	assert_int_equal(pthread_create(&packer, NULL, pack, NULL), 0);
	assert_int_equal(pthread_create(&unpacker, NULL, unpack, NULL), 0);
}

static void stop(void)
{
	pthread_join(packer, NULL);
	pthread_join(unpacker, NULL);
}

static off_t size_there(const char *path)
{
	struct stat st;

	return fstatat(to, path, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_size
								: -1;
}

/* A file's bytes are passed on before it is whole. */
static void it_comes_as_it_grows(void **state)
{
	cleanup_free char *big = repeated('x', BIG);
	struct tree_sum was, now;
	struct stat st;
	struct err err;

	(void)state;
	assert_int_equal(mkdirat(from, "env", 0755), 0);
	list("env");
	put("env/big", big, BIG / 2);
	st = stat_of("env/big");
	st.st_size = BIG;
	assert_int_equal(growing_list(&comes, "env/big", &st), 0);
	start();
	for (int i = 0; i < PATIENCE && size_there("env/big") < BIG / 4; i++)
		usleep(1000);
	assert_true(size_there("env/big") >= BIG / 4);
	assert_false(taken.grown->whole);
	put("env/big", big, BIG / 2);
	assert_int_equal(utimensat(from, "env/big",
				   (struct timespec[]){st.st_mtim, st.st_mtim},
				   0),
			 0);
	growing_more(&comes, BIG / 2);
	put("env/empty", "", 0);
	list("env/empty");
	assert_int_equal(symlinkat("../../away", from, "env/link"), 0);
	list("env/link");
	growing_end(&comes);
	stop();
	assert_int_equal(packed, 0);
	assert_int_equal(unpacked, 0);
	assert_true(taken.grown->whole);
	assert_int_equal(taken.grown->bytes, BIG);
	assert_int_equal(tree_walk(from, "env", -1, NULL, &was, &err), 0);
	assert_int_equal(tree_walk(to, "env", -1, NULL, &now, &err), 0);
	assert_string_equal(was.id, now.id);
}

/* What has come goes to the first folder now, which is empty. */
static void turn(void)
{
	int fd[2], other = from;
	struct growing again = taken;

	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	close(pipe_out);
	pipe_out = fd[0];
	pipe_in = fd[1];
	from = to;
	to = other;
	taken = comes;
	taken.grown->whole = false;
	comes = again;
}

/* It is passed on from there, too, in the order in which it has come. */
static void through_two(void **state)
{
	char name[64];
	struct tree_sum was, now;
	struct err err;

	(void)state;
	assert_int_equal(mkdirat(from, "env", 0755), 0);
	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "env/%d", i);
		assert_int_equal(mkdirat(from, name, 0700), 0);
		snprintf(name, sizeof(name), "env/%d/file", i);
		put(name, name, (size_t)i);
	}
	assert_int_equal(tree_walk(from, "env", -1, &comes, &was, &err), 0);
	growing_end(&comes);
	start();
	stop();
	assert_int_equal(unpacked, 0);
	folder_empty(from);
	turn();
	start();
	stop();
	assert_int_equal(packed, 0);
	assert_int_equal(unpacked, 0);
	assert_int_equal(tree_walk(to, "env", -1, NULL, &now, &err), 0);
	assert_string_equal(was.id, now.id);
}

/* What Python compiles takes a file's place, and is listed again. */
static void what_is_compiled_again(void **state)
{
	static const char pyc[] = "env/__pycache__/a.pyc";

	(void)state;
	assert_int_equal(mkdirat(from, "env", 0755), 0);
	assert_int_equal(mkdirat(from, "env/__pycache__", 0755), 0);
	list("env");
	list("env/__pycache__");
	put(pyc, "a long one", 10);
	list(pyc);
	assert_int_equal(unlinkat(from, pyc, 0), 0);
	put(pyc, "new", 3);
	list("env/__pycache__");
	list(pyc);
	start();
	growing_end(&comes);
	stop();
	assert_int_equal(packed, 0);
	assert_int_equal(unpacked, 0);
	assert_int_equal(size_there(pyc), 3);
}

/* A file that isn't as it was listed ends it. */
static void a_file_that_is_short(void **state)
{
	struct stat st;

	(void)state;
	put("a", "abc", 3);
	st = stat_of("a");
	st.st_size = 4;
	assert_int_equal(growing_list(&comes, "a", &st), 0);
	growing_end(&comes);
	start();
	stop();
	assert_int_equal(packed, -1);
	assert_int_equal(unpacked, -1);
	assert_string_equal(why.text, "");
	assert_false(taken.grown->whole);
}

/* Nothing comes out of the folder, by a name or along a link. */
static void away(const char *path)
{
	struct stat st = {.st_mode = S_IFDIR | 0755};
	char name[64];

	assert_int_equal(symlinkat("..", from, "up"), 0);
	list("up");
	snprintf(name, sizeof(name), "%s", path);
	assert_int_equal(growing_list(&comes, name, &st), 0);
	growing_end(&comes);
	start();
	stop();
	assert_int_equal(unpacked, -1);
	assert_non_null(strstr(why.text, path));
	assert_true(faccessat(base, "evil", F_OK, 0) < 0);
}

static void up_by_a_name(void **state)
{
	(void)state;
	away("../evil");
}

static void up_along_a_link(void **state)
{
	(void)state;
	away("up/evil");
}

static void the_root(void **state)
{
	(void)state;
	away("/evil");
}

static void itself(void **state)
{
	(void)state;
	away("..");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_comes_as_it_grows),
		TEST(through_two),
		TEST(what_is_compiled_again),
		TEST(a_file_that_is_short),
		TEST(up_by_a_name),
		TEST(up_along_a_link),
		TEST(the_root),
		TEST(itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
