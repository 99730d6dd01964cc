/* SPDX-License-Identifier: Apache-2.0 */
/* srun's thread and the controller beside srun: it leads, is lost, and says its
 * last word. */
#include "spank/ending/srun_liveness.h"

#include "core/facts/handover.h"
#include "spank/slurm/slurmctld.h"
#include "sys/log.h"
#include "tests/fixtures/fast_clock.h"
#include "tests/fixtures/unit.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 60000
#define FASTER	    10 /* where seconds are waited for */

static atomic_int given_up; /* the code + 1 */
static atomic_int exits_zero, ntold;
static int line;	/* the controller's end */
static int wake_fd;	/* of srun's thread */
static char said[1000]; /* srun's last line */

/* --- what stands in for Slurm, and for libc ----------------------------------
 */

void slurmctld_give_up(int code)
{
	given_up = code + 1;
}

void slurmctld_exit_with(int code)
{
	exits_zero = !code;
}

void log_line(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(said, sizeof(said), fmt, args);
	va_end(args);
}

int eventfd(unsigned count, int flags)
{
	wake_fd = (int)syscall(SYS_eventfd2, count, flags);
	return wake_fd;
}

/* ---------------------------------------------------------------------------
 */

/* The next byte of srun's; '-': it has closed the line. */
static char answer(void)
{
	struct pollfd p = {.fd = line, .events = POLLIN};
	char byte;

	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	return recv(line, &byte, 1, 0) == 1 ? byte : '-';
}

static void told(void)
{
	ntold++;
}

static void make_line(struct srun_liveness_options *o)
{
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd),
			 0);
	line = fd[0];
	o->line_fd = fd[1];
}

static void begin(bool recovery)
{
	struct srun_liveness_options o = {.recovery = recovery, .told = told};

	given_up = ntold = exits_zero = 0;
	*said = '\0';
	fast_clock = FASTER;
	make_line(&o);
	srun_liveness_open(&o);
}

static int begin_alone(void **state)
{
	(void)state;
	begin(false);
	return 0;
}

static int begin_recovery(void **state)
{
	(void)state;
	begin(true);
	return 0;
}

static int end_line(void **state)
{
	struct srun_end ended;

	(void)state;
	close(line);
	srun_liveness_close(&ended);
	return 0;
}

static void say(const char *words)
{
	size_t n = strlen(words);

	assert_int_equal(send(line, words, n, MSG_NOSIGNAL), n);
}

static void wait_for(atomic_int *what)
{
	while (!*what)
		usleep(1000);
}

static time_t seconds_until_given_up(void)
{
	struct timespec before, now;

	clock_gettime(CLOCK_MONOTONIC, &before);
	wait_for(&given_up);
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - before.tv_sec;
}

static void hears_end(int64_t end)
{
	uint64_t seconds;

	assert_int_equal(answer(), *SRUN_END_TIME);
	assert_int_equal(recv(line, &seconds, sizeof(seconds), MSG_WAITALL),
			 sizeof(seconds));
	assert_true((int64_t)be64toh(seconds) == end);
}

/* --- it leads --- */

/* Before it leads it reads nothing: what comes from srun then is srun's end. */
static void end_of_the_job(void **state)
{
	(void)state;
	srun_liveness_end_time(1234567890123);
	say(SRUN_THERE);
	hears_end(1234567890123);
	srun_liveness_end_time(0);
	hears_end(0);
}

static void told_once(void **state)
{
	struct srun_end ended;

	(void)state;
	say(SRUN_THERE SRUN_TOLD);
	wait_for(&ntold);
	/* a byte that could be a last word, and that comes alone */
	say(SRUN_OUTCOME);
	srun_liveness_end_time(1);
	hears_end(1);
	say(SRUN_ALL_WELL SRUN_TOLD SRUN_ALL_WELL);
	assert_int_equal(answer(), '-');
	assert_true(srun_liveness_close(&ended));
	assert_true(ended.heard.told);
	assert_true(ended.heard.has_outcome);
	assert_int_equal(ended.heard.outcome, *SRUN_ALL_WELL);
	assert_false(ended.node_lost);
	assert_int_equal(ntold, 1);
	assert_int_equal(given_up, 0);
	assert_false(srun_liveness_close(&ended));
}

/* srun ends before it has read what is there. */
static void rest_is_read(void **state)
{
	struct srun_end ended;

	(void)state;
	say(SRUN_THERE SRUN_TOLD SRUN_OUTCOME "\1" SRUN_TOLD SRUN_OUTCOME
					      "\2" SRUN_REQUEUE);
	assert_true(srun_liveness_close(&ended));
	assert_true(ended.heard.told);
	assert_int_equal(ended.heard.outcome, 2);
	assert_true(ended.node_lost);
}

/* In a heterogeneous step srun begins anew for each component. */
static void opened_again(void **state)
{
	struct srun_liveness_options o = {.told = told};
	int first = line;

	(void)state;
	make_line(&o);
	srun_liveness_open(&o);
	assert_int_equal(answer(), '-');
	close(line);
	line = first;
	end_of_the_job(state);
}

/* --- its last word --- */

static void left_well(void **state)
{
	(void)state;
	say(SRUN_THERE SRUN_LEFT_WELL);
	assert_int_equal(answer(), '-');
	wait_for(&given_up);
	assert_int_equal(given_up, 1);
	assert_non_null(strstr(said, "have ended with exit code 0"));
}

static void left_well_alone(void **state)
{
	left_well(state);
	assert_int_equal(exits_zero, 0);
}

static void left_well_recovery(void **state)
{
	left_well(state);
	assert_int_equal(exits_zero, 1);
}

static void may_hang(void **state)
{
	time_t s;

	(void)state;
	say(SRUN_THERE SRUN_MAY_HANG);
	s = seconds_until_given_up();
	assert_in_range(s, 11, 60);
	assert_int_equal(given_up, 138);
	assert_non_null(strstr(said, "it isn't told that all tasks"));
}

static void requeue(void **state)
{
	struct srun_end ended;

	(void)state;
	say(SRUN_THERE SRUN_REQUEUE);
	wait_for(&given_up);
	assert_int_equal(given_up, 138);
	assert_int_equal(exits_zero, 0);
	assert_true(srun_liveness_close(&ended));
	assert_true(ended.node_lost);
}

/* --- it is lost --- */

static void gives_up_without_controller(void)
{
	assert_int_equal(given_up, 138);
	assert_non_null(strstr(said, "its controller"));
}

static void lost_alone(void **state)
{
	time_t s;

	(void)state;
	say(SRUN_THERE);
	shutdown(line, SHUT_WR);
	s = seconds_until_given_up();
	assert_in_range(s, 7, 60);
	gives_up_without_controller();
}

static void lost_recovery(void **state)
{
	(void)state;
	say(SRUN_THERE);
	shutdown(line, SHUT_WR);
	assert_in_range(seconds_until_given_up(), 0, 6);
	gives_up_without_controller();
}

static void wake_thread(void)
{
	struct pollfd p = {.fd = wake_fd, .events = POLLIN};

	srun_liveness_end_time(1);
	while (!given_up && poll(&p, 1, 0) > 0)
		usleep(1000);
}

/* Task 0's launcher starts another one. */
static void lost_early(void **state)
{
	(void)state;
	shutdown(line, SHUT_WR);
	assert_int_equal(answer(), '-');
	fast_clock_ahead_s += 3600;
	wake_thread();
	wake_thread(); /* it has looked at the clock between them */
	assert_int_equal(given_up, 0);
}

#define ALONE(name) cmocka_unit_test_setup_teardown(name, begin_alone, end_line)
#define RECOVERY(name)                                                         \
	cmocka_unit_test_setup_teardown(name, begin_recovery, end_line)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ALONE(end_of_the_job),	ALONE(told_once),
		ALONE(rest_is_read),	ALONE(opened_again),
		ALONE(left_well_alone), RECOVERY(left_well_recovery),
		ALONE(may_hang),	RECOVERY(requeue),
		ALONE(lost_alone),	RECOVERY(lost_recovery),
		ALONE(lost_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
