/* SPDX-License-Identifier: Apache-2.0 */
/* With an fsync() and a close() of its own. */
#include "sys/text_file.h"

#include "tests/fixtures/tree.h"

#include <errno.h>
#include <sys/syscall.h>

static struct tree tree;
static char path[64];
static unsigned syncs;
static int sync_fault, close_fault; /* errno; 0: all is well */

int fsync(int fd)
{
	(void)fd;
	syncs++;
	errno = sync_fault;
	return sync_fault ? -1 : 0;
}

int close(int fd)
{
	int rc = (int)syscall(SYS_close, fd);

	if (!close_fault)
		return rc;
	errno = close_fault;
	return -1;
}

static int setup(void **state)
{
	(void)state;
	tree_open(&tree);
	snprintf(path, sizeof(path), "%s/file", tree.root);
	syncs = 0;
	sync_fault = close_fault = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close_fault = 0;
	assert_int_equal(unlink(path) < 0 && errno != ENOENT, 0);
	assert_int_equal(rmdir(tree.root), 0); /* nothing else is left */
	return 0;
}

static void assert_file(const char *text, mode_t mode)
{
	struct err err;
	char *found = text_file_read(path, 100, &err);
	struct stat st;

	assert_non_null(found);
	assert_string_equal(found, text);
	free(found);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, mode);
}

/* A disk that is busy with other jobs holds no start of a step up. */
static void waits_for_no_disk(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(write_file(path, "one", 3, 0600, &err), 0);
	assert_file("one", 0600);
	assert_int_equal(write_file(path, "two", 3, 0644, &err), 0);
	assert_file("two", 0644);
	assert_int_equal(syncs, 0);
}

static void durable(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(write_file_durable(path, "one", 3, 0600, &err), 0);
	assert_int_equal(syncs, 1);
	sync_fault = EIO;
	assert_int_equal(write_file_durable(path, "two", 3, 0600, &err), -1);
	assert_non_null(strstr(err.text, strerror(EIO)));
	assert_file("one", 0600);
}

/* As NFS, which tells a quota when the file is closed. */
static void full_at_its_end(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(write_file(path, "one", 3, 0600, &err), 0);
	close_fault = EDQUOT;
	assert_int_equal(write_file(path, "two", 3, 0600, &err), -1);
	close_fault = 0;
	assert_non_null(strstr(err.text, strerror(EDQUOT)));
	assert_file("one", 0600);
}

static void no_such_folder(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(write_file("/nowhere/file", "", 0, 0600, &err), -1);
	assert_non_null(strstr(err.text, "/nowhere/file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(waits_for_no_disk, setup,
						teardown),
		cmocka_unit_test_setup_teardown(durable, setup, teardown),
		cmocka_unit_test_setup_teardown(full_at_its_end, setup,
						teardown),
		cmocka_unit_test_setup_teardown(no_such_folder, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
