/* SPDX-License-Identifier: Apache-2.0 */
/* The thread in srun that asks when the job ends. */
#include "spank/ending/job_end.h"

#include "spank/slurm/slurmctld.h"

#include "tests/fixtures/unit.h"

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 10000

/* --- what stands in for slurmctld --- */

static struct job_life answer;
static bool fails;
static atomic_int asked, sleeps_s;

void slurmctld_stay_loaded(void)
{
}

int slurmctld_job_life(unsigned job_id, struct job_life *ret, struct err *err)
{
	assert_int_equal(job_id, 7);
	asked++;
	sleep((unsigned)sleeps_s);
	if (fails)
		return err_printf(err, "no");
	*ret = answer;
	return 0;
}

static atomic_long changed_to;
static atomic_int nchanged, last;

static void changed(int64_t end)
{
	changed_to = end;
	nchanged++;
}

static void last_moment(const struct job_life *life)
{
	(void)life;
	last++;
}

static struct end_watch_options options(int64_t end)
{
	return (struct end_watch_options){
		.job_id = 7,
		.lead_s = 10,
		.end = end,
		.changed = changed,
		.last_moment = last_moment,
	};
}

static void begin(int64_t end)
{
	struct end_watch_options o = options(end);

	answer = (struct job_life){.end = end};
	asked = nchanged = last = sleeps_s = 0;
	changed_to = -1;
	fails = false;
	end_watch_open(&o);
}

static void wait_for(atomic_int *what)
{
	for (int ms = 0; !*what && ms < PATIENCE_MS; ms++)
		usleep(1000);
	assert_true(*what > 0);
}

/* --- the time of the next question --- */

static void next(void **state)
{
	const struct {
		int64_t now, end;
		long lead_s;
		int64_t next;
	} rows[] = {
		{1000, 0, 600, 2800},	  /* no limit */
		{1000, 90000, 600, 2800}, /* far away: not less often */
		{1000, 4205, 200, 2500},  /* half of it */
		{2500, 4205, 200, 3250},
		{3990, 4205, 200,
		 3995}, /* five seconds before the ranks know */
		{3998, 4205, 200, 4000},
		{4000, 4205, 200, 4202}, /* before the end */
		{4201, 4205, 200, 4202},
		{4202, 4205, 200, 4232}, /* it is over */
		{1000, 1003, 0, 1030},
		{1000, 1010, 0, 1005},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(end_watch_next(rows[i].now, rows[i].end,
						rows[i].lead_s),
				 rows[i].next);
}

/* However late it is, time goes on. */
static void next_is_later(void **state)
{
	(void)state;
	for (int64_t now = 0; now < 9000; now++)
		for (long lead = 0; lead < 9000; lead += 450)
			assert_true(end_watch_next(now, 6000, lead) > now);
}

/* --- the thread --- */

static void told(void **state)
{
	int64_t end = time(NULL) + 5000;

	(void)state;
	begin(end);
	usleep(50000);
	assert_int_equal(asked, 0);
	answer.end = end - 4000;
	answer.preempted = end - 5000;
	end_watch_told();
	wait_for(&nchanged);
	end_watch_close();
	assert_int_equal(changed_to, end - 4000);
	assert_int_equal(last, 0);
	assert_int_equal(asked, 1);
}

static void the_end_comes(void **state)
{
	(void)state;
	begin(time(NULL) + 4);
	wait_for(&last);
	end_watch_close();
	assert_int_equal(changed_to, -1);
	assert_int_equal(last, 1);
}

/* The limit was raised meanwhile, just before it */
static void a_later_end(void **state)
{
	int64_t end = time(NULL) + 4;

	(void)state;
	begin(end);
	answer.end = end + 3600;
	wait_for(&nchanged);
	end_watch_close();
	assert_int_equal(changed_to, end + 3600);
	assert_int_equal(last, 0);
}

static void killed(void **state)
{
	(void)state;
	begin(time(NULL) + 5000);
	answer.fate = FATE_PREEMPTED;
	answer.end = time(NULL);
	end_watch_told();
	wait_for(&last);
	end_watch_close();
	assert_int_equal(changed_to, -1);
}

static void no_answer(void **state)
{
	(void)state;
	begin(time(NULL) + 5000);
	fails = true;
	end_watch_told();
	wait_for(&asked);
	assert_true(end_watch_close());
	assert_int_equal(last, 0);
	assert_int_equal(changed_to, -1);
}

/* srun's end doesn't wait for slurmctld, and what comes late does nothing. */
static void slow_answer(void **state)
{
	(void)state;
	begin(time(NULL) + 5000);
	sleeps_s = 4;
	answer.end = 17;
	end_watch_told();
	wait_for(&asked);
	assert_false(end_watch_close());
	sleep(5);
	assert_int_equal(changed_to, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next),	       cmocka_unit_test(next_is_later),
		cmocka_unit_test(told),	       cmocka_unit_test(the_end_comes),
		cmocka_unit_test(a_later_end), cmocka_unit_test(killed),
		cmocka_unit_test(no_answer),   cmocka_unit_test(slow_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
