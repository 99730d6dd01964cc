/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helpers/cli/exec/exec.h"

#include <string.h>

static const char job[] =
	"JobId=7 JobName=train\n"
	"   NodeList=node[1-3]\n"
	"     Nodes=node[1-2] CPU_IDs=0-3 Mem=0 GRES=npu:8(IDX:0-7)\n"
	"     Nodes=node3 CPU_IDs=0 Mem=0 GRES=gpu:1(IDX:0),npu:2(IDX:3,5)\n"
	"     Nodes=node4 CPU_IDs=0 Mem=0 GRES=\n"
	"   MinCPUsNode=1\n";

static void test_of_node(void **state)
{
	struct idlist npus;
	const char *name = NULL;

	(void)state;
	assert_int_equal(exec_npus_of_node(job, "node2", &npus, &name), 0);
	assert_int_equal(npus.n, 8);
	assert_string_equal(name, "npu");
	assert_int_equal(exec_npus_of_node(job, "node3", &npus, &name), 0);
	assert_int_equal(npus.n, 2);
	assert_int_equal(npus.id[1], 5);
	assert_int_equal(exec_npus_of_node(job, "node4", &npus, &name), 0);
	assert_int_equal(npus.n, 0);
	assert_int_equal(exec_npus_of_node(job, "node5", &npus, &name), 0);
	assert_int_equal(npus.n, 0);
	assert_int_equal(exec_npus_of_node("", "node1", &npus, &name), 0);
	assert_int_equal(npus.n, 0);
	assert_int_equal(exec_npus_of_node(" Nodes=node1 GRES=npu:x(IDX:z)",
					   "node1", &npus, &name),
			 -1);
}

static void test_of_step(void **state)
{
	(void)state;
	assert_int_equal(exec_npus_of_step("StepId=7.0\n   TresPerNode=gres:"
					   "npu:2\n",
					   "npu", 8),
			 2);
	assert_int_equal(exec_npus_of_step("   TresPerTask=cpu:1,gres/npu:3\n",
					   "npu", 8),
			 3);
	/* as many as its job */
	assert_int_equal(
		exec_npus_of_step("   TRES=cpu=2,gres/npu=16\n", "npu", 8), 8);
	/* none */
	assert_int_equal(exec_npus_of_step("   TRES=cpu=2\n", "npu", 8), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_node),
		cmocka_unit_test(test_of_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
