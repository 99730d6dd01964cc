/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/sample/group.h"
#include "helpers/sample/sample.h"

#include "sys/loop.h"
#include "tests/fixtures/unit.h"

#define TORCH "/usr/lib/python3/dist-packages/torch/"
#define C10D  TORCH "distributed/distributed_c10d.py"

/* Main threads, in rows; the rank's number goes in their place. */
#define PROC	"proc\t%d\t7\tpython3\tpy-spy\tS\nthread\t7\tMainThread\tS\tx\n"
#define MODULE	"frame\t<module>\t/home/a/train.py\t90\n"
#define REDUCE	"frame\tall_reduce\t" C10D "\t1541\n"
#define REDUCES PROC REDUCE "frame\ttrain\t/home/a/train.py\t31\n" MODULE
#define BARRIERS                                                               \
	PROC "frame\tbarrier\t" C10D "\t2784\n"                                \
	     "frame\tsave\t/home/a/train.py\t40\n" MODULE
#define LOADS                                                                  \
	PROC "frame\tselect\t/usr/lib/python3.11/selectors.py\t415\n"          \
	     "frame\t__next__\t" TORCH "utils/data/dataloader.py\t628\n"       \
	     "frame\ttrain\t/home/a/train.py\t88\n" MODULE
#define STOPPED                                                                \
	"proc\t%d\t7\tpython3\tpy-"                                            \
	"spy\tT\nthread\t7\tMainThread\tT\tx\n" REDUCE
#define DISK                                                                   \
	"proc\t%d\t7\tpython3\tpy-spy\tD\n"                                    \
	"thread\t7\tMainThread\tD\tfuse_wait\n" REDUCE
#define GONE	 "gone\t%d\t7\n"
#define NO_FRAME "proc\t%d\t7\ta.out\tproc\tS\nthread\t7\ta.out\tS\tpipe_read\n"

static struct stacks *stacks;
static const struct stack_group *group;
static unsigned ngroups;

static int begin(void **state)
{
	(void)state;
	stacks = stacks_new();
	return stacks ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	stacks_free(stacks);
	return 0;
}

static void add_rows(const char *node, const char *rows)
{
	struct err err;

	assert_int_equal(stacks_add(stacks, node, rows, &err), 0);
}

static void add(int from, int to, const char *format)
{
	char rows[2048], node[16];

	for (int rank = from; rank <= to; rank++) {
		snprintf(node, sizeof(node), "node%d", rank / 2);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(rows, sizeof(rows), format, rank);
#pragma GCC diagnostic pop
		add_rows(node, rows);
	}
}

/* The line of a group, and its blame behind " <- "; "" where there is none. */
static void assert_group(unsigned i, const char *expected)
{
	char text[STACK_LINE_SIZE + 64] = "";

	ngroups = stacks_group(stacks, &group);
	if (i < ngroups) {
		stack_group_line(&group[i], text);
		if (group[i].suspect)
			sprintf(text + strlen(text), " <- %s", group[i].why);
	}
	assert_string_equal(text, expected);
}

/* The case of the issue. */
static void test_loader(void **state)
{
	(void)state;
	add(0, 4, REDUCES);
	add(6, 7, REDUCES);
	add(5, 5, LOADS);
	assert_group(0, "7 ranks (0-4,6-7): all_reduce distributed_c10d.py:1541"
			" < train train.py:31");
	assert_group(1, "1 rank (5, node2): __next__ dataloader.py:628 < train "
			"train.py:88 <- isn't in a collective, as others are");
	assert_group(2, "");
	assert_string_equal(group[0].collective, "all_reduce");
	assert_null(group[1].collective);
}

/* A trainer, servers: none is to be where another world is, and who is to blame
 * is found in each of them. */
static void test_roles(void **state)
{
	(void)state;
	add(0, 1, "world\ttrainer\n" REDUCES);
	add(2, 2, "world\ttrainer\n" LOADS);
	add(0, 0, "world\trollout.1\n" LOADS);
	add(0, 0, "world\trollout.0\n" LOADS "note\trank 0: no frames\n");
	assert_group(0, "1 rank (rollout.0:0, node0): __next__ "
			"dataloader.py:628 < train train.py:88");
	assert_group(1, "1 rank (rollout.1:0, node0): __next__ "
			"dataloader.py:628 < train train.py:88");
	assert_group(2, "2 ranks (trainer:0-1): all_reduce "
			"distributed_c10d.py:1541 < train train.py:31");
	assert_group(3, "1 rank (trainer:2, node1): __next__ dataloader.py:628 "
			"< train train.py:88 <- isn't in a collective, as "
			"others are");
	assert_group(4, "");
	assert_int_equal(stacks_notes(stacks, &(const char *const *){NULL}), 1);
}

/* All healthy, one group: nobody is to blame. */
static void test_one_group(void **state)
{
	(void)state;
	add(0, 3, REDUCES);
	assert_group(0, "4 ranks (0-3): all_reduce distributed_c10d.py:1541 < "
			"train train.py:31");
	assert_group(1, "");
}

static void test_another_collective(void **state)
{
	(void)state;
	add(0, 2, REDUCES);
	add(3, 3, BARRIERS);
	assert_group(1, "1 rank (3, node1): barrier distributed_c10d.py:2784 < "
			"save train.py:40 <- is in another collective than "
			"most");
	ngroups = stacks_group(stacks, &group);
	assert_false(group[0].suspect);
}

/* Half of them: nobody knows who is right. */
static void test_tie(void **state)
{
	(void)state;
	add(0, 1, REDUCES);
	add(2, 3, BARRIERS);
	assert_group(1,
		     "2 ranks (2-3): barrier distributed_c10d.py:2784 < save "
		     "train.py:40");
	add(4, 4, PROC REDUCE MODULE);
	assert_group(2,
		     "1 rank (4, node2): all_reduce distributed_c10d.py:1541 "
		     "< <module> train.py:90");
}

/* What calls the user's code is no collective, though it has some. */
static void test_wrapped_model(void **state)
{
	(void)state;
	add(0, 2, REDUCES);
	add(3, 3,
	    PROC "frame\tforward\t/home/a/train.py\t12\n"
		 "frame\tforward\t" TORCH "nn/parallel/distributed.py\t9\n");
	assert_group(1, "1 rank (3, node1): forward train.py:12 <- isn't in a "
			"collective, as others are");
}

/* What is stopped, stuck or gone counts before all others. */
static void test_stopped(void **state)
{
	(void)state;
	add(0, 4, REDUCES);
	add(5, 5, LOADS);
	add(6, 6, STOPPED);
	add(7, 7, GONE);
	add(8, 8, DISK);
	assert_group(1, "1 rank (5, node2): __next__ dataloader.py:628 < train "
			"train.py:88");
	assert_group(2, "1 rank (6, node3): stopped: all_reduce "
			"distributed_c10d.py:1541 <- is stopped");
	assert_group(3,
		     "1 rank (7, node3): has ended <- has ended while others "
		     "run");
	assert_group(4, "1 rank (8, node4): stuck in the kernel (state D): "
			"all_reduce distributed_c10d.py:1541 <- is stuck in "
			"the kernel (state D)");
}

static void test_no_frames(void **state)
{
	(void)state;
	add(0, 2, NO_FRAME);
	assert_group(0, "3 ranks (0-2): in the kernel's pipe_read, no frames");
}

static void test_native(void **state)
{
	(void)state;
	add_rows("n", "proc\t0\t7\ta.out\teu-stack\tS\nthread\t7\t\tS\t\n"
		      "frame\tpoll\t/lib/libc.so.6\t0\n"
		      "frame\tMPI_Barrier\t/usr/lib/libmpi.so.40\t0\n"
		      "frame\tmain\t/home/a/a.out\t0\n");
	assert_group(0, "1 rank (0, n): MPI_Barrier libmpi.so.40 < main a.out");
	assert_int_equal(group[0].does, STACK_COLLECTIVE);
}

/* Children are no ranks; threads behind the main one don't part ranks. */
static void test_children(void **state)
{
	const struct stack_proc *const *proc;

	(void)state;
	add(0, 1, REDUCES "thread\t9\tpin\tR\t\nframe\tf\ta.py\t3\n");
	add(2, 3, REDUCES "child\t0\t8\tpython3\tproc\tS\n");
	assert_group(0, "4 ranks (0-3): all_reduce distributed_c10d.py:1541 < "
			"train train.py:31");
	assert_int_equal(stacks_procs(stacks, &proc), 6);
	assert_true(proc[3]->child);
	assert_int_equal(proc[0]->nthreads, 2);
}

/* Rows may be anything. */
static void test_hostile(void **state)
{
	const char *const *note;

	(void)state;
	add_rows("n", "frame\tf\ta\t1\nthread\t1\t\tS\t\nframe\tf\ta\t1\n");
	add_rows("n", "");
	add_rows("n", "busy\n");
	add_rows("n", "proc\nframe\tf\ta\t1\nthread\nframe\nnote\nchild\n");
	add_rows("n", "proc\t-1\t99999999999999999999\t\t\tSSSS\nthread\tx");
	assert_int_equal(stacks_group(stacks, &group), 2);
	for (int i = 0; i < 2 * STACK_NOTES; i++)
		add_rows("n", "note\tagain\n");
	assert_int_equal(stacks_notes(stacks, &note), STACK_NOTES);
	assert_string_equal(note[1], "n: again");
}

/* 1,000 ranks with deep stacks, each second one in a place of its own. */
static void test_thousand(void **state)
{
	static char rows[8192];

	(void)state;
	for (int rank = 0; rank < 1000; rank++) {
		int n = sprintf(rows,
				"proc\t%d\t7\tp\tpy-spy\tS\nthread\t7\tm"
				"\tS\t\n",
				rank);

		for (int i = 0; i < 64; i++)
			n += sprintf(rows + n,
				     "frame\tforward\t/home/a/model/"
				     "layers.py\t%d\n",
				     i == 63 && rank % 2 ? 100 + rank : i);
		add_rows("node1", rows);
	}
	assert_int_equal(stacks_group(stacks, &group), 501);
	assert_int_equal(group[0].n, 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_loader, begin, end),
		cmocka_unit_test_setup_teardown(test_roles, begin, end),
		cmocka_unit_test_setup_teardown(test_one_group, begin, end),
		cmocka_unit_test_setup_teardown(test_another_collective, begin,
						end),
		cmocka_unit_test_setup_teardown(test_tie, begin, end),
		cmocka_unit_test_setup_teardown(test_wrapped_model, begin, end),
		cmocka_unit_test_setup_teardown(test_stopped, begin, end),
		cmocka_unit_test_setup_teardown(test_no_frames, begin, end),
		cmocka_unit_test_setup_teardown(test_native, begin, end),
		cmocka_unit_test_setup_teardown(test_children, begin, end),
		cmocka_unit_test_setup_teardown(test_hostile, begin, end),
		cmocka_unit_test_setup_teardown(test_thousand, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
