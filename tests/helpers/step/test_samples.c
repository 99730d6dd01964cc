/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of the stacks of two launchers, and what they come to. */
#include "helpers/step/samples.h"

#include "tests/fixtures/unit.h"

#define P(state)	"proc\t0\t7\tpython3\tpy-spy\t" state "\n"
#define MAIN		"thread\t7\tMainThread\tS\tfutex\n"
#define BUSY		"thread\t7\tMainThread\tR\t0\n"
#define F(name, line)	"frame\t" name "\t/home/a/train.py\t" line "\n"
#define LIB(name, file) "frame\t" name "\t" file "\t1\n"
#define WAITS		P("S") MAIN F("all_reduce", "3")
#define NATIVE(st, w)                                                          \
	"proc\t0\t7\tprog\tproc\t" st "\nthread\t7\tprog\t" st "\t" w "\n"

/* The first launcher's samples, each up to SAMPLES_MAX; NULL: as the one
 * before. The second one's always stand still. */
static const struct shape {
	const char *name;
	const char *sign; /* rows of "signs" */
	const char *rows[SAMPLES_MAX];
	enum samples_verdict verdict;
	unsigned count;
} shapes[] = {
	{"all wait", "", {WAITS}, SAMPLES_HANG, 2},
	{"another line",
	 "",
	 {WAITS, P("S") MAIN F("all_reduce", "4")},
	 SAMPLES_MOVES,
	 2},
	{"another function",
	 "",
	 {WAITS, P("S") MAIN F("step", "3")},
	 SAMPLES_MOVES,
	 2},
	{"the same loop, in each of its lines",
	 "sign\t0\t600\t1\t1\n",
	 {P("R") BUSY F("spin", "3"), P("R") BUSY F("spin", "4"),
	  P("R") BUSY F("spin", "3"), P("R") BUSY F("spin", "5")},
	 SAMPLES_HANG,
	 4},
	{"an evaluation",
	 "sign\t0\t600\t1\t1\n",
	 {P("R") BUSY F("forward", "3"), P("R") BUSY F("forward", "3"),
	  P("R") BUSY F("loss", "3")},
	 SAMPLES_MOVES,
	 3},
	{"CPU that only the state shows",
	 "",
	 {P("R") BUSY F("spin", "3"), P("R") BUSY F("spin", "4")},
	 SAMPLES_HANG,
	 4},
	{"CPU of a process below that can't be seen",
	 "sign\t0\t600\t1\t2\n",
	 {WAITS "child\t0\t8\tcc1plus\tproc\tR\nthread\t8\tcc1plus\tR\t0\n"},
	 SAMPLES_MOVES,
	 2},
	{"CPU that can't be seen",
	 "sign\t0\t600\t1\t1\n",
	 {NATIVE("R", "0")},
	 SAMPLES_BLIND,
	 2},
	{"a place in the kernel",
	 "",
	 {NATIVE("D", "fuse_wait")},
	 SAMPLES_HANG,
	 2},
	{"two places in the kernel",
	 "",
	 {NATIVE("S", "futex"), NATIVE("S", "pipe_read")},
	 SAMPLES_MOVES,
	 2},
	{"stopped",
	 "",
	 {P("T") "thread\t7\tMain\tT\tdo_signal_stop\n" F("a", "1")},
	 SAMPLES_HANG,
	 2},
	{"traced", "", {P("t") MAIN F("a", "1")}, SAMPLES_HELD, 1},
	{"pdb",
	 "",
	 {P("S") MAIN LIB("cmdloop", "/usr/lib/python3.11/cmd.py")
		  LIB("interaction", "/usr/lib/python3.11/pdb.py")},
	 SAMPLES_HELD,
	 1},
	{"import",
	 "",
	 {P("S") MAIN LIB("_find_and_load", "<frozen importlib._bootstrap>")},
	 SAMPLES_STARTS,
	 2},
	{"another thread moves",
	 "",
	 {P("S") MAIN F("join", "1") "thread\t9\tT\tS\tx\n" F("work", "1"),
	  P("S") MAIN F("join", "1") "thread\t9\tT\tS\tx\n" F("work", "2")},
	 SAMPLES_MOVES,
	 2},
	{"a library's thread has no frames",
	 "",
	 {WAITS "thread\t9\tgloo\tS\tep_poll\n",
	  WAITS "thread\t9\tgloo\tR\t0\n"},
	 SAMPLES_HANG,
	 2},
	{"the process has ended",
	 "",
	 {WAITS, "gone\t0\t7\n"},
	 SAMPLES_MOVES,
	 2},
	{"another one has begun",
	 "",
	 {WAITS,
	  WAITS "child\t0\t8\tx\tpy-spy\tS\nthread\t8\tM\tS\tx\n" F("a", "1")},
	 SAMPLES_MOVES,
	 2},
	{"a tool fails once",
	 "",
	 {WAITS, NATIVE("S", "futex"), WAITS},
	 SAMPLES_HANG,
	 3},
	{"a tool fails in the first sample",
	 "",
	 {NATIVE("S", "futex"), WAITS, WAITS},
	 SAMPLES_HANG,
	 3},
	{"a tool fails in the first sample, then it moves",
	 "",
	 {NATIVE("S", "futex"), WAITS, P("S") MAIN F("step", "4")},
	 SAMPLES_MOVES,
	 3},
	{"nobody samples", "", {"unknown\n"}, SAMPLES_BLIND, SAMPLES_MAX},
	{"somebody else samples, once", "", {"busy\n", WAITS}, SAMPLES_HANG, 3},
	{"no answer", "", {""}, SAMPLES_BLIND, SAMPLES_MAX},
	{"hostile",
	 "",
	 {"thread\nframe\nproc\n\n\tx\nthread\tx\nchild\t\t\t\t\t\nframe\n"},
	 SAMPLES_HANG,
	 2},
};

static void add(struct samples *s, unsigned member, const char *rows)
{
	char *copy = strdup(rows);

	samples_add(s, member, copy);
	free(copy);
}

static void play(const struct shape *shape)
{
	static const bool wanted[] = {true, true, false};
	struct samples *s = samples_new(3);
	const char *rows = NULL;
	enum samples_verdict v;
	char sign[64];

	strcpy(sign, shape->sign);
	samples_signs(s, 0, sign);
	do {
		unsigned i = samples_count(s);

		rows = shape->rows[i] ? shape->rows[i] : rows;
		samples_begin(s);
		add(s, 0, rows);
		add(s, 1,
		    "proc\t1\t7\tpython3\tpy-spy\tS\n" MAIN F("wait", "1"));
		v = samples_judge(s, wanted);
	} while (v == SAMPLES_MORE && samples_count(s) < SAMPLES_MAX);
	if (v != shape->verdict || samples_count(s) != shape->count)
		fail_msg("%s: %d after %u", shape->name, v, samples_count(s));
	samples_free(s);
}

static void every_shape(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(shapes); i++)
		play(&shapes[i]);
}

/* 1,000 launchers of 8 ranks with 8 threads each. */
static void many(void **state)
{
	struct samples *s = samples_new(1000);
	bool *wanted = calloc(1000, sizeof(*wanted));
	char *text;
	size_t size;

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		samples_begin(s);
		for (unsigned i = 0; i < 1000; i++) {
			FILE *f = open_memstream(&text, &size);

			wanted[i] = true;
			for (unsigned rank = 0; rank < 8; rank++) {
				fprintf(f, "proc\t%u\t%u\tpython3\tpy-spy\tS\n",
					8 * i + rank, 100 + rank);
				for (unsigned t = 0; t < 8; t++)
					fprintf(f,
						"thread\t%u\tx\tS\tfutex\n" F(
							"wait", "1"),
						1000 + 8 * rank + t);
			}
			fclose(f);
			samples_add(s, i, text);
			free(text);
		}
	}
	assert_int_equal(samples_judge(s, wanted), SAMPLES_HANG);
	free(wanted);
	samples_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
