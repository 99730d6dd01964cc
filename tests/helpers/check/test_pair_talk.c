/* SPDX-License-Identifier: Apache-2.0 */
/* One measurement between two ends on this machine. */
#include "helpers/check/pair_talk.h"

#include "sys/socket.h"
#include "tests/fixtures/unit.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (4L << 20)
#define LONG  30000
#define TIME  2500 /* a crowd of CROWD, one after the other, needs longer */
#define CROWD 60
#define SHORT 400

static int listen_fd;
static unsigned port;

static int setup(void **state)
{
	struct sockaddr_in at;
	socklen_t size = sizeof(at);

	(void)state;
	listen_fd = socket_listen("127.0.0.1", 0, SOMAXCONN);
	assert_true(listen_fd >= 0);
	assert_int_equal(getsockname(listen_fd, (struct sockaddr *)&at, &size),
			 0);
	port = ntohs(at.sin_port);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return close(listen_fd);
}

static struct pair_talk_wish wish(bool listens, const char *say,
				  const char *expect)
{
	struct pair_talk_wish w = {
		.listen_fd = listens ? listen_fd : -1,
		.ip = "127.0.0.1",
		.port = port,
	};

	memset(w.say, 0, sizeof(w.say));
	memset(w.expect, 0, sizeof(w.expect));
	strcpy(w.say, say);
	strcpy(w.expect, expect);
	return w;
}

/* The other end, in a child; it ends with 0 when something came through. */
static pid_t start_other(const char *say, const char *expect, int limit_ms)
{
	struct pair_talk_wish w = wish(false, say, expect);
	struct pair_figure figure;
	pid_t pid = fork();

	if (pid)
		return pid;
	pair_talk_run(&w, limit_ms, BYTES, &figure);
	_exit(figure.rate > 0 ? 0 : 1);
}

static int end_other(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static void both_measure(void **state)
{
	struct pair_talk_wish w = wish(true, "I am a", "I am b");
	pid_t pid = start_other("I am b", "I am a", LONG);
	struct pair_figure figure;

	(void)state;
	pair_talk_run(&w, LONG, BYTES, &figure);
	assert_true(figure.rate > 0);
	assert_true(figure.again <= 1000);
	assert_int_equal(end_other(pid), 0);
}

/* Whoever knows no word, or says nothing at all, is none of the step. */
static void strangers(void **state)
{
	struct pair_talk_wish w = wish(true, "I am a", "I am b");
	int silent = socket_connect("127.0.0.1", port);
	pid_t wrong = start_other("I am c", "I am a", SHORT);
	struct pair_figure figure;
	pid_t pid;

	(void)state;
	assert_int_equal(end_other(wrong), 1);
	pid = start_other("I am b", "I am a", LONG);
	pair_talk_run(&w, LONG, BYTES, &figure);
	assert_true(figure.rate > 0);
	assert_int_equal(end_other(pid), 0);
	close(silent);
}

/* `n` who are there before the partner and say these bytes, and no more. */
static void among(unsigned n, const char *bytes, size_t size)
{
	struct pair_talk_wish w = wish(true, "I am a", "I am b");
	struct pair_figure figure;
	int crowd[2 * PAIR_CALLERS_MAX];
	pid_t pid;

	for (unsigned i = 0; i < n; i++) {
		struct pollfd p = {.events = POLLOUT};

		p.fd = crowd[i] = socket_connect("127.0.0.1", port);
		assert_int_equal(poll(&p, 1, LONG), 1);
		assert_int_equal(send(crowd[i], bytes, size, MSG_NOSIGNAL),
				 size);
	}
	pid = start_other("I am b", "I am a", TIME);
	pair_talk_run(&w, TIME, BYTES, &figure);
	assert_true(figure.rate > 0);
	assert_int_equal(end_other(pid), 0);
	for (unsigned i = 0; i < n; i++)
		close(crowd[i]);
}

static void a_silent_crowd(void **state)
{
	(void)state;
	among(CROWD, "", 0);
}

/* More than have a place */
static void a_larger_crowd(void **state)
{
	(void)state;
	among(2 * PAIR_CALLERS_MAX, "", 0);
}

/* All of the word but its last byte; what isn't the word is over at once */
static void a_crowd_that_speaks(void **state)
{
	char word[PAIR_WORD_SIZE] = "I am b";

	(void)state;
	among(CROWD, word, PAIR_WORD_SIZE - 1);
	word[PAIR_WORD_SIZE - 1] = '!';
	among(CROWD, word, PAIR_WORD_SIZE);
}

static void nobody_comes(void **state)
{
	struct pair_talk_wish w = wish(true, "I am a", "I am b");
	struct pair_figure figure = {1, 1};

	(void)state;
	pair_talk_run(&w, SHORT, BYTES, &figure);
	assert_true(figure.rate == 0);
	w = wish(false, "I am b", "I am a");
	pair_talk_run(&w, SHORT, BYTES, &figure);
	assert_true(figure.rate == 0);
}

/* The other end proves itself, takes a little and then nothing more. */
static void it_stops(void **state)
{
	struct pair_talk_wish w = wish(false, "I am b", "I am a");
	char word[PAIR_WORD_SIZE] = "I am a";
	struct pair_figure figure = {1, 1};
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		struct pollfd p = {.fd = listen_fd, .events = POLLIN};
		int fd;

		poll(&p, 1, LONG);
		fd = accept(listen_fd, NULL, NULL);
		if (write(fd, word, sizeof(word)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	pair_talk_run(&w, SHORT, BYTES, &figure);
	assert_true(figure.rate == 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* --- from the loop --- */

static struct pair_figure told;

static void on_done(void *arg, const struct pair_figure *figure)
{
	told = *figure;
	loop_stop(arg);
}

static void from_the_loop(void **state)
{
	struct pair_talk_wish w = wish(true, "I am a", "I am b");
	struct pair_talk talk = {.done = on_done};
	struct loop loop;
	struct err err;
	pid_t pid;

	(void)state;
	assert_int_equal(loop_open(&loop, &err), 0);
	talk.loop = &loop;
	talk.arg = &loop;
	pid = fork();
	if (!pid) {
		struct pair_figure figure;

		w = wish(false, "I am b", "I am a");
		pair_talk_run(&w, LONG, PAIR_BYTES, &figure);
		_exit(0);
	}
	assert_int_equal(pair_talk_begin(&talk, &w, &err), 0);
	assert_int_equal(loop_run(&loop, &err), 0);
	assert_true(told.rate > 0);
	pair_talk_close(&talk);
	pair_talk_close(&talk);
	end_other(pid);
	loop_close(&loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(both_measure, setup, teardown),
		cmocka_unit_test_setup_teardown(strangers, setup, teardown),
		cmocka_unit_test_setup_teardown(a_silent_crowd, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_larger_crowd, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_crowd_that_speaks, setup,
						teardown),
		cmocka_unit_test_setup_teardown(nobody_comes, setup, teardown),
		cmocka_unit_test_setup_teardown(it_stops, setup, teardown),
		cmocka_unit_test_setup_teardown(from_the_loop, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
