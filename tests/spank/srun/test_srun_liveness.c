/* SPDX-License-Identifier: Apache-2.0 */
/*
 * srun's end of the connection to the launcher of task 0, with strangers from
 * several threads at once: the one place where the plugin has a thread. Built
 * with --enable-sanitizers=thread it is looked at for races.
 */
#include "spank/srun/srun_liveness.h"

#include "spank/slurm/controller.h"
#include "spank/slurm/log.h"
#include "sys/socket.h"

#include "tests/fixtures/unit.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NTHREADS   4
#define NSTRANGERS 10
#define LIMIT_S	   60

static const struct srun_liveness_options options = {
	.token = "sixteen bytes..",
	.lease_s = 600,
	.grace_s = 600,
};
static unsigned port;
static sem_t given_up;
static int given_code;

/* --- what the plugin asks of Slurm --- */

bool controller_srun_ports(unsigned *ret_min, unsigned *ret_max)
{
	(void)ret_min;
	(void)ret_max;
	return false;
}

void controller_give_up(int code)
{
	given_code = code;
	sem_post(&given_up);
}

void controller_requeue(unsigned job_id)
{
	(void)job_id;
	abort();
}

void log_line(const char *format, ...)
{
	(void)format;
}

/* --- callers --- */

static int call(void)
{
	struct pollfd p = {.fd = socket_connect("127.0.0.1", port),
			   .events = POLLOUT};

	if (p.fd < 0 || poll(&p, 1, LIMIT_S * 1000) != 1)
		abort();
	return p.fd;
}

/* The next byte; 0 at the end of the connection */
static char hear(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char byte;

	if (poll(&p, 1, LIMIT_S * 1000) != 1)
		abort();
	return recv(fd, &byte, 1, 0) == 1 ? byte : 0;
}

/* Some say nothing, some a part, some all of a wrong token */
static void *be_strangers(void *arg)
{
	static const char junk[TOKEN_SIZE] = "not the token..";

	for (size_t i = 0; i < NSTRANGERS; i++) {
		int fd = call();

		send(fd, junk, i * TOKEN_SIZE / (NSTRANGERS - 1), MSG_NOSIGNAL);
		close(fd);
	}
	return arg;
}

static int call_with_token(void)
{
	int fd = call();

	if (send(fd, options.token, TOKEN_SIZE, MSG_NOSIGNAL) != TOKEN_SIZE)
		abort();
	return fd;
}

static void wait_given_up(void)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += LIMIT_S;
	while (sem_timedwait(&given_up, &end))
		assert_int_equal(errno, EINTR);
}

static void test_strangers_and_the_launcher(void **state)
{
	pthread_t threads[NTHREADS];
	int launcher, second;

	(void)state;
	sem_init(&given_up, 0, 0);
	port = srun_liveness_open(&options);
	assert_int_not_equal(port, 0);
	assert_int_equal(srun_liveness_open(&options), port);
	for (int i = 0; i < NTHREADS; i++)
		assert_false(
			pthread_create(&threads[i], NULL, be_strangers, NULL));
	launcher = call_with_token();
	for (int i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	/* Strangers may have crowded it out before it was heard */
	while (hear(launcher) != *SRUN_THERE) {
		close(launcher);
		launcher = call_with_token();
	}
	second = call_with_token();
	assert_int_equal(hear(second), 0);
	close(second);
	assert_int_equal(sem_trywait(&given_up), -1);
	assert_int_equal(send(launcher, SRUN_WILL_HANG, 1, MSG_NOSIGNAL), 1);
	wait_given_up();
	assert_int_equal(given_code, 137);
	srun_liveness_close();
	close(launcher);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strangers_and_the_launcher),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
