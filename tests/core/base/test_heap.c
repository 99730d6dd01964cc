/* SPDX-License-Identifier: Apache-2.0 */
/* A heap against the plainest way to do the same. */
#include "core/base/heap.h"

#include "tests/fixtures/unit.h"

#include <stdlib.h>

#define N 500

static struct heap_item item[N];
static bool in[N];

/* The one that is to be first; -1: none is in. */
static int smallest(void)
{
	int first = -1;

	for (int i = 0; i < N; i++)
		if (in[i] &&
		    (first < 0 || item[i].number < item[first].number ||
		     (item[i].number == item[first].number &&
		      item[i].turn < item[first].turn)))
			first = i;
	return first;
}

static void is_in_order(const struct heap *heap)
{
	int first = smallest();

	assert_ptr_equal(heap->first, first < 0 ? NULL : &item[first]);
}

static void random_steps(void **state)
{
	struct heap heap = {0};

	(void)state;
	srandom(19);
	for (int step = 0; step < 40000; step++) {
		/* From all added to all removed, and back */
		bool adds = random() % 100 < (step / 4000 % 2 ? 30 : 70);
		int i = random() % 4 ? (int)(random() % N) : smallest();

		if (i < 0 || in[i] == adds)
			continue;
		if (adds)
			heap_add(&heap, &item[i], (uint64_t)random() % 50);
		else
			heap_remove(&heap, &item[i]);
		in[i] = adds;
		is_in_order(&heap);
	}
	for (int i; (i = smallest()) >= 0;) {
		heap_remove(&heap, &item[i]);
		in[i] = false;
		is_in_order(&heap);
	}
}

static void equal_ones_in_their_turn(void **state)
{
	struct heap heap = {0};

	(void)state;
	for (int i = 0; i < N; i++)
		heap_add(&heap, &item[i], 7);
	for (int i = 0; i < N; i++) {
		assert_ptr_equal(heap.first, &item[i]);
		heap_remove(&heap, heap.first);
	}
	assert_null(heap.first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_steps),
		cmocka_unit_test(equal_ones_in_their_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
