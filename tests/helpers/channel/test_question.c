/* SPDX-License-Identifier: Apache-2.0 */
/* Members that ask for the secret, and others who do. */
#include "helpers/conn/question.h"

#include "tests/fixtures/server_fixture.h"

#include <poll.h>

#define ANSWER	 "MUNGE:what only the user can read:\n"
#define QUESTION "dist-train: the step's secret?"

static unsigned char learned[SECRET_SIZE];
static unsigned nanswers;

static enum client_now open_it(void *arg, const char *text)
{
	(void)arg;
	assert_string_equal(text, ANSWER);
	nanswers++;
	memcpy(learned, secret, sizeof(learned));
	return CLIENT_SECRET;
}

static enum client_now believe_nothing(void *arg, const char *text)
{
	(void)arg;
	(void)text;
	nanswers++;
	return CLIENT_NO_SECRET;
}

static void begin(const char *answer,
		  enum client_now (*answered)(void *arg, const char *text))
{
	memset(learned, 0, sizeof(learned));
	nanswers = 0;
	hub_answer = answer;
	hub_answered = answered;
	hub_begin(3);
}

static void join_asking(unsigned i, long timeout_s)
{
	struct secure_conn_step as = step;

	as.secret = learned;
	join_as(i, &as, timeout_s);
}

static void end(void)
{
	shut();
	hub_answer = NULL;
	hub_answered = NULL;
}

static void member_asks(void **state)
{
	(void)state;
	begin(ANSWER, open_it);
	join_asking(1, 60);
	join_asking(2, 60);
	wait_for(1);
	wait_for(2);
	assert_int_equal(nanswers, 2);
	end();
}

/* What an answer is worth is the asker's business; it goes on asking. */
static void not_believed(void **state)
{
	(void)state;
	begin(ANSWER, believe_nothing);
	join_asking(1, 1);
	run_until(&launchers[1].late);
	assert_true(nanswers > 1);
	end();
}

/* A server that has the secret from srun answers nobody. */
static void no_answer(void **state)
{
	(void)state;
	begin(NULL, believe_nothing);
	join_asking(1, 1);
	run_until(&launchers[1].late);
	assert_false(server_has(server, 1));
	end();
}

/* --- others --- */

static int call(const char *text, size_t n)
{
	int fd = socket_connect("127.0.0.1", first_port);
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	assert_true(fd >= 0);
	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	assert_int_equal(send(fd, text, n, MSG_NOSIGNAL), n);
	return fd;
}

/* Whoever asks gets the same, however often, and is gone. */
static void many_ask(void **state)
{
	char asked[SEAL_SALT] = QUESTION, found[sizeof(ANSWER)];

	(void)state;
	begin(ANSWER, open_it);
	for (unsigned i = 0; i < 500; i++) {
		int fd = call(asked, sizeof(asked));
		ssize_t n = -1;

		for (int k = 0; k < PATIENCE_MS && n < 0; k++) {
			run_for(1);
			n = recv(fd, found, sizeof(found), MSG_DONTWAIT);
		}
		assert_int_equal(n, sizeof(ANSWER) - 1);
		assert_memory_equal(found, ANSWER, (size_t)n);
		assert_int_equal(recv(fd, found, 1, 0), 0);
		close(fd);
	}
	join_asking(1, 60);
	wait_for(1);
	end();
}

/* A part of the question, or another one, is no question. */
static void odd_questions(void **state)
{
	char asked[SEAL_SALT] = QUESTION, found[sizeof(ANSWER)];
	int fds[3];

	(void)state;
	begin(ANSWER, open_it);
	fds[0] = call(asked, 5);
	fds[1] = call(asked, sizeof(asked) - 1);
	asked[0] = 'D';
	fds[2] = call(asked, sizeof(asked));
	join_asking(1, 60);
	wait_for(1);
	for (unsigned i = 0; i < COUNT(fds); i++) {
		ssize_t n = recv(fds[i], found, sizeof(found), MSG_DONTWAIT);

		assert_true(n < 5 || memcmp(found, ANSWER, 5) != 0);
		close(fds[i]);
	}
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(member_asks),	 cmocka_unit_test(not_believed),
		cmocka_unit_test(no_answer),	 cmocka_unit_test(many_ask),
		cmocka_unit_test(odd_questions),
	};

	return cmocka_run_group_tests(tests, open_loop, shut_loop);
}
