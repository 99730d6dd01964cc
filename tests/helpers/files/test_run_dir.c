/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/files/files.h"

#include "sys/kept/marked_folder.h"
#include "tests/fixtures/tree.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct job job = {.job_id = 7, .node_name = "node1"};
static struct tree tree;

static int open_tree(void **state)
{
	(void)state;
	tree_open(&tree);
	return chmod(tree.root, 01777);
}

static int close_tree(void **state)
{
	(void)state;
	tree_close(&tree);
	return 0;
}

static void made_and_removed(void **state)
{
	struct run_dir dir = {0};
	char path[PATH_MAX + 16];
	struct stat st;
	struct err err;

	(void)state;
	tree_file(&tree, "text", "/kept/file");
	assert_int_equal(run_dir_make(&dir, tree.root, &job, &err), 0);
	assert_int_equal(stat(dir.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	snprintf(path, sizeof(path), "%s/sub", dir.path);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/sub/link", dir.path);
	assert_int_equal(symlink("../../kept", path), 0);
	snprintf(path, sizeof(path), "%s", dir.path);
	run_dir_remove(&dir);
	assert_string_equal(dir.path, "");
	assert_int_equal(access(path, F_OK), -1);
	snprintf(path, sizeof(path), "%s/kept/file", tree.root);
	assert_int_equal(access(path, F_OK), 0);
	run_dir_remove(&dir); /* there is none */
}

/* In a step's folder a world's name is as short as it can be. */
static void of_a_world(void **state)
{
	struct job world = job;
	struct run_dir dir = {0};
	struct err err;

	(void)state;
	world.world = "server.1";
	assert_int_equal(run_dir_make(&dir, tree.root, &world, &err), 0);
	assert_int_equal(strlen(dir.path), strlen(tree.root) + 7);
	run_dir_remove(&dir);
}

/* What a launcher that was killed has left is known as its folder; while it
 * lives, it is in use. */
static void left(void **state)
{
	struct run_dir dir = {0};
	struct err err;
	int base = open(tree.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *name;

	(void)state;
	assert_int_equal(run_dir_make(&dir, tree.root, &job, &err), 0);
	name = strrchr(dir.path, '/') + 1;
	assert_false(marked_folder_remove(base, name, getuid()));
	assert_int_equal(access(dir.path, F_OK), 0);
	close(dir.fd);
	assert_true(marked_folder_remove(base, name, getuid() + 1));
	assert_int_equal(access(dir.path, F_OK), 0);
	assert_true(marked_folder_remove(base, name, getuid()));
	assert_int_equal(access(dir.path, F_OK), -1);
	close(base);
}

static void any_umask(void **state)
{
	struct run_dir dir = {0};
	struct stat st;
	struct err err;
	mode_t old = umask(0777);
	int rc = run_dir_make(&dir, tree.root, &job, &err);

	(void)state;
	assert_int_equal(umask(old), 0777);
	assert_int_equal(rc, 0);
	assert_int_equal(stat(dir.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	run_dir_remove(&dir);
}

/* Another folder at the path isn't the one that was made. */
static void replaced(void **state)
{
	struct run_dir dir = {0};
	char path[PATH_MAX + 16], away[PATH_MAX];
	struct err err;

	(void)state;
	assert_int_equal(run_dir_make(&dir, tree.root, &job, &err), 0);
	snprintf(away, sizeof(away), "%s/away", tree.root);
	assert_int_equal(rename(dir.path, away), 0);
	assert_int_equal(mkdir(dir.path, 0700), 0);
	snprintf(path, sizeof(path), "%s/data", dir.path);
	assert_int_equal(mkdir(path, 0700), 0);
	run_dir_remove(&dir);
	assert_int_equal(access(path, F_OK), 0);
}

static void where_others_may_rename(void **state)
{
	static const mode_t bad[] = {0777, 0775, 0757}, good[] = {01777, 0755};
	struct run_dir dir = {0};
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		assert_int_equal(chmod(tree.root, bad[i]), 0);
		assert_int_equal(run_dir_make(&dir, tree.root, &job, &err), -1);
		assert_non_null(strstr(err.text, "other users may rename it"));
		assert_non_null(strstr(err.text, "chmod +t"));
		assert_string_equal(dir.path, "");
	}
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(chmod(tree.root, good[i]), 0);
		assert_int_equal(run_dir_make(&dir, tree.root, &job, &err), 0);
		run_dir_remove(&dir);
	}
}

static void unusable(void **state)
{
	struct run_dir dir = {0};
	struct err err;

	(void)state;
	assert_int_equal(run_dir_make(&dir, "/dev/null", &job, &err), -1);
	assert_non_null(
		strstr(err.text, "/dev/null on node1: Not a directory"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_tree, close_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(made_and_removed),
		CASE(of_a_world),
		CASE(left),
		CASE(any_umask),
		CASE(replaced),
		CASE(where_others_may_rename),
		CASE(unusable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
