/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/device.h"
#include "core/option/option.h"

#include "tests/fixtures/unit.h"

/* Indices 0 to n-1 for one who has the step's, "0,1,..." for the text. */
static void first_n(unsigned n, struct idlist *list)
{
	list->n = n;
	for (unsigned i = 0; i < n; i++)
		list->id[i] = (unsigned short)i;
}

static struct idlist ids(unsigned n, const unsigned short *id)
{
	struct idlist list = {.n = n};

	memcpy(list.id, id, n * sizeof(*id));
	return list;
}

#define IDS(...)                                                               \
	ids(sizeof((unsigned short[]){__VA_ARGS__}) / sizeof(unsigned short),  \
	    (unsigned short[]){__VA_ARGS__})

static void assert_ids(const struct idlist *list, struct idlist expected)
{
	assert_int_equal(list->n, expected.n);
	for (unsigned i = 0; i < list->n; i++)
		assert_int_equal(list->id[i], expected.id[i]);
}

static void assign(const struct device_facts *f, unsigned index, unsigned n,
		   int visible, struct process_devices *d)
{
	struct err err;

	assert_int_equal(device_assign(f, index, n, visible, d, &err), 0);
}

static void nothing(void **state)
{
	static const struct device_facts none;
	struct process_devices d;

	(void)state;
	assert_int_equal(device_count(&none), 0);
	for (int visible = VISIBLE_AUTO; visible <= VISIBLE_ONE; visible++) {
		assign(&none, 1, 4, visible, &d);
		assert_int_equal(d.own.n, 0);
		assert_int_equal(d.nvisible, 0);
		assert_null(d.variable);
	}
}

/* No variable of Slurm's: the node's own numbering, and Ascend's variable. */
static void by_index(void **state)
{
	struct device_facts f = {.step = IDS(2, 3, 6, 7)};
	struct process_devices d;

	(void)state;
	assert_int_equal(device_count(&f), 4);
	assign(&f, 1, 2, VISIBLE_AUTO, &d);
	assert_ids(&d.own, IDS(6, 7));
	assert_null(d.variable);
	assert_int_equal(d.nvisible, 0);
	assign(&f, 1, 2, VISIBLE_ALL, &d);
	assert_ids(&d.own, IDS(2, 3));
	assert_string_equal(d.variable, "ASCEND_RT_VISIBLE_DEVICES");
	assert_string_equal(d.visible, "2,3,6,7");
	assert_int_equal(d.nvisible, 4);
	assign(&f, 1, 2, VISIBLE_ONE, &d);
	assert_ids(&d.own, IDS(0, 1));
	assert_string_equal(d.variable, "ASCEND_RT_VISIBLE_DEVICES");
	assert_string_equal(d.visible, "6,7");
	assert_int_equal(d.nvisible, 2);
}

static void by_index_bound(void **state)
{
	struct device_facts f = {
		.step = IDS(2, 3, 6, 7),
		.task = IDS(6),
	};
	struct process_devices d;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		assign(&f, i, 4, VISIBLE_AUTO, &d);
		assert_ids(&d.own, IDS(6));
	}
	/* A task that has all of the step's shares them. */
	f.task = f.step;
	assign(&f, 3, 4, VISIBLE_AUTO, &d);
	assert_ids(&d.own, IDS(7));
}

/* CUDA_VISIBLE_DEVICES: a process opens its devices by their place in it. */
static void by_variable(void **state)
{
	struct device_facts f = {
		.step = IDS(2, 3, 6, 7),
		.variable = "CUDA_VISIBLE_DEVICES",
		.step_visible = (char *)"2,3,6,7",
		.task_visible = (char *)"2,3,6,7",
	};
	struct process_devices d;

	(void)state;
	for (int visible = VISIBLE_AUTO; visible <= VISIBLE_ALL; visible++) {
		assign(&f, 1, 2, visible, &d);
		assert_ids(&d.own, IDS(2, 3));
		assert_int_equal(d.nvisible, 4);
		assert_null(d.variable);
	}
	assign(&f, 1, 2, VISIBLE_ONE, &d);
	assert_ids(&d.own, IDS(0, 1));
	assert_int_equal(d.nvisible, 2);
	assert_string_equal(d.variable, "CUDA_VISIBLE_DEVICES");
	assert_string_equal(d.visible, "6,7");
}

/* Slurm bound the task to one of the step's devices. */
static void by_variable_bound(void **state)
{
	struct device_facts f = {
		.step = IDS(2, 3, 6, 7),
		.task = IDS(6),
		.variable = "ROCR_VISIBLE_DEVICES",
		.step_visible = (char *)"2,3,6,7",
		.task_visible = (char *)"6",
	};
	struct process_devices d;

	(void)state;
	assign(&f, 2, 4, VISIBLE_AUTO, &d);
	assert_ids(&d.own, IDS(0));
	assert_int_equal(d.nvisible, 1);
	assert_null(d.variable);
	assign(&f, 2, 4, VISIBLE_ALL, &d);
	assert_ids(&d.own, IDS(2));
	assert_int_equal(d.nvisible, 4);
	assert_string_equal(d.variable, "ROCR_VISIBLE_DEVICES");
	assert_string_equal(d.visible, "2,3,6,7");
	assign(&f, 2, 4, VISIBLE_ONE, &d);
	assert_ids(&d.own, IDS(0));
	assert_string_equal(d.visible, "6");
}

/* Names of any form: MIG devices, UUIDs. */
static void by_variable_with_names(void **state)
{
	struct device_facts f = {
		.variable = "CUDA_VISIBLE_DEVICES",
		.step_visible = (char *)"MIG-GPU-aa/1/0,MIG-GPU-aa/2/0,GPU-b",
		.task_visible = (char *)"MIG-GPU-aa/2/0,GPU-b",
	};
	struct process_devices d;

	(void)state;
	assert_int_equal(device_count(&f), 3);
	assign(&f, 0, 2, VISIBLE_ALL, &d);
	assert_ids(&d.own, IDS(1, 2));
	assert_int_equal(d.nvisible, 3);
	assign(&f, 0, 2, VISIBLE_ONE, &d);
	assert_string_equal(d.visible, "MIG-GPU-aa/2/0,GPU-b");
	f.task_visible = f.step_visible;
	assign(&f, 2, 3, VISIBLE_ONE, &d);
	assert_string_equal(d.visible, "GPU-b");
	assert_ids(&d.own, IDS(0));
}

static void a_task_that_sees_nothing(void **state)
{
	struct device_facts f = {
		.step = IDS(0, 1),
		.variable = "CUDA_VISIBLE_DEVICES",
		.step_visible = (char *)"0,1",
		.task_visible = (char *)"",
	};
	struct process_devices d;

	(void)state;
	assign(&f, 0, 2, VISIBLE_AUTO, &d);
	assert_int_equal(d.own.n, 0);
	assert_int_equal(d.nvisible, 0);
	assign(&f, 0, 2, VISIBLE_ONE, &d);
	assert_int_equal(d.own.n, 0);
	assert_null(d.variable);
	assign(&f, 0, 2, VISIBLE_ALL, &d);
	assert_int_equal(d.own.n, 0);
	assert_string_equal(d.visible, "0,1");
}

/* The step has the variable, this task lost it (a prolog's unset). */
static void a_task_without_the_variable(void **state)
{
	struct device_facts f = {
		.step = IDS(4, 5),
		.variable = "CUDA_VISIBLE_DEVICES",
		.step_visible = (char *)"4,5",
	};
	struct process_devices d;

	(void)state;
	assign(&f, 1, 2, VISIBLE_AUTO, &d);
	assert_ids(&d.own, IDS(5));
	assign(&f, 1, 2, VISIBLE_ONE, &d);
	assert_string_equal(d.variable, "CUDA_VISIBLE_DEVICES");
	assert_string_equal(d.visible, "5");
}

static void too_many_to_list(void **state)
{
	char *name = repeated('x', 600);
	struct device_facts f = {.variable = "CUDA_VISIBLE_DEVICES"};
	struct process_devices d;
	struct err err;
	char both[1300];

	(void)state;
	snprintf(both, sizeof(both), "%s,%s", name, name);
	f.step_visible = f.task_visible = both;
	assert_int_equal(device_assign(&f, 0, 1, VISIBLE_ONE, &d, &err), -1);
	assert_non_null(strstr(err.text, "too many to list"));
	assign(&f, 0, 2, VISIBLE_ONE, &d);
	assert_string_equal(d.visible, name);
	free(name);
}

static void an_index_beyond_the_processes(void **state)
{
	struct device_facts f = {
		.variable = "CUDA_VISIBLE_DEVICES",
		.step_visible = (char *)"0,1",
		.task_visible = (char *)"0,1",
	};
	struct process_devices d;

	(void)state;
	assign(&f, 5, 1, VISIBLE_ONE, &d);
	assert_int_equal(d.own.n, 0);
}

/* Shares of n devices among p processes: contiguous, each device once, none
 * without when there are enough; else each process one, in turn. */
static void shares_cover(unsigned n, unsigned p)
{
	struct device_facts f = {0};
	unsigned used[20] = {0}, next = 0;
	struct process_devices d;

	first_n(n, &f.step);
	for (unsigned i = 0; i < p; i++) {
		assign(&f, i, p, VISIBLE_AUTO, &d);
		if (n >= p)
			assert_in_range(d.own.n, n / p, (n + p - 1) / p);
		else
			assert_int_equal(d.own.n, 1);
		for (unsigned k = 0; k < d.own.n; k++) {
			assert_true(d.own.id[k] < n);
			used[d.own.id[k]]++;
			if (n >= p)
				assert_int_equal(d.own.id[k], next++);
			else
				assert_int_equal(d.own.id[k], i % n);
		}
	}
	for (unsigned i = 0; i < n; i++)
		if (n >= p)
			assert_int_equal(used[i], 1);
		else
			assert_in_range(used[i], p / n, (p + n - 1) / n);
}

static void shares(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 20; n++)
		for (unsigned p = 1; p <= 20; p++)
			shares_cover(n, p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing),
		cmocka_unit_test(by_index),
		cmocka_unit_test(by_index_bound),
		cmocka_unit_test(by_variable),
		cmocka_unit_test(by_variable_bound),
		cmocka_unit_test(by_variable_with_names),
		cmocka_unit_test(a_task_that_sees_nothing),
		cmocka_unit_test(a_task_without_the_variable),
		cmocka_unit_test(too_many_to_list),
		cmocka_unit_test(an_index_beyond_the_processes),
		cmocka_unit_test(shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
