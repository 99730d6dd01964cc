/* SPDX-License-Identifier: Apache-2.0 */
/* The controller's line to srun, against an srun of the test's. */
#include "helpers/lead/srun_watch.h"

#include "tests/fixtures/channel_fixture.h"

static struct srun_watch watch;
static bool is_gone;
static int srun; /* its end */
static int64_t ends;

static void gone(void *arg)
{
	(void)arg;
	assert_false(is_gone);
	is_gone = true;
}

static void end_time(void *arg, int64_t seconds)
{
	(void)arg;
	ends = seconds;
}

static int begin(void **state)
{
	int fd[2];

	is_gone = false;
	watch = (struct srun_watch){.end_time = end_time, .gone = gone};
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
	srun = fd[0];
	if (open_loop(state) < 0)
		return -1;
	srun_watch_open(&watch, &loop, fd[1]);
	return 0;
}

static int finish(void **state)
{
	srun_watch_close(&watch);
	close(srun);
	return shut_loop(state);
}

static void hears(const char *words, size_t n)
{
	char got[8];

	assert_int_equal(recv(srun, got, sizeof(got), 0), n);
	assert_memory_equal(got, words, n);
}

static void srun_ends(void **state)
{
	(void)state;
	shutdown(srun, SHUT_WR);
	run_until(&is_gone);
	/* and nothing more is said */
	srun_watch_tell(&watch, SRUN_WILL_HANG, 1);
	assert_int_equal(recv(srun, &(char){0}, 1, 0), 0);
}

static void last_word(void **state)
{
	(void)state;
	srun_watch_tell(&watch, SRUN_TOLD SRUN_OUTCOME "\1", 3);
	srun_watch_tell(&watch, SRUN_WILL_HANG, 1);
	hears(SRUN_TOLD SRUN_OUTCOME "\1" SRUN_WILL_HANG, 4);
	assert_false(is_gone);
}

/* In pieces */
static void the_jobs_end(void **state)
{
	static const char text[] = SRUN_END_TIME
		"\0\0\0\0\x6a\x0b\x0c\x0d?" SRUN_END_TIME "\0\0\0\0\0\0\0\0";

	(void)state;
	assert_int_equal(send(srun, text, 3, 0), 3);
	run_for(20);
	assert_int_equal(ends, 0);
	assert_int_equal(send(srun, text + 3, 6, 0), 6);
	run_for(20);
	assert_int_equal(ends, 0x6a0b0c0d);
	assert_int_equal(send(srun, text + 9, 10, 0), 10);
	run_for(20);
	assert_int_equal(ends, 0);
	assert_false(is_gone);
}

/* A launcher has none, nor a controller beside one. */
static void no_line(void **state)
{
	struct srun_watch none = {.gone = gone};

	(void)state;
	srun_watch_tell(&none, SRUN_TOLD, 1);
	srun_watch_close(&none);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(srun_ends),
		CASE(last_word),
		CASE(the_jobs_end),
		cmocka_unit_test(no_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
