/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/ranktable_shared.h"

#include "core/facts/handover.h"
#include "tests/fixtures/unit.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void facts(void **state)
{
	const char *dir;
	size_t n;
	char *text = ranktable_shared_facts("/a b/c", "rank=0 x\n", 9, &n);
	char without[] = "rank=0 x\nrank=1 y\n", empty[] = "";

	(void)state;
	assert_string_equal(text, "folder /a b/c\nrank=0 x\n");
	assert_int_equal(n, strlen(text));
	assert_string_equal(ranktable_shared_rows(text, &dir), "rank=0 x\n");
	assert_string_equal(dir, "/a b/c");
	free(text);
	assert_ptr_equal(ranktable_shared_rows(without, &dir), without);
	assert_null(dir);
	assert_string_equal(without, "rank=0 x\nrank=1 y\n");
	assert_ptr_equal(ranktable_shared_rows(empty, &dir), empty);
	assert_null(dir);
}

static void whose(void **state)
{
	char dir[] = "/tmp/dist-train-test-XXXXXX", link[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_true(ranktable_shared_is_here(dir));
	assert_false(ranktable_shared_is_here("/tmp/dist-train-nowhere"));
	snprintf(link, sizeof(link), "%s.link", dir);
	assert_int_equal(symlink(dir, link), 0);
	assert_false(ranktable_shared_is_here(link));
	unlink(link);
	chmod(dir, 0750);
	assert_false(ranktable_shared_is_here(dir));
	chmod(dir, 0700);
	if (geteuid() == 0) {
		assert_int_equal(chown(dir, 65534, 65534), 0);
		assert_false(ranktable_shared_is_here(dir));
	}
	rmdir(dir);
}

/* Task 0's folder before the one in the node's memory; none that isn't here. */
static void of_node(void **state)
{
	char first[] = "/tmp/dist-train-test-XXXXXX", found[PATH_MAX];
	char task0[] = "/tmp/dist-train-test-XXXXXX";
	int fd = memfd_create("node", MFD_CLOEXEC);

	(void)state;
	assert_true(mkdtemp(first) && mkdtemp(task0));
	assert_int_equal(ftruncate(fd, sizeof(struct node_memory)), 0);
	assert_int_equal(ranktable_shared_of_node(fd, NULL, found), -1);
	assert_int_equal(ranktable_shared_of_node(-1, task0, found), 0);
	assert_string_equal(found, task0);
	node_memory_tell(fd, first);
	assert_int_equal(ranktable_shared_of_node(fd, task0, found), 0);
	assert_string_equal(found, task0);
	assert_int_equal(ranktable_shared_of_node(fd, "/nowhere", found), 0);
	assert_string_equal(found, first);
	rmdir(first);
	assert_int_equal(ranktable_shared_of_node(fd, NULL, found), -1);
	rmdir(task0);
	close(fd);
}

static void comparing(void **state)
{
	static const char table[] = "{\"a\": 1}";
	char path[] = "/tmp/dist-train-test-XXXXXX";
	int fd = mkstemp(path);
	struct err err;

	(void)state;
	assert_true(fd >= 0 && write(fd, table, 8) == 8);
	close(fd);
	assert_int_equal(ranktable_shared_check(path, table, 8, "n1", &err), 0);
	assert_int_equal(ranktable_shared_check(path, table, 7, "n1", &err),
			 -1);
	assert_int_equal(
		ranktable_shared_check(path, "{\"a\": 2}", 8, "n1", &err), -1);
	assert_non_null(strstr(err.text, "node n1: "));
	assert_non_null(strstr(err.text, "isn't the table that task 0"));
	unlink(path);
	assert_int_equal(ranktable_shared_check(path, table, 8, "n1", &err),
			 -1);
	assert_non_null(strstr(err.text, "No such file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts),
		cmocka_unit_test(whose),
		cmocka_unit_test(of_node),
		cmocka_unit_test(comparing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
