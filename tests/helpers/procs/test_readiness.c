/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for a server that answers "GET /health". */
#include "helpers/procs/readiness.h"

#include "sys/socket.h"
#include "tests/fixtures/unit.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A server with an answer for each connection ("" ends it without one), whose
 * exit code is 0 when it has given them all. */
static pid_t serve(int listener, const char *const answer[])
{
	pid_t pid = fork();
	char request[128];

	if (pid)
		return pid;
	alarm(60);
	for (; *answer; answer++) {
		int fd = accept(listener, NULL, NULL);
		size_t n = strlen(*answer);
		ssize_t got = n ? read(fd, request, sizeof(request) - 1) : 0;

		request[got > 0 ? got : 0] = '\0';
		if (n &&
		    (strcmp(request, "GET /health HTTP/1.0\r\n\r\n") != 0 ||
		     write(fd, *answer, n) != (ssize_t)n))
			_exit(1);
		close(fd);
	}
	_exit(0);
}

static void is_ready(void *arg)
{
	loop_stop(arg);
}

/* It counts as ready by the last of these answers, and not before. */
static void ready_by_last(const char *const answer[])
{
	struct readiness waiting = {.ready = is_ready};
	int fd = socket_listen("127.0.0.1", 0, 4), status;
	struct sockaddr_in at;
	socklen_t size = sizeof(at);
	struct loop loop;
	struct err err;
	pid_t pid;

	assert_int_equal(loop_open(&loop, &err), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
	assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
	pid = serve(fd, answer);
	waiting.loop = waiting.arg = &loop;
	assert_int_equal(readiness_of_http(&waiting, "127.0.0.1",
					   ntohs(at.sin_port), "/health", &err),
			 0);
	assert_int_equal(loop_run(&loop, &err), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fd);
	loop_close(&loop);
}

static void answers(void **state)
{
	static const char ok[] = "HTTP/1.1 200 OK\r\n\r\nfine";

	(void)state;
	alarm(120);
	ready_by_last((const char *[]){ok, NULL});
	ready_by_last(
		(const char *[]){"HTTP/1.1 503 Not yet\r\n\r\n", ok, NULL});
	ready_by_last((const char *[]){"", ok, NULL});
	ready_by_last((const char *[]){"HTTP/1.1", ok, NULL});
	ready_by_last((const char *[]){"SSH-2.0-OpenSSH 200 \r\n", ok, NULL});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
