/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/ladder.h"

#include "tests/fixtures/unit.h"

#define SHORTEST 5 /* of the key lease */
#define DAY_S	 86400

static void figures(void **state)
{
	(void)state;
	assert_int_equal(recovery_interval_ms(15), 1875);
	assert_int_equal(recovery_fence_ms(15), 11250);
	assert_int_equal(recovery_lease_ms(15), 15000);
	assert_int_equal(recovery_interval_ms(SHORTEST), 625);
	assert_int_equal(recovery_fence_ms(SHORTEST), 3375);
}

/* Whoever fences himself does so before others give him up, and not because of
 * one beat that is late. */
static void order(void **state)
{
	(void)state;
	for (long s = SHORTEST; s <= DAY_S; s++) {
		uint64_t beat = recovery_interval_ms(s);
		uint64_t fence = recovery_fence_ms(s);
		uint64_t lease = recovery_lease_ms(s);

		assert_true(beat >= 500);
		assert_true(fence + beat + 1000 <= lease);
		assert_true(fence >= 2 * beat);
		assert_true(fence <= lease - lease / 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures),
		cmocka_unit_test(order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
