/* SPDX-License-Identifier: Apache-2.0 */
/* Which launcher of a node asks for which rows, and that no row is asked for
 * twice or by nobody. */
#include "helpers/ranktable/exchange.h"

#include "tests/fixtures/plan_fixture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NPUS 4

/* The tasks 1, 3 and 5 are on the node; this is the `local`-th of them. */
static struct facts cyclic_task(unsigned local)
{
	struct facts f = facts_task(6, 2, 2 * local + 1, local, 1, "1,3,5");

	facts_handover(&f);
	facts_set(&f, "SLURM_DIST_TRAIN_GPUS", "1-3");
	return f;
}

static void one_tells_for_all(void **state)
{
	struct facts f = cyclic_task(0);
	struct rows_wanted w;
	struct err err = {""};
	struct task t;

	(void)state;
	plan_ok(&t, "ascend", &f);
	assert_true(rows_wanted_first_tells(&t.plan));
	if (rows_wanted_of_node(&t.plan, &t.config, &w, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(w.npu.n, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(w.rank[i], 2 * i + 1);
		assert_int_equal(w.npu.id[i], i + 1);
	}
	clear(&t);
}

/* Of each task of the node, what it would have told by itself. */
static void agrees_with_each(void **state)
{
	struct facts first = cyclic_task(0);
	struct rows_wanted all, own;
	struct npu_task npus;
	struct err err = {""};
	struct task t;

	(void)state;
	plan_ok(&t, "ascend", &first);
	assert_int_equal(rows_wanted_of_node(&t.plan, &t.config, &all, &err),
			 0);
	clear(&t);
	for (unsigned i = 0; i < all.npu.n; i++) {
		struct facts f = cyclic_task(i);

		plan_ok(&t, "ascend", &f);
		assert_true(rows_wanted_first_tells(&t.plan));
		assert_int_equal(npu_task_find(&t.plan, &npus, &err), 0);
		rows_wanted_own(&t.plan, &npus, &own);
		assert_int_equal(own.npu.n, 1);
		assert_int_equal(own.rank[0], all.rank[i]);
		assert_int_equal(own.npu.id[0], all.npu.id[i]);
		clear(&t);
	}
}

static void each_for_itself(void **state)
{
	static const struct {
		const char *what, *option, *name, *value;
	} cases[] = {
		{"bound", "ascend", "SLURM_STEP_GPUS", "2"},
		{"recovery", "ascend,spares=1,on-node-loss=replace", NULL,
		 NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct facts f = cyclic_task(0);
		struct task t;

		if (cases[i].name)
			facts_set(&f, cases[i].name, cases[i].value);
		plan_ok(&t, cases[i].option, &f);
		assert_case(cases[i].what, !rows_wanted_first_tells(&t.plan));
		clear(&t);
	}
}

/* One task per node, components whose tasks have other numbers, and tasks that
 * Slurm was asked to bind. */
static void nobody_else_to_ask_for(void **state)
{
	static const char *const name[] = {"SLURM_GPU_BIND", "SLURM_TRES_BIND",
					   "SLURM_GPUS_PER_TASK"};
	struct facts alone = device_task(2, 0, "2,2", 2), f = cyclic_task(0);
	struct task t;

	(void)state;
	plan_ok(&t, "ascend", &alone);
	assert_false(rows_wanted_first_tells(&t.plan));
	clear(&t);
	plan_ok(&t, "ascend", &f);
	assert_true(rows_wanted_first_tells(&t.plan));
	setenv("SLURM_HET_SIZE", "2", 1);
	assert_false(rows_wanted_first_tells(&t.plan));
	unsetenv("SLURM_HET_SIZE");
	clear(&t);
	for (size_t i = 0; i < COUNT(name); i++) {
		struct facts bound = cyclic_task(0);

		facts_set(&bound, name[i], "2");
		plan_ok(&t, "ascend", &bound);
		assert_false(rows_wanted_first_tells(&t.plan));
		clear(&t);
	}
}

static int make_root(void **state)
{
	static char root[] = "/tmp/test_rows_wanted.XXXXXX";
	char path[64];

	*state = mkdtemp(root);
	if (!*state)
		return -1;
	snprintf(path, sizeof(path), "%s/dev", root);
	mkdir(path, 0700);
	for (unsigned i = 0; i < NPUS; i++) {
		snprintf(path, sizeof(path), "%s/dev/davinci%u", root, i);
		close(creat(path, 0600));
	}
	return setenv("DIST_TRAIN_NPU_ROOT", root, 1);
}

static int remove_root(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", (char *)*state);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_tells_for_all),
		cmocka_unit_test(agrees_with_each),
		cmocka_unit_test(each_for_itself),
		cmocka_unit_test(nobody_else_to_ask_for),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
