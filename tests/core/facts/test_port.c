/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/port.h"

#include "tests/fixtures/unit.h"

#define MIN 20000
#define MAX 28999

static void reserved(void **state)
{
	static const unsigned expected[] = {21000, 21001, 21002, 21007};
	unsigned port = 77;

	(void)state;
	for (unsigned i = 0; i < COUNT(expected); i++) {
		assert_int_equal(port_reserved("21000-21002,21007", i, &port),
				 0);
		assert_int_equal(port, expected[i]);
	}
	port = 77;
	assert_int_equal(port_reserved("21000-21002,21007", 4, &port), -1);
	assert_int_equal(port, 77);
	assert_int_equal(port_reserved("65535", 0, &port), 0);
	assert_int_equal(port, 65535);
}

static void reserved_bad(void **state)
{
	static const char *const cases[] = {
		"",	 ",",
		"a",	 "0",
		"65536", "-1",
		"5-3",	 "5-",
		"5 ",	 " 5",
		"[5-6]", "5-65536",
		"5x",	 "99999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		unsigned port = 77;

		assert_case(cases[i], port_reserved(cases[i], 9, &port) == -1);
		assert_int_equal(port, 77);
	}
	assert_int_equal(port_reserved("5-", 0, &(unsigned){0}), -1);
	assert_int_equal(port_reserved("0", 0, &(unsigned){0}), -1);
}

static unsigned derived(unsigned long job_id, unsigned long step_id,
			unsigned restart, unsigned min, unsigned max)
{
	return port_derived(job_id, step_id, restart, 1, min, max);
}

static void derived_is_in_range(void **state)
{
	static const unsigned long extremes[] = {
		0, 1, 4711, 0x7fffffff, 0xfffffffb, 0xffffffff};

	(void)state;
	for (size_t j = 0; j < COUNT(extremes); j++)
		for (size_t s = 0; s < COUNT(extremes); s++)
			for (unsigned span = 1; span < 100; span++) {
				unsigned port =
					derived(extremes[j], extremes[s],
						(unsigned)extremes[j], MIN,
						MIN + span - 1);

				assert_in_range(port, MIN, MIN + span - 1);
			}
	assert_in_range(derived(7, 7, 7, 1024, 65535), 1024, 65535);
}

static void steps_in_a_row_differ(void **state)
{
	(void)state;
	for (unsigned long job = 1; job < 300; job++)
		for (unsigned long first = 0; first < 200; first += 13)
			for (unsigned i = 0; i < 60; i++)
				for (unsigned k = 0; k < i; k++)
					assert_int_not_equal(
						derived(job, first + i, 0, MIN,
							MAX),
						derived(job, first + k, 0, MIN,
							MAX));
}

/* Also where a count passes a multiple of the range. */
static void steps_differ_over_the_edge(void **state)
{
	unsigned span = MAX - MIN + 1;

	(void)state;
	for (unsigned long first = span - 60; first <= span; first++)
		for (unsigned i = 1; i < 60; i++)
			assert_int_not_equal(
				derived(4711, first, 0, MIN, MAX),
				derived(4711, first + i, 0, MIN, MAX));
}

static void jobs_and_requeues_differ(void **state)
{
	(void)state;
	for (unsigned long job = 1; job < 20000; job += 7)
		for (unsigned i = 1; i < 100; i++)
			assert_int_not_equal(derived(job, 0, 0, MIN, MAX),
					     derived(job + i, 0, 0, MIN, MAX));
	for (unsigned r = 1; r < 10; r++)
		assert_int_not_equal(derived(4711, 3, 0, MIN, MAX),
				     derived(4711, 3, r, MIN, MAX));
}

/* Jobs that run beside each other, with the first steps of each. */
static void steps_of_near_jobs_differ(void **state)
{
	(void)state;
	for (unsigned long job = 4711; job < 4711 + 300; job += 37)
		for (unsigned i = 1; i < 100; i++)
			for (unsigned a = 0; a < 60; a += 3)
				for (unsigned b = 0; b < 60; b++)
					assert_int_not_equal(
						derived(job, a, 0, MIN, MAX),
						derived(job + i, b, 0, MIN,
							MAX));
}

static unsigned meets_at(unsigned span, unsigned taken, unsigned try)
{
	const struct port_range range = {MIN, MIN + span - 1, taken, 3};

	return port_of_launchers(4711, 3, 0, &range, try);
}

/* In the range, never one of the three taken, no port twice, and an end. */
static void launchers(void **state)
{
	(void)state;
	for (unsigned span = 1; span < 300; span++) {
		for (unsigned taken = MIN; taken + 2 < MIN + span; taken++) {
			unsigned seen[16] = {0}, n = 0, port;

			while ((port = meets_at(span, taken, n))) {
				assert_in_range(port, MIN, MIN + span - 1);
				assert_false(port - taken < 3);
				for (unsigned i = 0; i < n; i++)
					assert_int_not_equal(seen[i], port);
				seen[n++] = port;
				assert_true(n < COUNT(seen));
			}
			assert_int_equal(n, span > 11 ? 8 : span - 3);
		}
	}
}

/* Far from where coordinators of this and the next steps are. */
static void launchers_keep_away(void **state)
{
	const struct port_range range = {.min = MIN, .max = MAX};

	(void)state;
	for (unsigned long job = 1; job < 9000; job += 7)
		for (unsigned step = 0; step < 60; step++)
			assert_int_not_equal(
				port_of_launchers(job, 0, 0, &range, 0),
				port_derived(job, step, 0, 1, MIN, MAX));
}

/* Steps of a job, jobs whose ids are near, and the coordinator's own port */
static void recorders_differ(void **state)
{
	unsigned a = port_of_recorders(7, 0, 0, 20000, 29999);

	(void)state;
	assert_in_range(a, 20000, 29999);
	assert_int_not_equal(a, port_of_recorders(7, 1, 0, 20000, 29999));
	assert_int_not_equal(a, port_of_recorders(8, 0, 0, 20000, 29999));
	assert_int_not_equal(a, port_of_recorders(7, 0, 1, 20000, 29999));
	assert_int_not_equal(a, port_derived(7, 0, 0, 1, 20000, 29999));
	assert_int_equal(port_of_recorders(7, 3, 0, 20000, 20000), 20000);
}

/* Each port of Slurm's range, once, from srun's own on. */
static void beside_srun(void **state)
{
	const struct port_range ten = {60000, 60009, 0, 0},
				all = {1, 65535, 0, 0};

	(void)state;
	for (unsigned try = 0; try < 10; try++)
		assert_int_equal(port_beside_srun(1237, &ten, try),
				 60000 + (7 + try) % 10);
	assert_int_equal(port_beside_srun(1237, &ten, 10), 0);
	assert_int_equal(port_beside_srun(4194303, &all, 0),
			 1 + 4194303 % 65535);
}

static void spares(const char *mpi_params, unsigned taken, unsigned ntaken)
{
	struct port_range range = {.min = MIN, .max = MAX};

	port_range_spare_slurms(&range, mpi_params);
	assert_int_equal(range.taken, taken);
	assert_int_equal(range.ntaken, ntaken);
}

/* A port that slurmctld reserves for steps may be a coordinator's later, on the
 * node of a controller or of the way there. */
static void not_slurms(void **state)
{
	struct port_range range = {.min = 20000, .max = 28999};
	unsigned port;

	(void)state;
	spares(NULL, 0, 0);
	spares("(null)", 0, 0);
	spares("ports=", 0, 0);
	spares("ports=21000-21999", 21000, 1000);
	spares("disable_slurm_hydra_bootstrap,ports=21000-21999", 21000, 1000);
	spares("ports=1-65535", 0, 0);
	port_range_spare_slurms(&range, "ports=21000-21999");
	assert_int_equal(port_beside_srun(1051, &range, 0), 22000);
	assert_int_equal(port_beside_srun(1051, &range, 7999), 20999);
	assert_int_equal(port_beside_srun(1051, &range, 8000), 0);
	for (unsigned long job = 1; job < 9000; job++)
		for (unsigned try = 0; try < LAUNCHERS_TRIES; try++) {
			port = port_of_launchers(job, 0, 0, &range, try);
			assert_in_range(port, 20000, 28999);
			assert_false(port >= 21000 && port <= 21999);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reserved),
		cmocka_unit_test(reserved_bad),
		cmocka_unit_test(derived_is_in_range),
		cmocka_unit_test(steps_in_a_row_differ),
		cmocka_unit_test(steps_differ_over_the_edge),
		cmocka_unit_test(jobs_and_requeues_differ),
		cmocka_unit_test(steps_of_near_jobs_differ),
		cmocka_unit_test(launchers),
		cmocka_unit_test(launchers_keep_away),
		cmocka_unit_test(recorders_differ),
		cmocka_unit_test(beside_srun),
		cmocka_unit_test(not_slurms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
