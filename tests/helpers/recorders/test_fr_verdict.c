/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who holds up the others. The dumps in tests/fixtures/flight_recorder are
 * PyTorch 2.15's own, of tests/clients/flight_recorder.py on four ranks.
 */
#include "core/base/text.h"
#include "helpers/recorders/fr_read.h"
#include "helpers/recorders/fr_verdict.h"
#include "helpers/sample/tools.h"

#include "tests/fixtures/unit.h"

#include <fcntl.h>
#include <unistd.h>

#define LINES 4096

static void add_line(void *arg, const struct fr_finding *finding)
{
	char *line = NULL;
	size_t n;
	FILE *f = open_memstream(&line, &n);

	assert_non_null(f);
	fr_finding_print(finding, f);
	fclose(f);
	assert_int_equal(text_add(arg, LINES, "\n", "%s", line), 0);
	free(line);
}

static const char *lines_of(struct fr_table *v)
{
	static char lines[LINES];
	struct err err;

	*lines = '\0';
	assert_true(fr_verdict_find(v, add_line, lines, &err) >= 0);
	fr_table_free(v);
	return lines;
}

static const char *judge(const char *rows)
{
	struct fr_table *v = fr_table_new();
	struct err err;

	assert_non_null(v);
	assert_int_equal(fr_table_add(v, rows, &err), 0);
	return lines_of(v);
}

/* --- PyTorch's own dumps --- */

/* The caller's to free */
static char *rows_of(const char *name, unsigned rank)
{
	const char *srcdir = getenv("srcdir");
	char path[4096], python[4096], *rows = NULL;
	struct err err;
	FILE *f;
	int fd;

	snprintf(path, sizeof(path), "%s/tests/fixtures/flight_recorder/%s_%u",
		 srcdir ? srcdir : ".", name, rank);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(program_path("python3", 0, python, sizeof(python)), 0);
	f = open_memstream(&rows, &(size_t){0});
	assert_non_null(f);
	assert_int_equal(fr_read(python, fd, rank, 30000, f, &err), 0);
	fclose(f);
	close(fd);
	return rows;
}

static void real_rows(void **state)
{
	char *waits = rows_of("late", 0), *late = rows_of("late", 3);

	(void)state;
	assert_string_equal(
		waits, "dump\t0\t6\t0\n"
		       "group\t0\t0\tdefault_pg\t\t5\t6\n"
		       "op\t0\t0\tcollective\t6\tall_reduce\t[4]\tscheduled\t"
		       "<lambda>\t/home/user/train.py\t76\n");
	assert_string_equal(late,
			    "dump\t3\t5\t0\n"
			    "group\t3\t0\tdefault_pg\t\t5\t5\n"
			    "op\t3\t0\tcollective\t5\tall_reduce\t[4]\tdone\t"
			    "call\t/home/user/train.py\t63\n");
	free(waits);
	free(late);
}

static void add_dump(struct fr_table *v, const char *name, unsigned rank)
{
	char *rows = rows_of(name, rank);
	struct err err;

	assert_int_equal(fr_table_add(v, rows, &err), 0);
	free(rows);
}

static const char *judge_dumps(const char *name)
{
	struct fr_table *v = fr_table_new();

	assert_non_null(v);
	for (unsigned rank = 0; rank < 4; rank++)
		add_dump(v, name, rank);
	assert_int_equal(fr_table_ndumps(v), 4);
	return lines_of(v);
}

static void real_late(void **state)
{
	(void)state;
	assert_string_equal(
		judge_dumps("late"),
		"rank 3 never entered collective 6 (all_reduce [4], group 0 "
		"default_pg): 3 ranks (0-2) wait in it at train.py:76; the "
		"last one before was all_reduce at train.py:63");
}

static void real_swapped(void **state)
{
	(void)state;
	assert_string_equal(
		judge_dumps("swapped"),
		"collective 6 of group 0 default_pg isn't the same in all "
		"ranks: rank 3 in broadcast [4] at train.py:73, 3 ranks (0-2) "
		"in all_reduce [4] at train.py:76");
}

/* --- rows --- */

#define DUMP(rank, lost) "dump\t" rank "\t9\t" lost "\n"
#define GROUP(rank, name, desc, ranks, done, entered)                          \
	"group\t" rank "\t" name "\t" desc "\t" ranks "\t" done "\t" entered   \
	"\n"
#define OP(rank, group, kind, number, op, state)                               \
	"op\t" rank "\t" group "\t" kind "\t" number "\t" op "\t[2]\t" state   \
	"\tf\t/a/b.py\t7\n"
#define WAITS(rank, group, number, op)                                         \
	OP(rank, group, "collective", number, op, "started")

static void nothing_to_find(void **state)
{
	(void)state;
	assert_string_equal(judge(""), "");
	/* a rank is ahead, and nobody waits */
	assert_string_equal(
		judge(DUMP("0", "0") DUMP("1", "0")
			      GROUP("0", "0", "default_pg", "", "5", "5") GROUP(
				      "1", "0", "default_pg", "", "4", "4")),
		"");
	assert_string_equal(judge("group\n\n\tx\nop\t-1\ndump\tx\n"), "");
}

/* A rank that hasn't entered anything of a group isn't named by its dump. */
static void never_at_all(void **state)
{
	static const char in[] = GROUP("0", "3", "tp", "[0, 2]", "0", "1")
		WAITS("0", "3", "1", "broadcast");
	char rows[1024];

	(void)state;
	snprintf(rows, sizeof(rows), "%s%s", in,
		 DUMP("0", "0") DUMP("1", "0") DUMP("2", "0"));
	assert_string_equal(judge(rows),
			    "rank 2 never entered collective 1 (broadcast [2], "
			    "group 3 tp): rank 0 waits in it at b.py:7");
	/* unless its buffer has lost its first entries */
	snprintf(rows, sizeof(rows), "%s%s", in,
		 DUMP("0", "0") DUMP("1", "0") DUMP("2", "5"));
	assert_non_null(strstr(judge(rows), "all ranks with a dump"));
}

/* Rank 1 is late in `tp` because it waits in `dp` for rank 3. */
static void cause_before_effect(void **state)
{
	(void)state;
	assert_string_equal(
		judge(GROUP("0", "1", "tp", "[0, 1]", "4",
			    "5") WAITS("0", "1", "5", "all_gather")
			      GROUP("1", "1", "tp", "[0, 1]", "4", "4") GROUP(
				      "1", "2", "dp", "[1, 3]", "7", "8")
				      WAITS("1", "2", "8", "all_reduce")
					      GROUP("3", "2", "dp", "[1, 3]",
						    "7", "7")),
		"rank 3 never entered collective 8 (all_reduce [2], group 2 "
		"dp): rank 1 waits in it at b.py:7\n"
		"rank 1 never entered collective 5 (all_gather [2], group 1 "
		"tp): rank 0 waits in it at b.py:7; but waits in another group "
		"itself");
}

static void others(void **state)
{
	(void)state;
	assert_string_equal(
		judge(GROUP("0", "0", "default_pg", "", "4",
			    "5") WAITS("0", "0", "5", "barrier")
			      GROUP("1", "0", "default_pg", "", "4", "5")
				      WAITS("1", "0", "5", "barrier")),
		"collective 5 (barrier [2], group 0 default_pg): all ranks "
		"with a dump have entered it, 2 ranks (0-1) wait in it at "
		"b.py:7");
	assert_string_equal(
		judge(OP("2", "4", "p2p", "6", "recv 2<-1", "started")),
		"rank 2 waits in recv 2<-1 (group 4) at b.py:7");
	/* as many as a pipeline has begun, of one text each */
	assert_string_equal(
		judge(OP("2", "4", "p2p", "6", "recv 2<-1", "started") OP(
			"2", "4", "p2p", "7", "recv 2<-1", "started")
			      OP("3", "4", "p2p", "6", "send 3->2", "started")),
		"rank 2 waits in recv 2<-1 (group 4) at b.py:7\n"
		"rank 3 waits in send 3->2 (group 4) at b.py:7");
}

static void check_many(void *arg, const struct fr_finding *f)
{
	assert_int_equal(f->kind, FR_LATE);
	assert_string_equal(f->ranks, "777");
	assert_int_equal(f->nwaiting, 999);
	*(unsigned *)arg += 1;
}

/* A thousand ranks, each in forty groups. */
static void many(void **state)
{
	struct fr_table *v = fr_table_new();
	unsigned nfound = 0;
	struct err err;

	(void)state;
	for (unsigned rank = 0; rank < 1000; rank++)
		for (unsigned g = 0; g < 40; g++) {
			bool late = rank == 777 && g == 7;
			char rows[256];

			snprintf(rows, sizeof(rows),
				 "group\t%u\t%u\tx\t\t4\t%u\n"
				 "op\t%u\t%u\tcollective\t%u\tall_reduce\t\t%s"
				 "\t\t\t0\n",
				 rank, g, late ? 4 : 5, rank, g, late ? 4 : 5,
				 late || g != 7 ? "done" : "started");
			assert_int_equal(fr_table_add(v, rows, &err), 0);
		}
	assert_int_equal(fr_verdict_find(v, check_many, &nfound, &err), 1);
	assert_int_equal(nfound, 1);
	fr_table_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_rows),
		cmocka_unit_test(real_late),
		cmocka_unit_test(real_swapped),
		cmocka_unit_test(nothing_to_find),
		cmocka_unit_test(never_at_all),
		cmocka_unit_test(cause_before_effect),
		cmocka_unit_test(others),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
