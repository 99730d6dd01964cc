/* SPDX-License-Identifier: Apache-2.0 */
/* The user's state folder: where it is, whose it is, and what stays in it. */
#include "sys/kept/state_folder.h"

#include "tests/fixtures/tree.h"

#include <errno.h>
#include <fcntl.h>

static struct tree tree;
static char folder[PATH_MAX];

static int set_up(void **state)
{
	(void)state;
	tree_open(&tree);
	snprintf(folder, sizeof(folder), "%s/a/b/dist-train", tree.root);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tree_close(&tree);
	return 0;
}

static const char *in_folder(const char *name)
{
	return tree_path_in(folder, name);
}

static int open_it(void)
{
	struct err err = {.text = ""};
	int fd = state_folder_open("key", folder, &err);

	if (fd < 0)
		fail_msg("%s", err.text);
	return fd;
}

static void refused(const char *why)
{
	struct err err = {.text = ""};

	assert_int_equal(state_folder_open("key", folder, &err), -1);
	if (strncmp(err.text, "key: ", 5) != 0 || !strstr(err.text, why) ||
	    !strstr(err.text, folder))
		fail_msg("no '%s' in '%s'", why, err.text);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void is_where_the_environment_says(void **state)
{
	char *path;

	(void)state;
	setenv("HOME", "/home/alice", 1);
	setenv("XDG_STATE_HOME", "/var/state", 1);
	path = state_folder_path();
	assert_string_equal(path, "/var/state/dist-train");
	free(path);
	setenv("XDG_STATE_HOME", "relative", 1);
	path = state_folder_path();
	assert_string_equal(path, "/home/alice/.local/state/dist-train");
	free(path);
	setenv("HOME", "", 1);
	assert_null(state_folder_path());
}

static void is_made(void **state)
{
	struct err err;
	int fd = open_it(), inner;

	(void)state;
	assert_int_equal(mode_of(in_folder("..")), 0700);
	assert_int_equal(mode_of(folder), 0700);
	inner = state_folder_enter("key", fd, in_folder("inner"), &err);
	assert_true(inner >= 0);
	assert_int_equal(mode_of(in_folder("inner")), 0700);
	close(inner);
	close(fd);
	fd = open_it();
	close(fd);
}

/* A link on the way is the user's own business where nobody else can make one;
 * in its place it is refused, as is what others may change. */
static void is_the_users_alone(void **state)
{
	char path[PATH_MAX];
	struct err err;

	(void)state;
	close(open_it());
	assert_int_equal(chmod(folder, 0720), 0);
	refused("others may write to it");
	assert_int_equal(chmod(folder, 0700), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(folder, 1, 1), 0);
		refused("belongs to another user");
	}
	assert_int_equal(rename(folder, in_folder("../other")), 0);
	assert_int_equal(symlink("other", folder), 0);
	refused(strerror(ENOTDIR));
	assert_int_equal(unlink(folder), 0);
	snprintf(path, sizeof(path), "%s/c", tree.root);
	assert_int_equal(symlink("a", path), 0);
	snprintf(folder, sizeof(folder), "%.3000s/b/dist-train", path);
	close(open_it());
	assert_int_equal(chmod(tree.root, 0777), 0);
	assert_int_equal(state_folder_open("key", folder, &err), -1);
	assert_non_null(strstr(err.text, "symbolic link"));
}

static void put(const char *name, time_t at)
{
	const struct timespec times[2] = {{.tv_sec = at}, {.tv_sec = at}};
	int fd = open(in_folder(name), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static bool is_there(const char *name)
{
	return access(in_folder(name), F_OK) == 0;
}

static void the_newest_stay(void **state)
{
	char name[64];
	int fd = open_it();

	(void)state;
	for (int i = 0; i < 9; i++) {
		snprintf(name, sizeof(name), "%d.0.0.jsonl", 90 - i);
		put(name, 1000 + i);
	}
	put("notes.jsonl", 1);
	put("1.2.jsonl", 1);
	put("1.2.3.jsonl.old", 1);
	put("1.2.x.jsonl", 1);
	put("1.2.3.cluster.jsonl", 2);
	put("1.2.4x.jsonl", 2);
	assert_int_equal(mkdir(in_folder("1.2.3.jsonl"), 0700), 0);
	state_folder_prune(fd, ".jsonl", 2);
	assert_true(is_there("82.0.0.jsonl"));
	assert_true(is_there("83.0.0.jsonl"));
	assert_false(is_there("84.0.0.jsonl"));
	assert_false(is_there("90.0.0.jsonl"));
	assert_true(is_there("notes.jsonl"));
	assert_true(is_there("1.2.jsonl"));
	assert_true(is_there("1.2.3.jsonl.old"));
	assert_true(is_there("1.2.x.jsonl"));
	assert_false(is_there("1.2.3.cluster.jsonl"));
	assert_true(is_there("1.2.4x.jsonl"));
	assert_true(is_there("1.2.3.jsonl"));
	close(fd);
}

static void so_do_folders(void **state)
{
	int fd = open_it();

	(void)state;
	assert_int_equal(mkdir(in_folder("1.0.0"), 0700), 0);
	put("1.0.0/dump", 1);
	assert_int_equal(mkdir(in_folder("dumps"), 0700), 0);
	put("2.0.0", 1);
	/* others may write to it, and can have moved it here */
	assert_int_equal(mkdir(in_folder("3.0.0"), 0700), 0);
	assert_int_equal(chmod(in_folder("3.0.0"), 0770), 0);
	put("3.0.0/data", 1);
	state_folder_prune(fd, "", 0);
	assert_false(is_there("1.0.0"));
	assert_true(is_there("3.0.0/data"));
	assert_true(is_there("dumps"));
	assert_true(is_there("2.0.0"));
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_where_the_environment_says),
		TEST(is_made),
		TEST(is_the_users_alone),
		TEST(the_newest_stay),
		TEST(so_do_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
