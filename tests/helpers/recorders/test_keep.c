/* SPDX-License-Identifier: Apache-2.0 */
/* Where dumps are kept: nobody else's folder, no link, no more than a share. */
#include "helpers/recorders/recorders.h"

#include "tests/fixtures/tree.h"

#include <sys/stat.h>

static int open_it(const struct tree *t, const char *step, struct keep *k,
		   struct err *err)
{
	unsetenv("XDG_STATE_HOME");
	setenv("HOME", t->root, 1);
	return keep_open(k, step, 10, err);
}

static bool is_there(const struct tree *t, const char *path, mode_t mode)
{
	char all[256];
	struct stat st;

	snprintf(all, sizeof(all), "%s/%s", t->root, path);
	return lstat(all, &st) == 0 && (st.st_mode & 07777) == mode;
}

static void a_file(void **state)
{
	struct tree t;
	struct keep k;
	struct err err;

	(void)state;
	tree_open(&t);
	assert_int_equal(open_it(&t, "1.0.0", &k, &err), 0);
	assert_int_equal(keep_file(&k, "torch_rank_0", "1234567", 7, &err), 0);
	assert_int_equal(keep_file(&k, "torch_rank_0", "123", 3, &err), 0);
	assert_int_equal(keep_file(&k, "torch_rank_1", "1", 1, &err), -1);
	assert_non_null(strstr(err.text, "share of the step's 64 MiB"));
	keep_close(&k);
	assert_true(is_there(&t, ".local/state/dist-train/dumps/1.0.0", 0700));
	assert_true(is_there(
		&t, ".local/state/dist-train/dumps/1.0.0/torch_rank_0", 0600));
	assert_false(is_there(
		&t, ".local/state/dist-train/dumps/1.0.0/torch_rank_1", 0600));
	tree_close(&t);
}

/* What lies where our folder should be */
static void no_others_folder(void **state)
{
	char path[256], to[256];
	struct tree t;
	struct keep k;
	struct err err;

	(void)state;
	tree_open(&t);
	snprintf(path, sizeof(path), "%s/.local", t.root);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/.local/state", t.root);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/.local/state/dist-train", t.root);
	snprintf(to, sizeof(to), "%s/elsewhere", t.root);
	assert_int_equal(mkdir(to, 0700), 0);
	assert_int_equal(symlink(to, path), 0);
	assert_int_equal(open_it(&t, "1.0.0", &k, &err), -1);
	assert_non_null(strstr(err.text, "dumps aren't kept"));
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chmod(path, 0777), 0);
	assert_int_equal(open_it(&t, "1.0.0", &k, &err), -1);
	assert_false(is_there(&t, "elsewhere/dumps", 0700));
	tree_close(&t);
}

static void no_home(void **state)
{
	struct keep k;
	struct err err;

	(void)state;
	setenv("XDG_STATE_HOME", "relative", 1);
	unsetenv("HOME");
	assert_int_equal(keep_open(&k, "1.0.0", 1, &err), -1);
	assert_non_null(strstr(err.text, "neither XDG_STATE_HOME nor HOME"));
}

static void the_newest_stay(void **state)
{
	struct tree t;
	struct keep k;
	struct err err;
	char path[256];

	(void)state;
	tree_open(&t);
	for (unsigned i = 0; i < KEEP_STEPS + 3; i++) {
		struct timespec at[2] = {{.tv_sec = i + 1}, {.tv_sec = i + 1}};

		snprintf(path, sizeof(path), "%u.0.0", i);
		assert_int_equal(open_it(&t, path, &k, &err), 0);
		assert_int_equal(keep_file(&k, "a", "b", 1, &err), 0);
		assert_int_equal(futimens(k.fd, at), 0);
		keep_close(&k);
	}
	assert_int_equal(open_it(&t, "99.0.0", &k, &err), 0);
	keep_close(&k);
	assert_false(is_there(&t, ".local/state/dist-train/dumps/3.0.0", 0700));
	assert_true(is_there(&t, ".local/state/dist-train/dumps/4.0.0", 0700));
	tree_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file),
		cmocka_unit_test(no_others_folder),
		cmocka_unit_test(no_home),
		cmocka_unit_test(the_newest_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
