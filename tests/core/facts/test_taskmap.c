/* SPDX-License-Identifier: Apache-2.0 */
/* Which task is where, as srun describes it and a node reads it. */
#include "core/facts/taskmap.h"

#include "tests/fixtures/unit.h"

struct layout {
	const char *tasks;
	unsigned ntasks, nnodes;
	unsigned node[12];
	const char *taskmap; /* NULL: blocks */
};

static const struct layout layouts[] = {
	{"1", 1, 1, {0}, NULL},
	{"2(x2)", 4, 2, {0, 0, 1, 1}, NULL},
	{"2,1(x3)", 5, 4, {0, 0, 1, 2, 3}, NULL},
	{"1(x3)", 3, 3, {0, 1, 2}, NULL},
	{"2(x2)", 4, 2, {0, 1, 0, 1}, TASKMAP_CYCLIC},
	{"3,1,2", 6, 3, {0, 1, 2, 0, 2, 0}, TASKMAP_CYCLIC},
	{"4,3", 7, 2, {0, 0, 1, 1, 0, 0, 1}, "0(x2),1(x2),0(x2),1"},
	{"1,1,2", 4, 3, {2, 0, 2, 1}, "2,0,2,1"},
	{"1(x3)", 3, 3, {2, 0, 1}, "2,0,1"},
};

static void there_and_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(layouts); i++) {
		const struct layout *l = &layouts[i];
		unsigned seen[4] = {0};
		struct task_place *place;
		struct err err;
		char *taskmap;

		assert_int_equal(taskmap_describe(l->node, l->ntasks, l->tasks,
						  l->nnodes, &taskmap, &err),
				 0);
		assert_case(l->tasks, !taskmap == !l->taskmap);
		if (taskmap)
			assert_string_equal(taskmap, l->taskmap);
		place = taskmap_make(l->tasks, taskmap, l->ntasks, l->nnodes,
				     &err);
		assert_non_null(place);
		for (unsigned t = 0; t < l->ntasks; t++) {
			assert_int_equal(place[t].node, l->node[t]);
			assert_int_equal(place[t].local, seen[l->node[t]]++);
		}
		free(place);
		free(taskmap);
	}
}

static void contradictions(void **state)
{
	static const struct {
		const char *tasks, *taskmap;
		unsigned ntasks, nnodes;
	} bad[] = {
		{"2(x2)", NULL, 5, 2},
		{"2(x2)", NULL, 4, 3},
		{"", NULL, 1, 1},
		{"x", NULL, 1, 1},
		{"2(x2)", "0,1", 4, 2},
		{"2(x2)", "0(x3),1", 4, 2},
		{"2(x2)", "0,0,1,2", 4, 2},
		{"2(x2)", "diagonal", 4, 2},
		{"2(x2)", "0(x2),1(x3)", 4, 2},
		{"0(x1),2", NULL, 4, 2},
		{"2(x4000000000)", NULL, 4, 2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct err err = {""};

		assert_case(bad[i].tasks,
			    !taskmap_make(bad[i].tasks, bad[i].taskmap,
					  bad[i].ntasks, bad[i].nnodes, &err));
		assert_case(bad[i].tasks, *err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(contradictions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
