/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/procs/input.h"

#include "tests/fixtures/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_MS 60000
#define PIPE	 65536

static struct loop loop;
static struct input *input;
static int source[2];

static int open_loop(void **state)
{
	struct err err;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe2(source, O_CLOEXEC), 0);
	return loop_open(&loop, &err);
}

static int close_loop(void **state)
{
	(void)state;
	input_close(input);
	input = NULL;
	loop_close(&loop);
	close(source[0]);
	if (source[1] >= 0)
		close(source[1]);
	return 0;
}

static void open_source(int fd, unsigned n)
{
	struct err err;

	assert_int_equal(input_open(&loop, fd, n, &input, &err), 0);
}

static int attach(unsigned index, bool reads)
{
	struct err err;
	int fd;

	assert_int_equal(input_attach(input, index, reads, &fd, &err), 0);
	return fd;
}

static char pattern(size_t at)
{
	return (char)(at % 251 + at / 65537);
}

/* A child that writes so many bytes of the pattern. */
static void write_pattern(size_t size)
{
	if (fork() == 0) {
		char buf[4096];

		for (size_t at = 0; at < size; at += sizeof(buf)) {
			for (size_t i = 0; i < sizeof(buf); i++)
				buf[i] = pattern(at + i);
			if (write(source[1], buf, sizeof(buf)) < 0)
				_exit(1);
		}
		_exit(0);
	}
	close(source[1]);
	source[1] = -1;
}

/* As after an exec: a child doesn't hold our ends of the pipes. */
static void keep_only(int fd)
{
	for (int i = STDERR_FILENO + 1; i < 64; i++)
		if (i != fd)
			close(i);
}

/* How much of the pattern comes until the end, or until `most`. */
static size_t read_pattern(int fd, size_t most)
{
	char buf[4096];
	size_t at = 0;
	ssize_t n;

	while (at < most && (n = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++)
			if (buf[i] != pattern(at++))
				return (size_t)-1;
	return at;
}

/* A child that reads and expects so much; it closes after `most`. */
static void start_reader(unsigned index, size_t expected, size_t most)
{
	int fd = attach(index, true);

	assert_true(fd > STDERR_FILENO);
	if (fork() == 0) {
		keep_only(fd);
		_exit(read_pattern(fd, most) != expected);
	}
	close(fd);
}

static unsigned nleft;
static bool all_right;

static void look(void *arg)
{
	struct loop_timer *again = arg;
	int status;

	while (nleft && waitpid(-1, &status, WNOHANG) > 0) {
		all_right = all_right && status == 0;
		nleft--;
	}
	if (nleft)
		loop_arm(&loop, again, 5);
	else
		loop_stop(&loop);
}

static void too_late(void *arg)
{
	(void)arg;
	all_right = false;
	loop_stop(&loop);
}

/* Until so many children have ended, each with 0. */
static void run_until_ended(unsigned n)
{
	struct loop_timer again = {.expired = look, .arg = &again};
	struct loop_timer limit = {.expired = too_late};
	struct err err;

	nleft = n;
	all_right = true;
	loop_arm(&loop, &again, 1);
	loop_arm(&loop, &limit, LIMIT_MS);
	assert_int_equal(loop_run(&loop, &err), 0);
	assert_true(all_right);
	loop_disarm(&loop, &again);
	loop_disarm(&loop, &limit);
}

static void stop(void *arg)
{
	(void)arg;
	loop_stop(&loop);
}

static void run_for(uint64_t ms)
{
	struct loop_timer timer = {.expired = stop};
	struct err err;

	loop_arm(&loop, &timer, ms);
	assert_int_equal(loop_run(&loop, &err), 0);
}

static void copied_to_all(void **state)
{
	const size_t size = 3 * INPUT_RING + 4096;

	(void)state;
	open_source(source[0], 4);
	write_pattern(size);
	start_reader(0, size, SIZE_MAX);
	start_reader(1, 4096, 4096); /* closes early */
	close(attach(2, false));
	start_reader(3, size, SIZE_MAX);
	run_until_ended(4);
}

/* Who comes late, or reads late, gets all, and the others wait. */
static void nothing_lost_for_the_slow(void **state)
{
	const size_t size = INPUT_RING + 16 * PIPE;
	int slow;

	(void)state;
	open_source(source[0], 3);
	write_pattern(size);
	start_reader(0, size, SIZE_MAX);
	run_for(200);
	slow = attach(1, true);
	start_reader(2, size, SIZE_MAX);
	run_for(200);
	if (fork() == 0) {
		keep_only(slow);
		_exit(read_pattern(slow, SIZE_MAX) != size);
	}
	close(slow);
	run_until_ended(4);
}

static void given_again(void **state)
{
	struct err err;

	(void)state;
	open_source(source[0], 2);
	write_pattern(2 * PIPE);
	start_reader(0, 2 * PIPE, SIZE_MAX);
	start_reader(1, 2 * PIPE, SIZE_MAX);
	run_until_ended(3);
	assert_int_equal(input_again(input, &err), 0);
	start_reader(0, 2 * PIPE, SIZE_MAX);
	start_reader(1, 4096, 4096);
	run_until_ended(2);
}

static void too_much_to_give_again(void **state)
{
	struct err err;

	(void)state;
	open_source(source[0], 2);
	write_pattern(INPUT_RING + 4096);
	start_reader(0, INPUT_RING + 4096, SIZE_MAX);
	start_reader(1, INPUT_RING + 4096, SIZE_MAX);
	run_until_ended(3);
	assert_int_equal(input_again(input, &err), -1);
	assert_non_null(strstr(err.text, "more than 4 MiB of standard input"));
}

static void file_of_its_own(void **state)
{
	char text[] = "/tmp/dist-train-input-XXXXXX", got[8] = "";
	int fd = mkstemp(text), a, b;

	(void)state;
	unlink(text);
	assert_int_equal(write(fd, "skipped\nline\n", 13), 13);
	lseek(fd, 8, SEEK_SET);
	open_source(fd, 2);
	a = attach(0, true);
	b = attach(1, true);
	assert_int_equal(read(a, got, sizeof(got)), 5);
	assert_int_equal(read(b, got, sizeof(got)), 5);
	assert_memory_equal(got, "line\n", 5);
	close(a);
	close(b);
	close(fd);
}

static void terminal_for_the_first(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave, null;
	char c;

	(void)state;
	assert_int_equal(grantpt(master) | unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	open_source(slave, 2);
	assert_int_equal(attach(0, true), -1);
	null = attach(1, true);
	assert_int_equal(read(null, &c, 1), 0);
	assert_false(input_lacks_terminal(input, 0));
	assert_true(input_lacks_terminal(input, 1));
	close(null);
	close(slave);
	close(master);
}

static void nothing_to_copy(void **state)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	open_source(source[0], 1);
	assert_null(input);
	open_source(null, 8);
	assert_null(input);
	open_source(-1, 8);
	assert_null(input);
	assert_int_equal(attach(0, true), -1);
	assert_false(input_lacks_terminal(input, 1));
	close(null);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(copied_to_all, open_loop,
						close_loop),
		cmocka_unit_test_setup_teardown(nothing_lost_for_the_slow,
						open_loop, close_loop),
		cmocka_unit_test_setup_teardown(given_again, open_loop,
						close_loop),
		cmocka_unit_test_setup_teardown(too_much_to_give_again,
						open_loop, close_loop),
		cmocka_unit_test_setup_teardown(file_of_its_own, open_loop,
						close_loop),
		cmocka_unit_test_setup_teardown(terminal_for_the_first,
						open_loop, close_loop),
		cmocka_unit_test_setup_teardown(nothing_to_copy, open_loop,
						close_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
