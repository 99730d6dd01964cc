/* SPDX-License-Identifier: Apache-2.0 */
/* srun's thread in a step with recovery: launchers claim, are lost, and say
 * their last word. */
#include "tests/fixtures/fast_clock.h"
#include "tests/fixtures/srun_port.h"

#include <endian.h>
#include <poll.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 60000
#define LEASE_S	    5
#define TIMEOUT_S   3
#define FASTER	    5 /* where seconds are waited for */

static atomic_int given_up; /* the code + 1 */
static atomic_int exits_zero;

/* --- what stands in for Slurm ------------------------------------------------
 */

void slurmctld_give_up(int code)
{
	given_up = code + 1;
}

void slurmctld_exit_zero(void)
{
	exits_zero = 1;
}

/* ---------------------------------------------------------------------------
 */

static atomic_int ntold;

static void told(void)
{
	ntold++;
}

static const struct srun_liveness_options options = {
	.token = "0123456789abcde",
	.lease_s = LEASE_S,
	.recovery = true,
	.timeout_s = TIMEOUT_S,
	.told = told,
};

static int begin(void **state)
{
	(void)state;
	given_up = 0;
	ntold = 0;
	exits_zero = 0;
	port = srun_liveness_open(&options);
	return port == 0;
}

static int begin_faster(void **state)
{
	fast_clock = FASTER;
	return begin(state);
}

static int end_faster(void **state)
{
	int rc = end(state);

	fast_clock = 1;
	return rc;
}

static void send_claim(int fd, unsigned procid)
{
	uint32_t number = htonl(procid);

	send(fd, options.token, TOKEN_SIZE, MSG_NOSIGNAL);
	send(fd, SRUN_CLAIM, 1, MSG_NOSIGNAL);
	send(fd, &number, sizeof(number), MSG_NOSIGNAL);
}

static int claimed(unsigned procid)
{
	int fd = new_socket();

	assert_int_equal(try_connect(fd), 0);
	send_claim(fd, procid);
	return fd;
}

/* The next byte; '-': the connection has ended. */
static char answer(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char byte;

	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	return recv(fd, &byte, 1, 0) == 1 ? byte : '-';
}

static void is_granted(int fd, unsigned term)
{
	uint32_t number[2];

	assert_int_equal(answer(fd), *SRUN_GRANTED);
	assert_int_equal(recv(fd, number, sizeof(number), MSG_WAITALL),
			 sizeof(number));
	assert_int_equal(ntohl(number[0]), term);
}

static void is_answered(int fd)
{
	assert_int_equal(send(fd, SRUN_BEAT, 1, MSG_NOSIGNAL), 1);
	assert_int_equal(answer(fd), *SRUN_BEAT);
}

static void wait_for(atomic_int *what)
{
	while (!*what)
		usleep(1000);
}

static void port_stays_open(void **state)
{
	int first = claimed(0), second, stranger = new_socket();

	(void)state;
	is_granted(first, 1);
	assert_int_equal(try_connect(stranger), 0);
	send(stranger, "0123456789abcdE", TOKEN_SIZE, MSG_NOSIGNAL);
	send_claim(stranger, 0);
	assert_int_equal(answer(stranger), '-');
	second = claimed(1);
	is_answered(second);
	is_answered(first);
	close(first);
	is_granted(second, 2);
	close(stranger);
	close(second);
}

/* Strangers who say nothing, and more of them than there are places. */
static void flood(void **state)
{
	int stranger[40], fd = new_socket();

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		stranger[i] = new_socket();
		if (i == 20)
			assert_int_equal(try_connect(fd), 0);
		if (i == 20)
			send_claim(fd, 3);
		assert_int_equal(try_connect(stranger[i]), 0);
	}
	is_granted(fd, 1);
	is_answered(fd);
	for (unsigned i = 0; i < 40; i++)
		close(stranger[i]);
	close(fd);
}

/* srun has been stopped for an hour: nobody was silent meanwhile. */
static void srun_was_stopped(void **state)
{
	int first = claimed(0), second;

	(void)state;
	is_granted(first, 1);
	second = claimed(1);
	is_answered(second);
	fast_clock_ahead_s += 3600;
	is_answered(second);
	is_answered(first);
	is_answered(second);
	is_answered(first);
	close(first);
	is_granted(second, 2);
	close(second);
}

static void silence(void **state)
{
	int first = claimed(0), second;
	struct pollfd p;

	(void)state;
	is_granted(first, 1);
	second = claimed(1);
	p = (struct pollfd){.fd = second, .events = POLLIN};
	do {
		char byte;

		send(second, SRUN_BEAT, 1, MSG_NOSIGNAL);
		assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
		assert_int_equal(recv(second, &byte, 1, MSG_PEEK), 1);
		if (byte == *SRUN_GRANTED)
			break;
		assert_int_equal(answer(second), *SRUN_BEAT);
		usleep(100000);
	} while (true);
	is_granted(second, 2);
	assert_int_equal(answer(first), '-');
	assert_int_equal(given_up, 0);
	close(first);
	close(second);
}

static void last_word(void **state)
{
	int first = claimed(0), second = claimed(1), late = new_socket();

	(void)state;
	is_granted(first, 1);
	is_answered(second);
	send(first, SRUN_LEFT_WELL, 1, MSG_NOSIGNAL);
	assert_int_equal(answer(second), '-');
	wait_for(&given_up);
	assert_int_equal(given_up, 1);
	assert_int_equal(exits_zero, 1);
	assert_int_equal(try_connect(late), -1);
	assert_int_equal(ntold, 0);
	close(first);
	close(second);
	close(late);
}

static void requeue_word(void **state)
{
	int first = claimed(0);
	struct srun_end ended;

	(void)state;
	is_granted(first, 1);
	send(first, SRUN_REQUEUE, 1, MSG_NOSIGNAL);
	wait_for(&given_up);
	assert_int_equal(given_up, 138);
	assert_true(srun_liveness_close(&ended));
	assert_true(ended.node_lost);
	assert_false(srun_liveness_close(&ended));
	assert_int_equal(exits_zero, 0);
	close(first);
}

/* The only launcher is lost, and nobody claims: a lease more than in a step
 * without recovery, and the time in which others may still look for it. */
static void nobody_is_left(void **state)
{
	int first = claimed(0);
	struct timespec lost, now;

	(void)state;
	is_granted(first, 1);
	clock_gettime(CLOCK_MONOTONIC, &lost);
	close(first);
	wait_for(&given_up);
	assert_int_equal(given_up, 138);
	clock_gettime(CLOCK_MONOTONIC, &now);
	assert_true(now.tv_sec - lost.tv_sec > LEASE_S + TIMEOUT_S);
}

static void hears_end(int fd, int64_t end)
{
	uint64_t seconds;

	assert_int_equal(answer(fd), *SRUN_END_TIME);
	assert_int_equal(recv(fd, &seconds, sizeof(seconds), MSG_WAITALL),
			 sizeof(seconds));
	assert_true((int64_t)be64toh(seconds) == end);
}

/* Whoever leads knows the job's end, and what one has said isn't forgotten. */
static void end_of_the_job(void **state)
{
	const char outcome[] = {*SRUN_OUTCOME, *SRUN_BEAT};
	int first = claimed(0), second;
	struct srun_end ended;

	(void)state;
	is_granted(first, 1);
	second = claimed(1);
	is_answered(second);
	srun_liveness_end_time(1234567890123);
	hears_end(first, 1234567890123);
	send(first, SRUN_TOLD, 1, MSG_NOSIGNAL);
	wait_for(&ntold);
	is_answered(first);
	/* a byte that could be a beat, and that comes alone */
	send(first, outcome, 1, MSG_NOSIGNAL);
	usleep(20000);
	send(first, outcome + 1, 1, MSG_NOSIGNAL);
	is_answered(first);
	close(first);
	is_granted(second, 2);
	hears_end(second, 1234567890123);
	send(second, SRUN_TOLD SRUN_ALL_WELL, 2, MSG_NOSIGNAL);
	assert_true(srun_liveness_close(&ended));
	assert_true(ended.heard.told);
	assert_true(ended.heard.has_outcome);
	assert_int_equal(ended.heard.outcome, *SRUN_BEAT);
	assert_false(ended.node_lost);
	assert_int_equal(ntold, 1);
	close(second);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
#define FAST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, begin_faster, end_faster)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(port_stays_open),	CASE(flood),
		CASE(srun_was_stopped), FAST(silence),
		CASE(last_word),	CASE(requeue_word),
		FAST(nobody_is_left),	CASE(end_of_the_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
