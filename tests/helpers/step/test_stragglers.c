/* SPDX-License-Identifier: Apache-2.0 */
/* Who is slower than the others, and when that is said. */
#include "helpers/step/stragglers.h"

#include "tests/fixtures/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NRANKS 8

struct fixture {
	struct stragglers s;
	char said[1024];
	time_t now;
};

static void note_line(void *arg, const char *node, const char *line)
{
	struct fixture *f = arg;

	assert_non_null(strstr(line, node));

	strncat(f->said, line, sizeof(f->said) - strlen(f->said) - 1);
}

static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err err;

	setenv("TZ", "UTC", 1);
	*state = f;
	f->now = 14 * 3600;
	assert_int_equal(stragglers_open(NRANKS, &f->s, &err), 0);
	f->s.say = note_line;
	f->s.arg = f;
	return 0;
}

static int end(void **state)
{
	struct fixture *f = *state;

	stragglers_close(&f->s);
	free(f);
	return 0;
}

/* An interval of a minute: `rate` of the ranks from `first` to `last`, 4 of all
 * others; two ranks a node. Returns what is said in it. */
static const char *interval(struct fixture *f, unsigned first, unsigned last,
			    double rate, double busy)
{
	*f->said = '\0';
	f->now += 60;
	for (unsigned i = 0; i < NRANKS; i++) {
		char node[16];
		bool odd = i >= first && i <= last;

		snprintf(node, sizeof(node), "node%u", i / 2 + 1);
		stragglers_note(&f->s, i, node,
				&(struct pace_report){
					odd ? rate : 4,
					isnan(busy) ? NAN
					: odd	    ? busy
						    : 50,
				});
	}
	stragglers_judge(&f->s, f->now);
	return f->said;
}

static void said_once(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(interval(f, 5, 5, 2.85, NAN), "");
	assert_string_equal(interval(f, 5, 5, 2.85, NAN), "");
	assert_string_equal(interval(f, 5, 5, 2.85, NAN),
			    "dist-train: rank 5 on node3 is 1.4 x slower than "
			    "the median since 14:01\n");
	assert_string_equal(interval(f, 5, 5, 2.85, NAN), "");
	assert_string_equal(interval(f, 5, 5, 4, NAN), "");
	assert_string_equal(interval(f, 5, 5, 4, NAN), "");
	assert_string_equal(interval(f, 5, 5, 4, NAN),
			    "dist-train: rank 5 on node3 is as fast as the "
			    "others since 14:05\n");
	assert_string_equal(interval(f, 5, 5, 4, NAN), "");
}

/* Two slow intervals, and then not: that is no straggler. */
static void not_for_a_moment(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 12; i++)
		assert_string_equal(interval(f, 5, 5, i % 3 == 2 ? 4 : 1, NAN),
				    "");
	/* And less than 1.2 x is none */
	for (unsigned i = 0; i < 6; i++)
		assert_string_equal(interval(f, 5, 5, 4 / 1.19, NAN), "");
}

static void from_where_on(void **state)
{
	(void)state;
	assert_true(is_slow(1.2));
	assert_false(is_slow(1.19));
	assert_false(is_slow(NAN));
}

static void a_node(void **state)
{
	struct fixture *f = *state;

	interval(f, 4, 5, 2, NAN);
	interval(f, 4, 5, 2, NAN);
	assert_string_equal(
		interval(f, 4, 5, 2, NAN),
		"dist-train: ranks 4 to 5 on node3 are 2.0 x slower "
		"than the median since 14:01\n");
}

/* The same rate of all: who works most of the time is slow. */
static void who_waits_least(void **state)
{
	struct fixture *f = *state;

	interval(f, 2, 2, 4, 80);
	interval(f, 2, 2, 4, 80);
	assert_string_equal(interval(f, 2, 2, 4, 80),
			    "dist-train: rank 2 on node2 is 1.4 x slower than "
			    "the median since 14:01\n");
}

/* Rank 0 alone reports, as Hugging Face's Trainer does; or nobody. */
static void too_few(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 6; i++) {
		stragglers_note(&f->s, 0, "node1",
				&(struct pace_report){1, NAN});
		stragglers_note(&f->s, 1, "node1",
				&(struct pace_report){4, NAN});
		stragglers_note(&f->s, NRANKS, "node1",
				&(struct pace_report){4, NAN});
		stragglers_judge(&f->s, f->now);
		stragglers_judge(&f->s, f->now);
	}
	assert_string_equal(f->said, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(said_once, begin, end),
		cmocka_unit_test_setup_teardown(not_for_a_moment, begin, end),
		cmocka_unit_test(from_where_on),
		cmocka_unit_test_setup_teardown(a_node, begin, end),
		cmocka_unit_test_setup_teardown(who_waits_least, begin, end),
		cmocka_unit_test_setup_teardown(too_few, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
