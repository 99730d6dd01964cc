/* SPDX-License-Identifier: Apache-2.0 */
/* What sattach --layout prints. */
#include "helpers/cli/exec/exec.h"

#include "tests/fixtures/unit.h"

static int read_text(const char *text, unsigned ntasks, unsigned *node)
{
	const struct job job = {.nnodes = 3, .ntasks = ntasks};
	char copy[400];

	snprintf(copy, sizeof(copy), "%s", text);
	return exec_layout_read(copy, &job, node);
}

static void layout(void **state)
{
	static const char text[] = "Job step layout:\n"
				   "\t4 tasks, 3 nodes (node[1-3])\n\n"
				   "\tNode 0 (node1), 1 task(s): 3 \n"
				   "\tNode 1 (node2), 2 task(s): 0 1 \n"
				   "\tNode 2 (node3), 1 task(s): 2 \n";
	unsigned node[4];

	(void)state;
	assert_int_equal(read_text(text, 4, node), 0);
	assert_int_equal(node[0], 1);
	assert_int_equal(node[1], 1);
	assert_int_equal(node[2], 2);
	assert_int_equal(node[3], 0);
	assert_int_equal(read_text(text, 5, node), -1);
	assert_int_equal(read_text(text, 3, node), -1);
	assert_int_equal(read_text("", 1, node), -1);
	assert_int_equal(read_text("Node 3 (n), 1 task(s): 0", 1, node), -1);
	assert_int_equal(read_text("Node x (n), 1 task(s): 0", 1, node), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(layout)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
