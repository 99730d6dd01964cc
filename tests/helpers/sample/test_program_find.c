/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/sample/program_find.h"

#include "helpers/sample/tools.h"
#include "tests/fixtures/unit.h"

#define PY(parent_, rank_, words_)                                             \
	{                                                                      \
		.parent = (parent_), .rank = (rank_), .python = true,          \
		.words = words_                                                \
	}
#define NATIVE(parent_, waits_, words_)                                        \
	{                                                                      \
		.parent = (parent_), .rank = -1, .waits = (waits_),            \
		.words = words_                                                \
	}

/* As "INDEX:RANK INDEX:RANK". */
static void assert_programs(const char *what, const struct process_node *node,
			    unsigned n, const char *expected)
{
	struct program program[PROGRAMS];
	unsigned found = programs_find(node, n, 4, program);
	char text[256] = "";

	for (unsigned i = 0; i < found; i++)
		sprintf(text + strlen(text), "%s%d:%ld", i ? " " : "",
			program[i].index, program[i].rank);
	if (strcmp(text, expected) != 0)
		fail_msg("%s: %s, not %s", what, text, expected);
}

#define CHECK(expected, ...)                                                   \
	do {                                                                   \
		const struct process_node node[] = {__VA_ARGS__};              \
		assert_programs(__func__, node, COUNT(node), expected);        \
	} while (0)

static void test_own_process(void **state)
{
	(void)state;
	CHECK("0:4", PY(-1, 4, "python3 train.py"),
	      PY(0, 4, "python3 train.py"));
	CHECK("0:4", NATIVE(-1, false, "./a.out"));
}

static void test_below_others(void **state)
{
	(void)state;
	CHECK("2:4", NATIVE(-1, true, "bash -c python3 a.py; true"),
	      NATIVE(0, true, "uv run python a.py"), PY(1, 4, "python a.py"),
	      PY(2, 4, "python -c from multiprocessing.spawn import x"));
	CHECK("1:4", NATIVE(-1, true, "bash -c ./a.out; true"),
	      NATIVE(0, false, "./a.out"), NATIVE(1, false, "ssh x"));
}

/* Workers are named by the ranks that they have. */
static void test_torchrun(void **state)
{
	(void)state;
	CHECK("1:8 2:9",
	      PY(-1, -1, "/usr/bin/python3 /usr/bin/torchrun train.py"),
	      PY(0, 8, "/usr/bin/python3 -u train.py"),
	      PY(0, 9, "/usr/bin/python3 -u train.py"),
	      PY(1, 8, "/usr/bin/python3 -u train.py"),
	      PY(0, -1, "python3 -c from multiprocessing.resource_tracker"));
	CHECK("2:4", NATIVE(-1, true, "sh -c accelerate launch x.py"),
	      PY(0, 4, "python3 /venv/bin/accelerate launch x.py"),
	      PY(1, 4, "python3 x.py"));
	CHECK("1:3", PY(-1, -1, "python3 -m torch.distributed.run t.py"),
	      PY(0, 3, "python3 -u t.py"));
}

/* The agent alone, before it has started any. */
static void test_before_workers(void **state)
{
	(void)state;
	CHECK("0:4", PY(-1, -1, "python3 /usr/bin/torchrun train.py"));
	CHECK("0:4", PY(-1, -1, "python3 /home/x/mytorchrunner train.py"),
	      PY(0, 1, "python3 other.py"));
}

/* --- the tools' command lines, and whether they may look --- */

static void assert_call(enum tool_id id, bool quiet, bool native,
			const char *expected)
{
	struct tool_call call = {.quiet = quiet, .native = native};
	char text[512] = "";

	tool_call_make(id, "/x/tool", 12, &call);
	for (int i = 0; call.argv[i]; i++)
		sprintf(text + strlen(text), "%s%s", i ? " " : "",
			call.argv[i]);
	assert_string_equal(text, expected);
}

static void test_calls(void **state)
{
	(void)state;
	assert_call(TOOL_PYSPY, false, false,
		    "/x/tool dump --full-filenames --pid 12");
	assert_call(TOOL_PYSPY, true, true,
		    "/x/tool dump --full-filenames --nonblocking --pid 12");
	assert_call(TOOL_PYSPY, false, true,
		    "/x/tool dump --full-filenames --native --pid 12");
	assert_call(TOOL_EUSTACK, false, false, "/x/tool -m -n 64 -p 12");
}

static void test_refusals(void **state)
{
	(void)state;
	assert_null(trace_refusal(0, 1000, false));
	assert_null(trace_refusal(1, 1000, true));
	assert_null(trace_refusal(1, 0, false));
	assert_null(trace_refusal(2, 0, false));
	assert_non_null(strstr(trace_refusal(1, 1000, false), "exec python3"));
	assert_non_null(strstr(trace_refusal(2, 1000, true), "only root"));
	assert_non_null(strstr(trace_refusal(3, 0, true), "nobody"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_process),
		cmocka_unit_test(test_below_others),
		cmocka_unit_test(test_torchrun),
		cmocka_unit_test(test_before_workers),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
