/* SPDX-License-Identifier: Apache-2.0 */
/* Which folders slurmstepd's process removes for the job's user, and which it
 * leaves. */
#include "tests/fixtures/step_cleaning.h"

static void removes_run_folder(void **state)
{
	(void)state;
	make_run_dir(OWN);
	make(ALICE, OWN "/d", 0755);
	make(ALICE, OWN "/d/e", 0700);
	touch(ALICE, OWN "/f");
	touch(ALICE, OWN "/d/e/f");
	make_run_dir("dist-train-7.1.0-abcdef");
	run();
	assert_false(is_there(OWN));
	assert_true(is_there("dist-train-7.1.0-abcdef"));
}

/* In a folder that nodes share, where the other node's lock isn't seen. */
static void leaves_folder_of_another_node(void **state)
{
	struct stat st;
	char mark[96];

	(void)state;
	make(ALICE, OWN, 0700);
	assert_int_equal(stat(at(OWN), &st), 0);
	snprintf(mark, sizeof(mark), "%llu@other",
		 (unsigned long long)st.st_ino);
	assert_int_equal(symlink(mark, at(OWN "/.made")), 0);
	assert_int_equal(lchown(at(OWN "/.made"), ALICE, ALICE), 0);
	run();
	assert_true(is_there(OWN));
}

/* Bob gives a folder of his a name of alice's launchers. */
static void leaves_folder_of_another(void **state)
{
	(void)state;
	make(BOB, OWN, 0777);
	make(ALICE, OWN "/r", 0755);
	touch(ALICE, OWN "/r/f");
	touch(ALICE, OWN "/f");
	run();
	assert_true(is_there(OWN "/r/f"));
	assert_true(is_there(OWN "/f"));
}

static void leaves_folder_of_another_inside(void **state)
{
	(void)state;
	make_run_dir(OWN);
	touch(ALICE, OWN "/f");
	make(BOB, OWN "/pub", 0777);
	touch(ALICE, OWN "/pub/f");
	run();
	assert_true(is_there(OWN "/pub/f"));
	assert_false(is_there(OWN "/f"));
}

/* A folder of alice's own, to which bob may write: he can move it here. */
static void leaves_folder_of_hers_that_was_moved(void **state)
{
	static const mode_t modes[] = {0777, 0775, 0772, 0700};

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		make(ALICE, "data", modes[i]);
		make(ALICE, "data/r", 0755);
		touch(ALICE, "data/r/f");
		assert_int_equal(rename(at("data"), at(OWN)), 0);
		run();
		assert_true(is_there(OWN "/r/f"));
		assert_int_equal(rename(at(OWN), at("data")), 0);
		assert_int_equal(unlink(at("data/r/f")), 0);
		assert_int_equal(rmdir(at("data/r")), 0);
		assert_int_equal(rmdir(at("data")), 0);
	}
}

/* Nor is one known by a mark that belongs to another, or that isn't hers. */
static void leaves_folder_with_another_mark(void **state)
{
	char mark[96] = "";

	(void)state;
	make_run_dir("left");
	assert_true(readlink(at("left/.made"), mark, sizeof(mark) - 1) > 0);
	make(ALICE, OWN, 0700);
	touch(ALICE, OWN "/f");
	assert_int_equal(symlink(mark, at(OWN "/.made")), 0);
	assert_int_equal(lchown(at(OWN "/.made"), ALICE, ALICE), 0);
	run();
	assert_true(is_there(OWN "/f"));
	assert_int_equal(rename(at("left"), at(OWN "2")), 0);
	assert_int_equal(lchown(at(OWN "2/.made"), BOB, BOB), 0);
	run();
	assert_true(is_there(OWN "2"));
	assert_int_equal(lchown(at(OWN "2/.made"), ALICE, ALICE), 0);
	run();
	assert_false(is_there(OWN "2"));
}

/* Her run folder, which her program has opened to everybody. */
static void leaves_folder_open_to_others(void **state)
{
	(void)state;
	make_run_dir(OWN);
	touch(ALICE, OWN "/f");
	assert_int_equal(chmod(at(OWN), 0777), 0);
	run();
	assert_true(is_there(OWN "/f"));
}

/* A launcher of another component of the step, which lives. */
static void leaves_folder_in_use(void **state)
{
	int fd;

	(void)state;
	make_run_dir(OWN);
	make_run_dir(OWN "2");
	fd = open(at(OWN), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	run();
	assert_true(is_there(OWN));
	assert_false(is_there(OWN "2"));
	close(fd);
	run();
	assert_false(is_there(OWN));
}

/* The launcher has been killed; a child of it still has its files. */
static void leaves_folder_in_use_by_a_child(void **state)
{
	int fd, status;
	pid_t child;

	(void)state;
	make_run_dir(OWN);
	fd = open(at(OWN), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		for (;;)
			pause();
	close(fd);
	run();
	assert_true(is_there(OWN));
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	run();
	assert_false(is_there(OWN));
}

/* Where bob can rename alice's own folders, it is left whatever its name. */
static void leaves_folder_that_others_can_rename(void **state)
{
	static const struct {
		uid_t owner;
		mode_t mode;
	} open[] = {{0, 0777}, {0, 0775}, {BOB, 01777}, {BOB, 0755}};

	(void)state;
	make_run_dir(OWN);
	touch(ALICE, OWN "/f");
	for (size_t i = 0; i < sizeof(open) / sizeof(*open); i++) {
		assert_int_equal(chown(base, open[i].owner, 0), 0);
		assert_int_equal(chmod(base, open[i].mode), 0);
		run();
		assert_true(is_there(OWN "/f"));
	}
	assert_int_equal(chown(base, ALICE, 0), 0);
	assert_int_equal(chmod(base, 0700), 0);
	run();
	assert_false(is_there(OWN));
}

static void follows_no_link(void **state)
{
	(void)state;
	make_run_dir("data");
	touch(ALICE, "data/f");
	assert_int_equal(symlink("data", at(OWN)), 0);
	assert_int_equal(lchown(at(OWN), ALICE, ALICE), 0);
	make_run_dir(OWN "2");
	assert_int_equal(symlink("../data", at(OWN "2/link")), 0);
	run();
	assert_true(is_there("data/f"));
	assert_false(is_there(OWN "2"));
}

static void mount_at(const char *name, const char *from, const char *type)
{
	if (mount(from, at(name), type, type ? 0 : MS_BIND, NULL) < 0) {
		print_message("may not mount a file system\n");
		skip();
	}
}

static void stays_on_file_system(void **state)
{
	(void)state;
	make_run_dir(OWN);
	make(ALICE, OWN "/m", 0700);
	if (unshare(CLONE_NEWNS) < 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		skip();
	mount_at(OWN "/m", "tmpfs", "tmpfs");
	touch(ALICE, OWN "/m/f");
	run();
	assert_true(is_there(OWN "/m/f"));
}

/* What was made elsewhere, and is here by a mount. */
static void leaves_mounted_folder(void **state)
{
	(void)state;
	make(ALICE, "elsewhere", 01777);
	make(ALICE, OWN, 0700);
	if (unshare(CLONE_NEWNS) < 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		skip();
	mount_at("elsewhere", "tmpfs", "tmpfs");
	make_run_dir("elsewhere/data");
	touch(ALICE, "elsewhere/data/f");
	mount_at(OWN, at("elsewhere/data"), NULL);
	run();
	assert_true(is_there("elsewhere/data/f"));
	umount2(at(OWN), MNT_DETACH);
	umount2(at("elsewhere"), MNT_DETACH);
}

static void leaves_what_she_may_not_remove(void **state)
{
	(void)state;
	make_run_dir(OWN);
	make(ALICE, OWN "/d", 0500);
	touch(ALICE, OWN "/d/f");
	run();
	assert_true(is_there(OWN "/d/f"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(removes_run_folder),
		CASE(leaves_folder_of_another_node),
		CASE(leaves_folder_of_another),
		CASE(leaves_folder_of_another_inside),
		CASE(leaves_folder_of_hers_that_was_moved),
		CASE(leaves_folder_with_another_mark),
		CASE(leaves_folder_open_to_others),
		CASE(leaves_folder_in_use),
		CASE(leaves_folder_in_use_by_a_child),
		CASE(leaves_folder_that_others_can_rename),
		CASE(follows_no_link),
		CASE(stays_on_file_system),
		CASE(leaves_mounted_folder),
		CASE(leaves_what_she_may_not_remove),
	};

	if (!may_test())
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
