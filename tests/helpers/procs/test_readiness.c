/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for a server that answers "GET /health". */
#include "helpers/procs/readiness.h"

#include "sys/socket.h"
#include "tests/fixtures/unit.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* A socket that listens, with the port that it got, and a loop to wait in. */
static int listen_somewhere(struct loop *loop, unsigned *ret_port)
{
	int fd = socket_listen("127.0.0.1", 0, 4);
	struct sockaddr_in at;
	socklen_t size = sizeof(at);
	struct err err;

	assert_int_equal(loop_open(loop, &err), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
	assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
	*ret_port = ntohs(at.sin_port);
	return fd;
}

/* It counts as ready by the last of these answers, and not before. */
static void ready_by_last(const char *const answer[])
{
	struct readiness waiting = {.ready = is_ready};
	struct loop loop;
	unsigned port;
	int fd = listen_somewhere(&loop, &port), status;
	struct err err;
	pid_t pid = serve(fd, answer);

	waiting.loop = waiting.arg = &loop;
	assert_int_equal(readiness_of_http(&waiting, "127.0.0.1", port,
					   "/health", 0, &err),
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

static void is_late(void *arg)
{
	struct readiness *w = arg;

	w->ready = NULL;
	loop_stop(w->loop);
}

/* A server that never says 200 is late, where there is a limit. */
static void late(void **state)
{
	struct readiness waiting = {.late = is_late, .arg = &waiting};
	struct loop loop;
	unsigned port;
	int fd = listen_somewhere(&loop, &port);
	struct err err;

	(void)state;
	alarm(60);
	waiting.loop = &loop;
	waiting.ready = is_ready;
	assert_int_equal(
		readiness_of_http(&waiting, "127.0.0.1", port, "/", 1, &err),
		0);
	assert_int_equal(loop_run(&loop, &err), 0);
	assert_null(waiting.ready);
	close(fd);
	loop_close(&loop);
}

static unsigned n_refusals, refused_with;

static void refuses(void *arg, unsigned status)
{
	(void)arg;
	n_refusals++;
	refused_with = status;
}

/* Until nobody asks any more; the exit code is the number of questions. */
static pid_t serve_all(int listener, const char *answer)
{
	pid_t pid = fork();
	char request[128];
	int fd, n = 0;

	if (pid)
		return pid;
	alarm(60);
	for (; (fd = accept(listener, NULL, NULL)) >= 0; n++) {
		if (read(fd, request, sizeof(request)) <= 0 ||
		    strncmp(request, "GET /end", 8) == 0 ||
		    write(fd, answer, strlen(answer)) < 0)
			_exit(n);
		close(fd);
	}
	_exit(255);
}

static void end_server(unsigned port)
{
	char ip[] = "127.0.0.1";
	int fd = socket_connect(ip, port);

	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
	while (send(fd, "GET /end", 8, MSG_NOSIGNAL) != 8)
		usleep(1000);
	close(fd);
}

/* So many questions in so many seconds to one that always answers that. */
static int questions(const char *answer, long timeout_s)
{
	struct readiness w = {.late = is_late, .arg = &w, .refuses = refuses};
	struct loop loop;
	unsigned port;
	int fd = listen_somewhere(&loop, &port), status;
	struct err err;
	pid_t pid = serve_all(fd, answer);

	n_refusals = refused_with = 0;
	w.loop = &loop;
	assert_int_equal(
		readiness_of_http(&w, "127.0.0.1", port, "/", timeout_s, &err),
		0);
	assert_int_equal(loop_run(&loop, &err), 0);
	end_server(port);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	close(fd);
	loop_close(&loop);
	return WEXITSTATUS(status);
}

/* A server that says no is asked ever more seldom: ten times in the first
 * second, 21 times in three, not thirty times. That its path is wrong is said
 * once; that it isn't ready yet isn't said. */
static void asked_seldom(void **state)
{
	int n = questions("HTTP/1.0 404 Not Found\r\n\r\n", 3);

	(void)state;
	assert_in_range(n, 2, 24);
	assert_int_equal(n_refusals, 1);
	assert_int_equal(refused_with, 404);
	assert_true(questions("HTTP/1.1 503 Not yet\r\n\r\n", 1) > 0);
	assert_int_equal(n_refusals, 0);
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* One that was there before doesn't count; another one in its place does. */
static void file(void **state)
{
	char folder[] = "/tmp/test_readiness.XXXXXX", name[64], new[72];
	struct readiness waiting = {.ready = is_ready};
	struct file_seen before;
	struct loop loop;
	struct err err;

	(void)state;
	alarm(60);
	assert_non_null(mkdtemp(folder));
	snprintf(name, sizeof(name), "%s/up", folder);
	snprintf(new, sizeof(new), "%s.new", name);
	before = readiness_see_file(name);
	assert_false(before.there);
	write_file(name, "old");
	assert_int_equal(loop_open(&loop, &err), 0);
	waiting.loop = waiting.arg = &loop;
	readiness_of_file(&waiting, name, before, 30);
	assert_int_equal(loop_run(&loop, &err), 0);

	waiting = (struct readiness){.late = is_late, .arg = &waiting};
	waiting.loop = &loop;
	waiting.ready = is_ready;
	readiness_of_file(&waiting, name, readiness_see_file(name), 1);
	assert_int_equal(loop_run(&loop, &err), 0);
	assert_null(waiting.ready);

	waiting = (struct readiness){.ready = is_ready};
	waiting.loop = waiting.arg = &loop;
	before = readiness_see_file(name);
	write_file(new, "new");
	assert_int_equal(rename(new, name), 0);
	readiness_of_file(&waiting, name, before, 30);
	assert_int_equal(loop_run(&loop, &err), 0);
	unlink(name);
	rmdir(folder);
	loop_close(&loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(late),
		cmocka_unit_test(asked_seldom),
		cmocka_unit_test(file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
