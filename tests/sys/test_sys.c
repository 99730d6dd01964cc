/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/socket.h"
#include "sys/text_file.h"

#include "tests/fixtures/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static unsigned port_of(int fd)
{
	struct sockaddr_in6 any = {0};
	socklen_t len = sizeof(any);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&any, &len), 0);
	return ntohs(any.sin6_port);
}

/* A connection over IPv4 to an address of this host, or -1. */
static int call_at(uint32_t address, unsigned port)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons((unsigned short)port),
		.sin_addr.s_addr = htonl(address),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	close(fd);
	return -1;
}

static int call(unsigned port)
{
	return call_at(INADDR_LOOPBACK, port);
}

static bool answers_at(uint32_t address, unsigned port)
{
	int caller = call_at(address, port);

	if (caller >= 0)
		close(caller);
	return caller >= 0;
}

/* The address itself; all addresses where it isn't this host's, or is none. */
static void listens_at_an_address(void **state)
{
	static const char *const others[] = {"192.0.2.1", "2001:db8::1", "x",
					     NULL};
	int fd = socket_listen("127.0.0.2", 0, 1);

	(void)state;
	assert_true(fd >= 0);
	assert_true(answers_at(INADDR_LOOPBACK + 1, port_of(fd)));
	assert_false(answers_at(INADDR_LOOPBACK, port_of(fd)));
	close(fd);
	for (size_t i = 0; i < COUNT(others); i++) {
		fd = socket_listen(others[i], 0, 1);
		assert_true(answers_at(INADDR_LOOPBACK, port_of(fd)));
		assert_true(answers_at(INADDR_LOOPBACK + 1, port_of(fd)));
		close(fd);
	}
}

static void a_port_is_one_listeners(void **state)
{
	int any = socket_listen(NULL, 0, 1), again, caller;
	unsigned port = port_of(any);

	(void)state;
	assert_true(any >= 0 && port > 0);
	assert_true(fcntl(any, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(any, F_GETFD) & FD_CLOEXEC);
	caller = call(port);
	assert_true(caller >= 0);
	errno = 0;
	assert_int_equal(socket_listen(NULL, port, 1), -1);
	assert_int_equal(errno, EADDRINUSE);
	close(caller);
	close(any);
	again = socket_listen(NULL, port, 1);
	assert_int_equal(port_of(again), port);
	close(again);
}

/* The side that closes first keeps the port for a minute (TIME_WAIT). */
static void finished_connections_hold_no_port(void **state)
{
	int fd = socket_listen(NULL, 0, 1), caller, answer;
	unsigned port = port_of(fd);
	char byte;

	(void)state;
	close(fd);
	fd = socket_listen(NULL, port, 1);
	caller = call(port);
	answer = accept(fd, NULL, NULL);
	assert_true(answer >= 0);
	close(answer);
	close(fd);
	assert_int_equal(read(caller, &byte, 1), 0);
	close(caller);
	fd = socket_listen(NULL, port, 1);
	assert_int_equal(port_of(fd), port);
	close(fd);
}

/* The first question comes within a third of the lease. An outage that begins
 * just before it ends before the last one, which has a while for its answer. */
static void keepalive_outlasts_the_lease(void **state)
{
	static const long leases[] = {5, 6, 15, 119, 121, 600, 86400};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)state;
	for (size_t i = 0; i < COUNT(leases); i++) {
		int idle, every, times;
		socklen_t len = sizeof(int);

		socket_keepalive(fd, leases[i]);
		getsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, &len);
		getsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, &len);
		getsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, &len);
		assert_in_range(idle, 1, leases[i] / 3);
		assert_in_range(every * (times - 1), leases[i],
				leases[i] + 2 * every);
	}
	close(fd);
}

static void nothing(int signal)
{
	(void)signal;
}

/* More than a pipe holds, to a reader that is slow, between signals. */
static void all_is_written(void **state)
{
	enum { SIZE = 1 << 20 };
	struct sigaction action = {.sa_handler = nothing};
	struct itimerval often = {{0, 1000}, {0, 1000}};
	char *data = malloc(SIZE), *back = malloc(SIZE);
	int end[2], file = memfd_create("x", MFD_CLOEXEC);

	(void)state;
	for (size_t i = 0; i < SIZE; i++)
		data[i] = (char)(i ^ i >> 7 ^ i >> 13);
	assert_int_equal(pipe(end), 0);
	if (fork() == 0) {
		sigaction(SIGALRM, &action, NULL);
		setitimer(ITIMER_REAL, &often, NULL);
		_exit(write_full(end[1], data, SIZE) < 0);
	}
	close(end[1]);
	for (size_t n = 0; n < SIZE;) {
		ssize_t got = read(end[0], back + n, 5000);

		assert_true(got > 0);
		n += (size_t)got;
		usleep(500);
	}
	close(end[0]);
	assert_memory_equal(back, data, SIZE);

	/* From the start, wherever the file is; its end ends it. */
	assert_int_equal(write_full(file, data, 1000), 0);
	assert_int_equal(read_full(file, back, SIZE), 1000);
	assert_int_equal(read_full(file, back, 10), 10);
	assert_memory_equal(back, data, 1000);
	close(file);
	assert_int_equal(read_full(file, back, 1), -1);
	assert_int_equal(write_full(file, data, 1), -1);
	free(data);
	free(back);
}

/* Data on the way has `within`; a receiver without room must have left three
 * questions and three leases without an answer. */
static void silence(void **state)
{
	static const struct {
		unsigned unacked, probes, silent_ms, waited_ms;
		bool silent;
	} row[] = {
		{1, 0, 19999, 60000, false}, {1, 0, 20000, 60000, true},
		{1, 0, 60000, 19999, false}, {0, 3, 45000, 60000, true},
		{0, 2, 60000, 60000, false}, {0, 3, 44999, 60000, false},
		{0, 9, 60000, 44999, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++) {
		struct tcp_info info = {
			.tcpi_unacked = row[i].unacked,
			.tcpi_probes = (uint8_t)row[i].probes,
			.tcpi_last_ack_recv = row[i].silent_ms,
			.tcpi_last_data_recv = 90000,
		};

		assert_int_equal(
			socket_is_silent(&info, 15, row[i].waited_ms, 20000),
			row[i].silent);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silence),
		cmocka_unit_test(listens_at_an_address),
		cmocka_unit_test(a_port_is_one_listeners),
		cmocka_unit_test(finished_connections_hold_no_port),
		cmocka_unit_test(keepalive_outlasts_the_lease),
		cmocka_unit_test(all_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
