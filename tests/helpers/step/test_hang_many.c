/* SPDX-License-Identifier: Apache-2.0 */
/* 1,000 launchers with two ranks each, of which one hangs: from the last one
 * that becomes quiet to the report, without the time that samples wait. */
#include "helpers/sample/group.h"
#include "helpers/step/hang_clock.h"
#include "helpers/step/hang_report.h"
#include "helpers/step/samples.h"

#include "tests/fixtures/unit.h"

#include <time.h>

#define N 1000

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char *rows_of(unsigned member)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (unsigned rank = 2 * member; rank < 2 * member + 2; rank++) {
		fprintf(f, "proc\t%u\t%u\tpython3\tpy-spy\tS\n", rank,
			100 + rank);
		fprintf(f, "thread\t%u\tMainThread\tS\tfutex\n", 100 + rank);
		if (rank == 1234)
			fputs("frame\tload\t/home/a/data.py\t7\n", f);
		else
			fputs("frame\tall_reduce\t/usr/lib/python3/"
			      "dist-packages/torch/distributed/"
			      "distributed_c10d.py\t1700\n",
			      f);
		for (unsigned i = 0; i < 20; i++)
			fprintf(f, "frame\tcall_%u\t/home/a/train.py\t%u\n", i,
				i);
	}
	fclose(f);
	return text;
}

static void add_sample(struct samples *samples, struct stacks *stacks)
{
	struct err err;

	samples_begin(samples);
	for (unsigned i = 0; i < N; i++) {
		char node[16], *rows = rows_of(i);

		snprintf(node, sizeof(node), "node%u", i);
		assert_int_equal(stacks_add(stacks, node, rows, &err), 0);
		samples_add(samples, i, rows);
		free(rows);
	}
}

static void all_become_quiet(struct hang_clock *c)
{
	for (unsigned i = 0; i < N; i++)
		hang_clock_note(c, i, RANKS_WORK, 0, 1000);
	assert_true(hang_clock_due(c) == HANG_NEVER);
	for (unsigned i = 0; i < N; i++)
		hang_clock_note(c, i, RANKS_QUIET, 5000, 10000 + i);
	assert_true(hang_clock_due(c) == 15999);
}

static void decide(void **state)
{
	struct hang hang = {.seconds = 10};
	struct samples *samples = samples_new(N);
	bool *wanted = malloc(N);
	struct stacks *stacks = NULL;
	struct hang_clock clock;
	double began = seconds();
	struct err err;
	char *text;

	(void)state;
	memset(wanted, true, N);
	assert_int_equal(hang_clock_open(&clock, N, 10000, &err), 0);
	all_become_quiet(&clock);
	for (unsigned k = 0; k < 2; k++) {
		stacks_free(stacks);
		stacks = stacks_new();
		add_sample(samples, stacks);
	}
	assert_int_equal(samples_judge(samples, wanted), SAMPLES_HANG);
	text = hang_report(&(struct hang_facts){
		.hang = &hang,
		.step = "7.0",
		.quiet_ms = 11000,
		.normal_ms = 3000,
		.samples = samples,
		.stacks = stacks,
	});
	assert_non_null(text);
	assert_non_null(
		strstr(text, "no rank has worked for 11.0 s (hang=10)"));
	assert_non_null(strstr(text, "suspect: 1 rank (1234, node617): load "));
	assert_non_null(strstr(text, "1999 ranks (0-1233,1235-1999): "));
	assert_non_null(strstr(text, "the longest pause of this step before "
				     "was 3.00 s"));
	print_message("%.3f s\n", seconds() - began);
	free(text);
	free(wanted);
	stacks_free(stacks);
	samples_free(samples);
	hang_clock_close(&clock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
