/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/copies/tree.h"

#include "sys/folder.h"
#include "tests/fixtures/unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANY 1000

static char dir[] = "/tmp/test_tree.XXXXXX";
static int base, other;

static void put(const char *path, const char *text, mode_t mode)
{
	int fd = openat(base, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void at_second(const char *path, long s, long ns)
{
	const struct timespec t[2] = {{s, ns}, {s, ns}};

	assert_int_equal(utimensat(base, path, t, 0), 0);
}

static int begin(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(dir));
	base = open(dir, O_RDONLY | O_DIRECTORY);
	assert_int_equal(mkdirat(base, "copy", 0700), 0);
	other = openat(base, "copy", O_RDONLY | O_DIRECTORY);
	assert_int_equal(mkdirat(base, "env", 0755), 0);
	assert_int_equal(mkdirat(base, "env/lib", 0555), 0);
	assert_int_equal(fchmodat(base, "env/lib", 0755, 0), 0);
	assert_int_equal(mkdirat(base, "env/empty", 0700), 0);
	put("env/lib/a.py", "print(1)\n", 0644);
	put("env/run", "#!/bin/sh\n", 0755);
	put("env/odd", "", 04711);
	assert_int_equal(symlinkat("../elsewhere", base, "env/link"), 0);
	assert_int_equal(mkfifoat(base, "env/pipe", 0600), 0);
	at_second("env/lib/a.py", 1000, 5);
	assert_int_equal(fchmodat(base, "env/lib", 0555, 0), 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	assert_int_equal(fchmodat(base, "env/lib", 0755, 0), 0);
	folder_empty(base);
	close(other);
	close(base);
	return rmdir(dir);
}

static struct tree_sum look(int in, const char *name)
{
	struct tree_sum sum;
	struct err err;

	if (tree_walk(in, name, -1, NULL, &sum, &err) < 0)
		fail_msg("%s: %s", name, err.text);
	return sum;
}

/* What is changed is another content, and what is put back the same. */
static void it_tells_contents_apart(void **state)
{
	struct tree_sum was = look(base, "env"), now;

	(void)state;
	assert_int_equal(was.files, 4);
	assert_int_equal(was.bytes, 19);
	at_second("env/lib/a.py", 1000, 6);
	now = look(base, "env");
	assert_string_not_equal(was.id, now.id);
	assert_string_equal(was.whole, now.whole);
	at_second("env/lib/a.py", 1001, 5);
	now = look(base, "env");
	assert_string_not_equal(was.whole, now.whole);
	at_second("env/lib/a.py", 1000, 5);
	assert_int_equal(fchmodat(base, "env/run", 0744, 0), 0);
	assert_string_not_equal(look(base, "env").id, was.id);
	assert_int_equal(fchmodat(base, "env/run", 0755, 0), 0);
	put("env/more", "", 0644);
	assert_string_not_equal(look(base, "env").id, was.id);
	assert_int_equal(unlinkat(base, "env/more", 0), 0);
	assert_int_equal(unlinkat(base, "env/link", 0), 0);
	assert_int_equal(symlinkat("../elsewhert", base, "env/link"), 0);
	assert_string_not_equal(look(base, "env").id, was.id);
	assert_int_equal(unlinkat(base, "env/link", 0), 0);
	assert_int_equal(symlinkat("../elsewhere", base, "env/link"), 0);
	assert_int_equal(renameat(base, "env/empty", base, "env/lib2"), 0);
	assert_string_not_equal(look(base, "env").id, was.id);
	assert_int_equal(renameat(base, "env/lib2", base, "env/empty"), 0);
	assert_string_equal(look(base, "env").id, was.id);
}

/* What Python compiles comes and goes. */
static void what_is_compiled(void **state)
{
	struct tree_sum was = look(base, "env"), now;

	(void)state;
	assert_int_equal(mkdirat(base, "env/lib/__pycache__", 0755), 0);
	put("env/lib/__pycache__/a.pyc", "1", 0644);
	assert_int_equal(mkdirat(base, "env/lib/__pycache__/more", 0755), 0);
	put("env/lib/__pycache__/more/b", "1", 0644);
	now = look(base, "env");
	assert_string_equal(now.whole, was.whole);
	assert_string_equal(now.id, was.id);
	assert_int_equal(now.files, was.files + 2);
	assert_int_equal(unlinkat(base, "env/lib/__pycache__/a.pyc", 0), 0);
	assert_int_equal(unlinkat(base, "env/lib/__pycache__/more/b", 0), 0);
	assert_int_equal(
		unlinkat(base, "env/lib/__pycache__/more", AT_REMOVEDIR), 0);
	assert_int_equal(unlinkat(base, "env/lib/__pycache__", AT_REMOVEDIR),
			 0);
}

static void a_copy_is_the_same(void **state)
{
	struct tree_sum from = look(base, "env"), sum;
	struct stat st;
	struct err err;
	char link[64];

	(void)state;
	assert_int_equal(tree_walk(base, "env", other, NULL, &sum, &err), 0);
	assert_string_equal(sum.id, from.id);
	sum = look(other, "env");
	assert_string_equal(sum.id, from.id);
	fstatat(other, "env/odd", &st, 0);
	assert_int_equal(st.st_mode & 07777, 0711);
	fstatat(other, "env/lib", &st, 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(readlinkat(other, "env/link", link, sizeof(link)), 12);
	assert_true(faccessat(other, "env/pipe", F_OK, 0) < 0);
	/* It isn't overwritten */
	assert_int_equal(tree_walk(base, "env", other, NULL, &sum, &err), -1);
}

/* More than are copied at the same time, or wait for that. */
static void many_in_a_folder(void **state)
{
	struct tree_sum from, sum;
	struct err err;
	char name[32];

	(void)state;
	assert_int_equal(mkdirat(base, "many", 0700), 0);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "many/%d", i);
		put(name, name, 0600);
	}
	from = look(base, "many");
	assert_int_equal(from.files, MANY);
	assert_int_equal(tree_walk(base, "many", other, NULL, &sum, &err), 0);
	assert_string_equal(sum.id, from.id);
	assert_string_equal(look(other, "many").id, from.id);
}

static void one_file(void **state)
{
	struct tree_sum sum;
	struct err err;

	(void)state;
	put("image.sif", "0123456789", 0600);
	assert_int_equal(tree_walk(base, "image.sif", other, NULL, &sum, &err),
			 0);
	assert_int_equal(sum.bytes, 10);
	assert_string_equal(look(other, "image.sif").id, sum.id);
}

static void what_cant_be_read_is_named(void **state)
{
	struct tree_sum sum;
	struct err err;

	(void)state;
	assert_int_equal(tree_walk(base, "none", -1, NULL, &sum, &err), -1);
	assert_non_null(strstr(err.text, "none: No such file"));
	if (!geteuid())
		return; /* who may read all */
	assert_int_equal(mkdirat(base, "shut", 0700), 0);
	put("shut/file", "x", 0);
	assert_int_equal(mkdirat(other, "second", 0700), 0);
	assert_int_equal(tree_walk(base, "shut", other, NULL, &sum, &err), -1);
	assert_non_null(strstr(err.text, "shut/file: Permission denied"));
}

static void too_deep(void **state)
{
	char path[256] = "deep";
	struct tree_sum sum;
	struct err err;

	(void)state;
	for (int i = 0; i < FOLDER_DEPTH_MAX; i++) {
		assert_int_equal(mkdirat(base, path, 0700), 0);
		strcat(path, "/d");
	}
	assert_int_equal(tree_walk(base, "deep", -1, NULL, &sum, &err), -1);
	assert_non_null(strstr(err.text, "too many folders"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_tells_contents_apart),
		cmocka_unit_test(what_is_compiled),
		cmocka_unit_test(a_copy_is_the_same),
		cmocka_unit_test(many_in_a_folder),
		cmocka_unit_test(one_file),
		cmocka_unit_test(what_cant_be_read_is_named),
		cmocka_unit_test(too_deep),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
