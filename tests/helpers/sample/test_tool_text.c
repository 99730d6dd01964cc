/* SPDX-License-Identifier: Apache-2.0 */
/* What real tools have printed of one program: py-spy 0.4.3 and elfutils
 * 0.188. */
#include "helpers/sample/tools.h"

#include "tests/fixtures/unit.h"

static struct tool_stacks stacks;

static void read_text(tool_read_fn *read, const char *text)
{
	static char copy[1 << 16];

	assert_true(strlen(text) < sizeof(copy));
	strcpy(copy, text);
	memset(&stacks, UNTOUCHED, sizeof(stacks));
	read(copy, &stacks);
}

static void assert_frame(unsigned thread, unsigned i, const char *function,
			 const char *file, long line)
{
	const struct tool_frame *f;

	assert_true(thread < stacks.n && i < stacks.thread[thread].n);
	f = &stacks.thread[thread].frame[i];
	assert_string_equal(f->function, function);
	assert_string_equal(f->file, file);
	assert_int_equal(f->line, line);
}

static void assert_thread(unsigned i, long tid, const char *name, unsigned n)
{
	assert_true(i < stacks.n);
	assert_int_equal(stacks.thread[i].tid, tid);
	assert_string_equal(stacks.thread[i].name, name);
	assert_int_equal(stacks.thread[i].n, n);
}

static void test_pyspy(void **state)
{
	(void)state;
	read_text(pyspy_read,
		  "Process 28339: /usr/bin/python3 w.py\n"
		  "Python v3.11.2 (/usr/bin/python3.11)\n"
		  "\n"
		  "Thread 28339 (idle): \"MainThread\"\n"
		  "    train (/home/alice/w.py:7)\n"
		  "    A.go (/home/alice/w.py:9)\n"
		  "    <lambda> (/home/alice/w.py:10)\n"
		  "    <module> (/home/alice/w.py:10)\n"
		  "Thread 28354 (idle): \"we (ird: \"x\"\"\n"
		  "    worker (/home/alice/w.py:3)\n"
		  "    Thread.run (/usr/lib/python3.11/threading.py:975)\n");
	assert_int_equal(stacks.n, 2);
	assert_thread(0, 28339, "MainThread", 4);
	assert_frame(0, 0, "train", "/home/alice/w.py", 7);
	assert_frame(0, 1, "A.go", "/home/alice/w.py", 9);
	assert_frame(0, 3, "<module>", "/home/alice/w.py", 10);
	assert_thread(1, 28354, "we (ird: \"x\"", 2);
}

/* Folders with blanks, C++, an address that differs from run to run. */
static void test_pyspy_native(void **state)
{
	(void)state;
	read_text(pyspy_read,
		  "Thread 7 (active): \"MainThread\"\n"
		  "    at::f(int (*)(int), long) (libtorch_cpu.so)\n"
		  "    0x7f5725d3a24a (/usr/lib/libc.so.6)\n"
		  "    train (/home/a (b)/t.py:12)\n"
		  "Thread 0x7F00 (active): \"x\"\n"
		  "    g (<string>:1)\n");
	assert_thread(0, 7, "MainThread", 3);
	assert_frame(0, 0, "at::f(int (*)(int), long)", "libtorch_cpu.so", 0);
	assert_frame(0, 1, "??", "/usr/lib/libc.so.6", 0);
	assert_frame(0, 2, "train", "/home/a (b)/t.py", 12);
	assert_thread(1, 0, "x", 1);
	assert_frame(1, 0, "g", "<string>", 1);
}

static void test_eustack(void **state)
{
	(void)state;
	read_text(
		eustack_read,
		"PID 28339 - process\n"
		"TID 28339:\n"
		"#0  0x00007f57 clock_nanosleep@GLIBC_2.2.5 - /lib/libc.so.6\n"
		"#1  0x00000000005d64b4 - /usr/bin/python3.11\n"
		"#2  0x0000 main\n"
		"TID 28354:\n");
	assert_int_equal(stacks.n, 2);
	assert_thread(0, 28339, "", 3);
	assert_frame(0, 0, "clock_nanosleep", "/lib/libc.so.6", 0);
	assert_frame(0, 2, "main", "", 0);
	assert_thread(1, 28354, "", 0);
}

/* Whatever a tool prints, nothing is written past the end. */
static void test_anything(void **state)
{
	static tool_read_fn *const readers[] = {pyspy_read, eustack_read};
	static const char *const texts[] = {
		"",
		"\n\n    f (\n    )\n    f ()\n#0\n#0 \n#0 0x\n#0  in",
		"Thread \nThread 1\nThread \"\n    f (:1)\n    (\n",
		"TID \n#0 0x1 @\n#0 -  - \n#1 0x - \n",
		"Error: Permission denied",
	};

	(void)state;
	for (size_t r = 0; r < COUNT(readers); r++)
		for (size_t i = 0; i < COUNT(texts); i++)
			read_text(readers[r], texts[i]);
}

static void test_bounds(void **state)
{
	char text[16384] = "Thread 1 (idle): \"x\"\n";
	size_t n = strlen(text);

	(void)state;
	for (int i = 1; i <= 100; i++)
		n += (size_t)sprintf(text + n, "    f (a.py:%d)\n", i);
	read_text(pyspy_read, text);
	assert_thread(0, 1, "x", SAMPLE_FRAMES);
	assert_frame(0, 0, "f", "a.py", 1);
	n = 0;
	for (int i = 1; i <= 100; i++)
		n += (size_t)sprintf(text + n, "TID %d:\n#0 0x1 f\n", i);
	read_text(eustack_read, text);
	assert_int_equal(stacks.n, SAMPLE_THREADS);
	assert_thread(SAMPLE_THREADS - 1, SAMPLE_THREADS, "", 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pyspy),
		cmocka_unit_test(test_pyspy_native),
		cmocka_unit_test(test_eustack),
		cmocka_unit_test(test_anything),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
