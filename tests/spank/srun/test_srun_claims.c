/* SPDX-License-Identifier: Apache-2.0 */
/* Who gets the centre's office, told the time: launchers are the other ends of
 * socket pairs. */
#include "spank/srun/srun_claims.h"

#include "core/facts/handover.h"
#include "tests/fixtures/unit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#define INTERVAL 1000
#define LEASE	 8000

static struct claims c;
static uint64_t now;

static int begin(void **state)
{
	(void)state;
	c = (struct claims){.interval_ms = INTERVAL, .lease_ms = LEASE};
	now = 1;
	return 0;
}

static int end(void **state)
{
	(void)state;
	claims_close(&c);
	return 0;
}

/* The launcher's end. */
static int claimed(unsigned procid)
{
	int fd[2];

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
	claims_add(&c, fd[1], procid, now);
	return fd[0];
}

static char after(uint64_t ms)
{
	now += ms;
	return claims_run(&c, now);
}

static void say(int fd, const char *words)
{
	assert_int_equal(send(fd, words, strlen(words), MSG_NOSIGNAL),
			 strlen(words));
}

/* The next word that srun has said: 'G' with its term; '.': none; '-': the
 * connection has ended. */
static char told(int fd, unsigned *ret_term, unsigned *ret_round)
{
	unsigned char byte;
	uint32_t number[2];
	ssize_t n = recv(fd, &byte, 1, 0);

	if (n <= 0)
		return n == 0 ? '-' : '.';
	if (byte == *SRUN_GRANTED) {
		assert_int_equal(recv(fd, number, sizeof(number), 0),
				 sizeof(number));
		*ret_term = ntohl(number[0]);
		*ret_round = ntohl(number[1]);
	}
	return (char)byte;
}

static void is_told(int fd, char word)
{
	unsigned term, round;

	assert_int_equal(told(fd, &term, &round), word);
}

static void is_granted_after(int fd, unsigned term, unsigned round)
{
	unsigned granted = 0, last = 0;

	assert_int_equal(told(fd, &granted, &last), *SRUN_GRANTED);
	assert_int_equal(granted, term);
	assert_int_equal(last, round);
}

static void is_granted(int fd, unsigned term)
{
	is_granted_after(fd, term, term > 1 ? term - 2 : 0);
}

/* Beats of one or two launchers for so long. */
static void live(int a, int b, unsigned ms)
{
	for (unsigned i = 0; i < ms / INTERVAL; i++) {
		say(a, SRUN_BEAT);
		if (b >= 0)
			say(b, SRUN_BEAT);
		assert_int_equal(after(INTERVAL), 0);
		is_told(a, *SRUN_BEAT);
		if (b >= 0)
			is_told(b, *SRUN_BEAT);
	}
}

static void first_launcher_at_once(void **state)
{
	int first = claimed(0);

	(void)state;
	after(0);
	is_granted(first, 1);
	live(first, -1, 3 * LEASE);
	assert_true(c.held);
	close(first);
}

static void others_wait_for_a_lower_number(void **state)
{
	int five = claimed(5), three, seven;

	(void)state;
	after(CLAIMS_WINDOW_MS / 3);
	three = claimed(3);
	seven = claimed(7);
	after(CLAIMS_WINDOW_MS / 3);
	is_told(five, '.');
	is_told(three, '.');
	assert_true(claims_next_ms(&c) <= now + CLAIMS_WINDOW_MS);
	after(CLAIMS_WINDOW_MS);
	is_granted(three, 1);
	is_told(five, '.');
	is_told(seven, '.');
	close(three);
	close(five);
	close(seven);
}

static void never_two_holders(void **state)
{
	int first = claimed(4), second;

	(void)state;
	after(CLAIMS_WINDOW_MS);
	after(CLAIMS_WINDOW_MS);
	is_granted(first, 1);
	second = claimed(1);
	live(first, second, 3 * LEASE);
	close(first);
	after(0);
	after(CLAIMS_WINDOW_MS);
	is_granted_after(second, 2, 1);
	close(second);
}

static void silent_holder_after_the_lease(void **state)
{
	int first = claimed(0), second;

	(void)state;
	after(0);
	is_granted(first, 1);
	second = claimed(1);
	for (unsigned ms = INTERVAL; ms < LEASE; ms += INTERVAL) {
		say(second, SRUN_BEAT);
		after(INTERVAL);
		is_told(second, *SRUN_BEAT);
		assert_true(c.held);
	}
	say(second, SRUN_BEAT);
	after(INTERVAL);
	assert_false(c.held);
	assert_true(c.silent);
	is_told(second, *SRUN_BEAT);
	after(CLAIMS_WINDOW_MS);
	is_granted(second, 2);
	is_told(first, '-');
	close(first);
	close(second);
}

/* Its beats come, and nothing of the answers: it knows that it is out, and
 * closes the connection. */
static void an_answer_for_each_beat(void **state)
{
	int first = claimed(0);

	(void)state;
	after(0);
	is_granted(first, 1);
	after(3 * INTERVAL);
	is_told(first, '.');
	say(first, SRUN_BEAT SRUN_BEAT);
	after(0);
	is_told(first, *SRUN_BEAT);
	is_told(first, *SRUN_BEAT);
	is_told(first, '.');
	close(first);
}

/* Who claims and is lost before it gets the office. */
static void lost_claimer_gets_nothing(void **state)
{
	int first = claimed(0), lost, gone, next;

	(void)state;
	after(0);
	is_granted(first, 1);
	lost = claimed(1);
	gone = claimed(2);
	next = claimed(3);
	live(first, next, 3 * INTERVAL);
	close(gone);
	close(first);
	after(0);
	say(next, SRUN_BEAT);
	after(CLAIMS_WINDOW_MS);
	is_told(next, *SRUN_BEAT);
	is_granted(next, 2);
	is_told(lost, '.');
	close(lost);
	close(next);
}

static void last_word_of_the_holder_alone(void **state)
{
	int first = claimed(0), second = claimed(1);

	(void)state;
	after(0);
	is_granted(first, 1);
	say(second, SRUN_ALL_WELL);
	assert_int_equal(after(0), 0);
	is_told(second, '-');
	say(first, SRUN_BEAT SRUN_LEFT_WELL);
	assert_int_equal(after(0), *SRUN_LEFT_WELL);
	close(first);
	close(second);
}

static void later_claim_of_a_number_counts(void **state)
{
	int old = claimed(2), new = claimed(2);

	(void)state;
	is_told(old, '-');
	after(CLAIMS_WINDOW_MS);
	after(CLAIMS_WINDOW_MS);
	is_granted(new, 1);
	close(old);
	close(new);
}

static void lowest_numbers_stay(void **state)
{
	int fd[CLAIMS_MAX], low, high;

	(void)state;
	for (unsigned i = 0; i < CLAIMS_MAX; i++)
		fd[i] = claimed(10 + i);
	high = claimed(99);
	is_told(high, '-');
	low = claimed(3);
	is_told(fd[CLAIMS_MAX - 1], '-');
	is_told(fd[CLAIMS_MAX - 2], '.');
	assert_int_equal(c.n, CLAIMS_MAX);
	after(CLAIMS_WINDOW_MS);
	after(CLAIMS_WINDOW_MS);
	is_granted(low, 1);
	for (unsigned i = 0; i < CLAIMS_MAX; i++)
		close(fd[i]);
	close(low);
	close(high);
}

/* Who takes over is told the last round that another one may have begun, and
 * begins the next. */
static void rounds_are_counted(void **state)
{
	int first = claimed(0), five = claimed(5), nine;

	(void)state;
	after(0);
	is_granted_after(first, 1, 0);
	say(five, SRUN_ROUND); /* nothing to do with it */
	say(first, SRUN_ROUND SRUN_BEAT SRUN_ROUND SRUN_BEAT);
	assert_int_equal(after(1), 0);
	is_told(first, *SRUN_BEAT);
	is_told(first, *SRUN_BEAT);
	is_told(first, '.');
	close(first);
	after(1);
	after(CLAIMS_WINDOW_MS);
	is_granted_after(five, 2, 2);
	say(five, SRUN_ROUND);
	nine = claimed(9);
	after(1);
	close(five);
	after(1);
	after(CLAIMS_WINDOW_MS);
	is_granted_after(nine, 3, 4);
	close(nine);
}

/* Not up to an interval later. */
static void looks_when_the_lease_is_over(void **state)
{
	int first = claimed(0);

	(void)state;
	after(0);
	after(LEASE - INTERVAL / 4);
	assert_true(claims_next_ms(&c) == now + INTERVAL / 4);
	after(INTERVAL / 4);
	assert_false(c.held);
	close(first);
}

static void nobody_wakes_it_without_a_claim(void **state)
{
	(void)state;
	after(0);
	assert_true(claims_next_ms(&c) == UINT64_MAX);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(first_launcher_at_once),
		CASE(others_wait_for_a_lower_number),
		CASE(never_two_holders),
		CASE(silent_holder_after_the_lease),
		CASE(an_answer_for_each_beat),
		CASE(lost_claimer_gets_nothing),
		CASE(last_word_of_the_holder_alone),
		CASE(later_claim_of_a_number_counts),
		CASE(lowest_numbers_stay),
		CASE(rounds_are_counted),
		CASE(looks_when_the_lease_is_over),
		CASE(nobody_wakes_it_without_a_claim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
