/* SPDX-License-Identifier: Apache-2.0 */
/* What slurmstepd's process that removes for the job's user is like, and what
 * it takes. */
#include "tests/fixtures/step_cleaning.h"

#define LEVELS	 20000
#define FILES	 100000
#define MEMORY_K 8192 /* kB that the process may use more than this one */

/* As a task can make them: each folder in the one before. */
static void make_levels(void)
{
	int fd = open(at(OWN), O_RDONLY | O_DIRECTORY | O_CLOEXEC), next;

	assert_int_equal(seteuid(ALICE), 0);
	for (int i = 0; i < LEVELS; i++) {
		assert_int_equal(mkdirat(fd, "d", 0700), 0);
		next = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(next >= 0);
		close(fd);
		fd = next;
	}
	close(fd);
	assert_int_equal(seteuid(0), 0);
}

static void is_bounded_by_depth(void **state)
{
	long used;

	(void)state;
	make_run_dir(OWN);
	make_levels();
	touch(ALICE, OWN "/f");
	used = run();
	print_message("%d levels: %ld kB more than the test\n", LEVELS, used);
	assert_true(used < MEMORY_K);
	assert_false(is_there(OWN "/f"));
	assert_true(is_there(OWN "/d"));
}

static void is_bounded_by_number(void **state)
{
	char name[64];
	long used;

	(void)state;
	make_run_dir(OWN);
	for (int i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), OWN "/%d", i);
		assert_int_equal(mknod(at(name), S_IFREG | 0600, 0), 0);
	}
	used = run();
	print_message("%d files: %ld kB more than the test\n", FILES, used);
	assert_true(used < MEMORY_K);
	assert_false(is_there(OWN));
}

/* Slurmstepd's descriptors are closed, and nothing of slurmstepd's is left in
 * it. */
static void takes_nothing_along(void **state)
{
	sigset_t set, old;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	if (getenv("EMULATED"))
		skip(); /* what is counted is qemu's */
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, &old);
	run();
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(fd);
	assert_int_equal(seen->files_before, 0);
	assert_int_equal(seen->files, 0);
	assert_false(seen->blocked);
	assert_true(seen->at_root);
	assert_int_equal(seen->dumpable, 0);
	assert_int_equal(seen->core.rlim_max, 0);
	assert_int_equal(seen->data.rlim_max, 0);
	assert_true(seen->open.rlim_max <= 128);
	assert_in_range(seen->seconds, 1, 60);
}

/* Whom alice may not signal, nor stop, and who can't write where she can't. The
 * kernel compares her ids with the real and the saved one. */
static void is_not_the_users(void **state)
{
	(void)state;
	make_run_dir(OWN);
	run();
	assert_false(is_there(OWN));
	assert_int_equal(seen->real, 0);
	assert_int_equal(seen->effective, 0);
	assert_int_equal(seen->saved, 0);
	assert_int_equal(seen->fs, ALICE);
	assert_int_equal(seen->capabilities, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(is_bounded_by_depth),
		CASE(is_bounded_by_number),
		CASE(takes_nothing_along),
		CASE(is_not_the_users),
	};

	if (!may_test())
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
