/* SPDX-License-Identifier: Apache-2.0 */
/* Signs of work of a rank, of files that look like those of /proc. */
#include "helpers/watch/signs.h"

#include "tests/fixtures/tree.h"

#define LONG_MS 1000

static struct tree tree;
static struct signs signs;
static uint64_t now;

struct is {
	int parent;
	unsigned long ticks, bytes, faults;
};

static void process(int pid, struct is is)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "%d (a b) c) S %d 1 1 0 -1 0 %lu 0 0 0 %lu 0 0 0 20 0 1\n",
		 pid, is.parent, is.faults, is.ticks);
	tree_file(&tree, text, "/proc/%d/stat", pid);
	snprintf(text, sizeof(text),
		 "rchar: 5\nwchar: 7\nsyscr: 9\nsyscw: 2\nread_bytes: 3\n"
		 "write_bytes: %lu\ncancelled_write_bytes: 0\n",
		 is.bytes);
	tree_file(&tree, text, "/proc/%d/io", pid);
}

static void ends(int pid)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/proc/%d/stat", tree.root, pid);
	assert_int_equal(remove(path), 0);
}

static int set_up(void **state)
{
	(void)state;
	tree_open(&tree);
	now = 1000;
	process(7, (struct is){1, 100, 1000, 50});
	return signs_open(&signs, tree.root, 7, now);
}

static int tear_down(void **state)
{
	(void)state;
	free(signs.process);
	tree_close(&tree);
	return 0;
}

/* One second later. */
static bool works(void)
{
	now += 1000;
	return signs_look(&signs, now, LONG_MS);
}

/* In time for the last one to have its turn. */
static bool works_soon(void)
{
	for (int i = 0; i < SIGNS_TURNS; i++)
		if (works())
			return true;
	return false;
}

static void finds(void)
{
	struct signs *all[] = {&signs};

	signs_find(all, 1, now);
}

static void settle(void)
{
	assert_true(works()); /* it has just begun */
	assert_false(works());
}

static void bytes(void **state)
{
	(void)state;
	settle();
	process(7, (struct is){1, 100, 1000 + SIGNS_BYTES, 50});
	assert_false(works()); /* a heartbeat's */
	process(7, (struct is){1, 100, 5000, 50});
	assert_true(works());
	assert_int_equal(signs.moved_ms, now);
	assert_false(works());
}

/* Of a process below it, too. */
static void skipped(void **state)
{
	uint64_t before;

	(void)state;
	settle();
	process(8, (struct is){7, 0, 0, 0});
	finds();
	works_soon();
	assert_false(works_soon());
	before = signs.moved_ms;
	process(7, (struct is){1, 100, 90000, 50});
	process(8, (struct is){7, 100, 90000, 50});
	now += 1000;
	signs_skip(&signs, now);
	assert_int_equal(signs.moved_ms, before);
	assert_false(works_soon());
	process(8, (struct is){7, 100, 99000000, 50});
	assert_true(works_soon());
}

static void memory(void **state)
{
	(void)state;
	settle();
	process(7, (struct is){1, 100, 1000, 50 + SIGNS_FAULTS + 1});
	assert_true(works());
	assert_false(works());
}

static void cpu_is_no_work(void **state)
{
	(void)state;
	settle();
	assert_false(signs_is_busy(&signs));
	process(7, (struct is){1, 200, 1000, 50});
	assert_false(works());
	assert_true(signs_is_busy(&signs));
	assert_false(works());
	assert_false(signs_is_busy(&signs));
}

/* Found once, and from then on looked at. */
static void below(void **state)
{
	(void)state;
	settle();
	process(8, (struct is){7, 0, 0, 0});
	process(9, (struct is){8, 0, 0, 0});
	process(10, (struct is){1, 0, 0, 0}); /* a stranger */
	assert_false(works());
	finds();
	assert_int_equal(signs.n, 3);
	assert_int_equal(signs.moved_ms, now);
	assert_true(works()); /* each of them is new */
	assert_true(works());
	assert_false(works());
	process(9, (struct is){8, 0, 100000, 0});
	assert_true(works_soon());
	assert_false(works());
	ends(9);
	assert_true(works_soon());
	assert_int_equal(signs.n, 2);
	assert_false(works());
}

static void traced(void **state)
{
	(void)state;
	settle();
	tree_file(&tree, "Name:\ta\nTracerPid:\t0\n", "/proc/7/status");
	assert_false(signs_is_held(&signs));
	tree_file(&tree, "Name:\ta\nTracerPid:\t99\n", "/proc/7/status");
	assert_false(signs_is_held(&signs)); /* it may be a sample of ours */
	assert_true(signs_is_held(&signs));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bytes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(skipped, set_up, tear_down),
		cmocka_unit_test_setup_teardown(memory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cpu_is_no_work, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(below, set_up, tear_down),
		cmocka_unit_test_setup_teardown(traced, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
