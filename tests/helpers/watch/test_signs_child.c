/* SPDX-License-Identifier: Apache-2.0 */
/* The child that looks for signs of work, at real processes. */
#include "helpers/watch/signs.h"

#include "core/facts/rows.h"
#include "sys/subprocess.h"

#include "tests/fixtures/unit.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define INTERVAL_MS 20
#define PATIENCE_MS 20000
#define LOOKS	    5

static int order[2]; /* a byte: work once */
static pid_t worker;
static struct subprocess looker;

static void work(void)
{
	static char some[1 << 20];
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char byte;

	while (read(order[0], &byte, 1) == 1)
		if (read(fd, some, sizeof(some)) < 0)
			_exit(1);
	_exit(0);
}

static int begin(void **state)
{
	const struct signs_wish wish = {1, &worker, INTERVAL_MS, 3600000};
	const struct subprocess_spec spec = {
		.run = signs_child,
		.arg = &wish,
		.flags = SUBPROCESS_HANGS | SUBPROCESS_IN,
	};
	struct err err;

	(void)state;
	assert_int_equal(pipe2(order, O_CLOEXEC), 0);
	worker = fork();
	if (worker == 0) {
		close(order[1]);
		work();
	}
	return subprocess_start(&spec, &looker, &err);
}

static int end(void **state)
{
	(void)state;
	close(order[0]);
	close(order[1]);
	subprocess_close(&looker); /* its end, too */
	assert_int_equal(waitpid(looker.pid, NULL, 0), looker.pid);
	assert_int_equal(waitpid(worker, NULL, 0), worker);
	return 0;
}

/* Of the next row. */
static uint64_t moved_ms(void)
{
	char text[256], *at = text, *field[ROW_FIELDS];
	struct pollfd p = {.fd = looker.out, .events = POLLIN};
	size_t n = 0;

	do {
		assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
		assert_int_equal(read(looker.out, text + n, 1), 1);
		assert_true(n < sizeof(text) - 1);
	} while (text[n++] != '\n');
	text[n] = '\0';
	assert_int_equal(row_next(&at, field), 5);
	assert_string_equal(field[0], "sign");
	assert_string_equal(field[1], "0");
	return strtoull(field[2], NULL, 10);
}

/* Until nothing has been seen for some looks. */
static uint64_t settle(void)
{
	uint64_t last = moved_ms();

	for (int same = 0; same < LOOKS;) {
		uint64_t now = moved_ms();

		same = now == last ? same + 1 : 0;
		last = now;
	}
	return last;
}

static void say(int fd, char word)
{
	assert_int_equal(write(fd, &word, 1), 1);
}

static void works(void **state)
{
	uint64_t before = settle();

	(void)state;
	say(order[1], 'w');
	for (int ms = 0; moved_ms() == before; ms += INTERVAL_MS)
		assert_true(ms < PATIENCE_MS);
}

static void asked(void **state)
{
	uint64_t before = settle();

	(void)state;
	say(looker.in, SIGNS_ASKED);
	say(order[1], 'w');
	for (int i = 0; i < 2 * LOOKS; i++)
		assert_int_equal(moved_ms(), before);
	say(looker.in, SIGNS_COUNT);
	assert_int_equal(settle(), before);
	say(order[1], 'w');
	for (int ms = 0; moved_ms() == before; ms += INTERVAL_MS)
		assert_true(ms < PATIENCE_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(works, begin, end),
		cmocka_unit_test_setup_teardown(asked, begin, end),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
