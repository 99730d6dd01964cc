/* SPDX-License-Identifier: Apache-2.0 */
/* What files as those of /proc say of a process. */
#include "sys/proc_file.h"

#include "tests/fixtures/tree.h"

static struct tree root;

static int set_up(void **state)
{
	(void)state;
	tree_open(&root);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tree_close(&root);
	return 0;
}

/* The numbers are those of the fields in proc(5). */
static void all_of_stat(void **state)
{
	struct proc_stat s;

	(void)state;
	tree_file(&root,
		  "7 (a) R (b) D 4 5 6 7 -1 9 10 11 12 13 14 15 16 17 18 19 20 "
		  "21 22 23 24 18446744073709551615 26\n",
		  "/proc/7/stat");
	tree_file(&root, "8 (c) t 4", "/proc/7/task/8/stat");
	assert_int_equal(proc_stat_read(root.root, 7, 0, &s), 0);
	assert_string_equal(s.name, "a) R (b");
	assert_int_equal(s.state, 'D');
	assert_int_equal(s.parent, 4);
	assert_int_equal(s.faults, 10 + 12);
	assert_int_equal(s.ticks, 14 + 15);
	assert_int_equal(s.ended_ticks, 16 + 17);
	assert_int_equal(s.rss_kib, 24 * sysconf(_SC_PAGESIZE) / 1024);
	assert_int_equal(proc_stat_read(root.root, 7, 8, &s), 0);
	assert_string_equal(s.name, "c");
	assert_int_equal(s.state, 't');
	assert_int_equal(s.ticks, 0);
}

static void no_stat(void **state)
{
	static const char *const texts[] = {"", "7", "7 without brackets",
					    "7 (a)", "7 )S("};
	struct proc_stat s, before;
	char *name = repeated('n', 5000);

	(void)state;
	memset(&s, UNTOUCHED, sizeof(s));
	before = s;
	assert_int_equal(proc_stat_read(root.root, 7, 0, &s), -1);
	for (size_t i = 0; i < COUNT(texts); i++) {
		tree_file(&root, texts[i], "/proc/7/stat");
		assert_case(texts[i],
			    proc_stat_read(root.root, 7, 0, &s) == -1);
	}
	name[2] = '(';
	tree_file(&root, name, "/proc/7/stat");
	free(name);
	assert_int_equal(proc_stat_read(root.root, 7, 0, &s), -1);
	assert_memory_equal(&s, &before, sizeof(s));
}

static void io(void **state)
{
	struct proc_io io;

	(void)state;
	assert_int_equal(proc_io_read(root.root, 7, &io), -1);
	tree_file(&root,
		  "rchar: 1\nwchar: 18446744073709551615\nsyscr: 3\nsyscw: 4\n"
		  "read_bytes: 5\nwrite_bytes: 6\ncancelled_write_bytes: 7\n",
		  "/proc/7/io");
	assert_int_equal(proc_io_read(root.root, 7, &io), 0);
	assert_int_equal(io.read_chars, 1);
	assert_true(io.written_chars == UINT64_MAX);
	assert_int_equal(io.read, 5);
	assert_int_equal(io.written, 6);
}

static void words(void **state)
{
	static const char status[] = "Name:\tPid: 3\nPid:\t7\nEmpty:\n";
	char where[8];

	(void)state;
	assert_int_equal(atoi(proc_status_value(status, "Pid")), 7);
	assert_int_equal(*proc_status_value(status, "Empty"), '\n');
	assert_string_equal(proc_status_value(status, "Na"), "");
	assert_string_equal(proc_state_words('S'), "sleeps");
	assert_string_equal(proc_state_words('\0'), "is in an unknown state");
	proc_wchan_read(root.root, 7, 7, where, sizeof(where));
	assert_string_equal(where, "");
	tree_file(&root, "0", "/proc/7/task/7/wchan");
	proc_wchan_read(root.root, 7, 7, where, sizeof(where));
	assert_string_equal(where, "");
	tree_file(&root, "futex_wait_queue\n", "/proc/7/task/7/wchan");
	proc_wchan_read(root.root, 7, 7, where, sizeof(where));
	assert_string_equal(where, "futex_w");
}

static void put_children(int pid, int tid, const char *children)
{
	tree_file(&root, children, "/proc/%d/task/%d/children", pid, tid);
}

static void descendants(void **state)
{
	pid_t pid[8];

	(void)state;
	put_children(7, 7, "20 21 ");
	put_children(7, 8, "22 ");
	put_children(20, 20, "30 ");
	put_children(30, 30, "7 7 7 7 7 7 7 7 7 7 "); /* hostile */
	assert_int_equal(proc_descendants(root.root, 7, pid, 1), 1);
	assert_int_equal(proc_descendants(root.root, 7, pid, 3), 3);
	assert_int_equal(proc_descendants(root.root, 7, pid, 5), 5);
	assert_int_equal(pid[0], 7);
	assert_int_equal(pid[1] + pid[2] + pid[3], 20 + 21 + 22);
	assert_int_equal(pid[4], 30);
	assert_int_equal(proc_descendants(root.root, 7, pid, 8), 8);
	assert_int_equal(proc_descendants(root.root, 99, pid, 8), 1);
}

/* More than one read() gives. */
static void many_children(void **state)
{
	static pid_t pid[3000];
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	for (int i = 1; i < 3000; i++)
		fprintf(f, "%d ", 10000 + i);
	fclose(f);
	put_children(7, 7, text);
	free(text);
	assert_int_equal(proc_descendants(root.root, 7, pid, 3000), 3000);
	assert_int_equal(pid[2999], 12999);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_of_stat), TEST(no_stat),     TEST(io),
		TEST(words),	   TEST(descendants), TEST(many_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
