/* SPDX-License-Identifier: Apache-2.0 */
/* srun's thread in a step with recovery: launchers claim, are lost, and say
 * their last word. */
#include "tests/fixtures/srun_port.h"

#include <poll.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 60000
#define LEASE_S	    5
#define TIMEOUT_S   3

static atomic_int given_up; /* the code + 1 */
static atomic_uint requeued;
static atomic_int exits_zero;
static atomic_long stopped_s; /* how long srun hasn't run */

/* --- what stands in for Slurm, and for the clock ----------------------------
 */

void controller_requeue(unsigned job_id)
{
	requeued = job_id;
}

void controller_give_up(int code)
{
	given_up = code + 1;
}

void controller_exit_zero(void)
{
	exits_zero = 1;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	long rc = syscall(SYS_clock_gettime, clock, t);

	t->tv_sec += stopped_s;
	return (int)rc;
}

/* ---------------------------------------------------------------------------
 */

static const struct srun_liveness_options options = {
	.token = "0123456789abcde",
	.lease_s = LEASE_S,
	.recovery = true,
	.timeout_s = TIMEOUT_S,
	.requeue_job = 17,
};

static int begin(void **state)
{
	(void)state;
	given_up = 0;
	requeued = 0;
	exits_zero = 0;
	port = srun_liveness_open(&options);
	return port == 0;
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
	stopped_s += 3600;
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
	assert_int_equal(requeued, 0);
	close(first);
	close(second);
	close(late);
}

static void requeue_word(void **state)
{
	int first = claimed(0);

	(void)state;
	is_granted(first, 1);
	send(first, SRUN_REQUEUE, 1, MSG_NOSIGNAL);
	wait_for(&given_up);
	assert_int_equal(given_up, 138);
	/* srun kills the step once more, and mustn't find the job's next life
	 */
	assert_int_equal(requeued, 0);
	srun_liveness_close();
	assert_int_equal(requeued, 17);
	assert_int_equal(exits_zero, 0);
	close(first);
}

/* The only launcher is lost, and nobody claims: a lease more than in a step
 * without recovery, and the time in which others may still look for it. */
static void nobody_is_left(void **state)
{
	int first = claimed(0);
	time_t lost;

	(void)state;
	is_granted(first, 1);
	lost = time(NULL);
	close(first);
	wait_for(&given_up);
	assert_int_equal(given_up, 138);
	assert_true(time(NULL) - lost > LEASE_S + TIMEOUT_S);
	assert_int_equal(requeued, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(port_stays_open), CASE(flood),	CASE(srun_was_stopped),
		CASE(silence),	       CASE(last_word), CASE(requeue_word),
		CASE(nobody_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
