/* SPDX-License-Identifier: Apache-2.0 */
/* The launcher's line to srun, against an srun of the test's. */
#include "helpers/srun/srun_watch.h"

#include "tests/fixtures/channel_fixture.h"

static const unsigned char token[TOKEN_SIZE] = "sixteen bytes..";
static struct srun_watch watch;
static bool is_gone;
static int listening;

static void gone(void *arg, long silent_s)
{
	(void)arg;
	assert_int_equal(silent_s, 0);
	is_gone = true;
}

static void begin(void)
{
	struct sockaddr_in sa = {.sin_family = AF_INET};
	socklen_t len = sizeof(sa);

	sa.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listening = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(listening, (struct sockaddr *)&sa, len), 0);
	assert_int_equal(listen(listening, 5), 0);
	assert_int_equal(getsockname(listening, (struct sockaddr *)&sa, &len),
			 0);
	is_gone = false;
	srun_watch_open(&watch, &loop, "127.0.0.1", ntohs(sa.sin_port), 15,
			token, gone, NULL);
}

static void finish(int fd)
{
	srun_watch_close(&watch);
	close(fd);
	close(listening);
}

static int answer(void)
{
	int fd = -1;

	for (int i = 0; fd < 0 && i < PATIENCE_MS; i++) {
		fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK);
		run_for(1);
	}
	assert_true(fd >= 0);
	return fd;
}

static void take_token(int fd)
{
	unsigned char got[TOKEN_SIZE];

	run_for(20);
	assert_int_equal(recv(fd, got, sizeof(got), 0), sizeof(got));
	assert_memory_equal(got, token, sizeof(got));
}

static void srun_ends(void **state)
{
	int fd;

	(void)state;
	begin();
	fd = answer();
	take_token(fd);
	assert_int_equal(send(fd, SRUN_THERE, 1, 0), 1);
	run_for(20);
	assert_false(is_gone);
	close(fd);
	run_until(&is_gone);
	finish(-1);
}

static void last_word(void **state)
{
	char word;
	int fd;

	(void)state;
	begin();
	fd = answer();
	take_token(fd);
	srun_watch_tell(&watch, SRUN_WILL_HANG, 1);
	run_for(20);
	assert_int_equal(recv(fd, &word, 1, 0), 1);
	assert_int_equal(word, *SRUN_WILL_HANG);
	finish(fd);
}

static int64_t ends;

static void end_time(void *arg, int64_t seconds)
{
	(void)arg;
	ends = seconds;
}

/* In pieces, and with the answer to the token */
static void the_jobs_end(void **state)
{
	static const char text[] = SRUN_THERE SRUN_END_TIME
		"\0\0\0\0\x6a\x0b\x0c\x0d?" SRUN_END_TIME "\0\0\0\0\0\0\0\0";
	char got[3];
	int fd;

	(void)state;
	begin();
	watch.end_time = end_time;
	fd = answer();
	take_token(fd);
	assert_int_equal(send(fd, text, 4, 0), 4);
	run_for(20);
	assert_int_equal(ends, 0);
	assert_int_equal(send(fd, text + 4, 6, 0), 6);
	run_for(20);
	assert_int_equal(ends, 0x6a0b0c0d);
	assert_int_equal(send(fd, text + 10, 10, 0), 10);
	run_for(20);
	assert_int_equal(ends, 0);
	srun_watch_tell(&watch, SRUN_TOLD SRUN_OUTCOME "\1", 3);
	run_for(20);
	assert_int_equal(recv(fd, got, sizeof(got), 0), sizeof(got));
	assert_memory_equal(got, SRUN_TOLD SRUN_OUTCOME "\1", 3);
	assert_false(is_gone);
	finish(fd);
}

/* Dropped before srun has answered, by strangers: that isn't srun's end. */
static void pushed_out(void **state)
{
	int fd;

	(void)state;
	begin();
	for (int i = 0; i < 3; i++) {
		fd = answer();
		if (i == 1)
			take_token(fd);
		close(fd);
	}
	fd = answer();
	take_token(fd);
	assert_false(is_gone);
	assert_int_equal(send(fd, SRUN_THERE, 1, 0), 1);
	run_for(20);
	close(fd);
	run_until(&is_gone);
	finish(-1);
}

/* srun ends before it has answered: its port was open, and isn't any more. */
static void ends_unheard(void **state)
{
	int fd;

	(void)state;
	begin();
	fd = answer();
	take_token(fd);
	close(listening);
	close(fd);
	run_until(&is_gone);
	srun_watch_close(&watch);
}

/* Nobody listens: it isn't watched, and nothing is made of that. */
static void nobody(void **state)
{
	(void)state;
	srun_watch_open(&watch, &loop, "127.0.0.1", 1, 15, token, gone, NULL);
	is_gone = false;
	run_for(600);
	assert_false(is_gone);
	srun_watch_close(&watch);
	srun_watch_open(&watch, &loop, "no address", 1, 15, token, gone, NULL);
	run_for(10);
	srun_watch_close(&watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(srun_ends),	cmocka_unit_test(last_word),
		cmocka_unit_test(the_jobs_end), cmocka_unit_test(pushed_out),
		cmocka_unit_test(ends_unheard), cmocka_unit_test(nobody),
	};

	return cmocka_run_group_tests(tests, open_loop, shut_loop);
}
