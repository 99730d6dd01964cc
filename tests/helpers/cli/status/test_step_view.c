/* SPDX-License-Identifier: Apache-2.0 */
/* What launchers tell of ranks, as numbers and as lines of a table. */
#include "helpers/cli/status/terminal.h"
#include "helpers/cli/status/view_lines.h"

#include "tests/fixtures/unit.h"

#include <math.h>
#include <stdlib.h>

static void add(struct step_view *v, const char *node, const char *rows)
{
	char *text = strdup(rows);

	step_view_add(v, node, text);
	free(text);
}

static void one_look(struct step_view *v, const char *node, const char *rows)
{
	const struct step_view none = {0};

	add(v, node, rows);
	step_view_finish(v, &none);
}

static void cell_is(const struct lines *l, unsigned line, unsigned figure,
		    const char *text)
{
	cleanup_table struct text_table t = {0};
	const char *cell;
	size_t c = 0;

	view_table(l, &t);
	while (strcmp(text_table_at(&t, 0, c), figures[figure].head) != 0)
		assert_true(++c < t.columns);
	cell = text_table_at(&t, line + 1, c);
	assert_string_equal(cell + strspn(cell, " "), text);
}

static void sorted(void **state)
{
	struct step_view v = {0};

	(void)state;
	add(&v, "node10",
	    "step\t3\t2\t1\nnode\t2\t0\t1\n"
	    "rank\t2\t12\t5000\t0\t0\t-1\n");
	one_look(&v, "node9",
		 "node\t1\t0\t2\nrank\t1\t11\t5000\t0\t0\t-1\n"
		 "rank\t0\t10\t5000\t1\t3\t700\n");
	assert_int_equal(v.n, 2);
	assert_string_equal(v.node[0].name, "node9");
	assert_int_equal(v.world_size, 3);
	assert_int_equal(v.requeues, 1);
	assert_int_equal(v.round, 2);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(v.rank[i].rank, i);
	assert_string_equal(v.node[v.rank[2].node].name, "node10");
	assert_string_equal(v.node[v.rank[0].node].name, "node9");
	assert_true(v.rank[0].ended);
	assert_int_equal(v.rank[0].code, 3);
	assert_true(v.rank[0].value[FIGURE_QUIET] == 0.7);
	assert_true(isnan(v.rank[1].value[FIGURE_QUIET]));
	step_view_clear(&v);
}

/* The key stage, while it is under way and behind it */
static void staging(void **state)
{
	struct step_view v = {0};
	char text[512] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	(void)state;
	one_look(&v, "n",
		 "step\t2\t2\t0\nstage\t/a/env\t2500000\t9000000\t1\t2\t75\n"
		 "node\t0\t0\t1\n");
	view_head(f, &v, "7.0");
	fclose(f);
	assert_non_null(strstr(text,
			       "\n/a/env to the nodes: 2.5 of 9.0 MB, 1 of "
			       "2 ready, 1:15 left\n"));
	one_look(&v, "m", "stage\t\t9000000\t9000000\t2\t2\t-1\n");
	f = fmemopen(text, sizeof(text), "w");
	view_head(f, &v, "7.0");
	fclose(f);
	assert_null(strstr(text, "to the nodes"));
	assert_true(isnan(v.stage.left_s));
	assert_int_equal(v.stage.ready, 2);
	step_view_clear(&v);
}

/* Ranks of two worlds have equal numbers, and are compared within theirs. */
static void worlds(void **state)
{
	const struct lines_options alike = {.how = LINES_ALIKE};
	struct step_view v = {0};
	struct lines l;

	(void)state;
	add(&v, "n1",
	    "step\t0\t2\t0\nnode\t0\t0\t0\n"
	    "role\tb\t0\tready\thttp://h:1\tb.0\n"
	    "role\tb\t1\tready\thttp://h:2\tb.1\n"
	    "role\ta\t0\tready\thttp://h:3\ta\n");
	add(&v, "n2",
	    "world\ta\nstep\t2\t1\t0\nnode\t0\t0\t2\n"
	    "rank\t1\t11\t5\t0\t0\t-1\n"
	    "rank\t0\t10\t5\t0\t0\t-1\n");
	one_look(&v, "n2",
		 "world\tb.1\nstep\t1\t1\t0\nnode\t0\t0\t1\n"
		 "rank\t0\t12\t5\t0\t0\t-1\n");
	assert_int_equal(v.world_size, 3);
	assert_int_equal(v.nnodes, 2);
	assert_int_equal(v.n, 2);
	assert_string_equal(rank_world(&v, &v.rank[0]), "b.1");
	assert_string_equal(rank_world(&v, &v.rank[2]), "a");
	assert_int_equal(v.rank[1].rank, 0);
	assert_int_equal(lines_make(&v, &alike, &l), 0);
	assert_int_equal(l.n, 1);
	cell_is(&l, 0, FIGURE_RANK, "b.1:0,a:0-1");
	lines_clear(&l);
	step_view_clear(&v);
}

/* A task of its own for each rank: a launcher for each, and one node. */
static void launchers_of_a_node(void **state)
{
	struct step_view v = {0};

	(void)state;
	add(&v, "n", "node\t0\t0\t1\nrank\t1\t11\t1\t0\t0\t-1\n");
	one_look(&v, "n", "node\t0\t0\t1\nrank\t0\t10\t1\t0\t0\t-1\n");
	assert_int_equal(v.n, 1);
	assert_int_equal(v.node[0].nranks, 2);
	assert_int_equal(v.rank[1].node, 0);
	step_view_clear(&v);
}

/* A role of one world has no number; states in the order in which they come. */
static void worlds_of_roles(void **state)
{
	struct step_view v = {0};
	cleanup_free char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	one_look(&v, "n",
		 "step\t1\t1\t0\nnode\t0\t0\t1\nrank\t0\t10\t1\t0\t0\t-1\n"
		 "role\ttrainer\t0\twaiting\thttp://a:1\n"
		 "role\trollout\t0\tready\thttp://b:2\n"
		 "role\trollout\t1\tstarting\thttp://c:3\n"
		 "role\trollout\t2\tready\thttp://d:4\n");
	view_head(f, &v, "7.0");
	fclose(f);
	assert_string_equal(text, "step 7.0: 1 rank on 1 node\n1 running\n"
				  "roles: trainer waiting; "
				  "rollout 2 ready, 1 starting\n");
	assert_string_equal(v.role[3].url, "http://d:4");
	assert_int_equal(v.role[3].world, 2);
	step_view_clear(&v);
}

#define USE(RANK, PID, AT, CPU, WRITTEN)                                       \
	"rank\t" RANK "\t" PID "\t5000\t0\t0\t-1\n"                            \
	"use\t" RANK "\t" PID "\t" AT "\tR\t2\t" CPU "\t1024\t" WRITTEN "\n"

static void two_looks(void **state)
{
	struct step_view a = {0}, b = {0}, c = {0};

	(void)state;
	one_look(&a, "n",
		 USE("0", "10", "1000", "500", "9")
			 USE("1", "11", "1000", "500", "9"));
	assert_true(isnan(a.rank[0].value[FIGURE_CPU]));
	assert_true(a.rank[0].value[FIGURE_CPU_MEAN] == 10);
	add(&b, "n",
	    USE("0", "10", "3000", "2000", "20")
		    USE("1", "99", "3000", "9000", "20"));
	step_view_finish(&b, &a);
	assert_true(b.rank[0].value[FIGURE_CPU] == 75);
	assert_true(b.rank[0].value[FIGURE_QUIET] == 0);
	assert_true(b.rank[0].quiet_by_io);
	/* Another process */
	assert_true(isnan(b.rank[1].value[FIGURE_CPU]));
	assert_true(isnan(b.rank[1].value[FIGURE_QUIET]));
	add(&c, "n", USE("0", "10", "7000", "2000", "20"));
	step_view_finish(&c, &b);
	assert_true(c.rank[0].value[FIGURE_CPU] == 0);
	assert_true(c.rank[0].value[FIGURE_QUIET] == 4);
	step_view_clear(&a);
	step_view_clear(&b);
	step_view_clear(&c);
}

#define RATE(RANK, RATE, BUSY)                                                 \
	"rank\t" RANK "\t1" RANK "\t5000\t0\t0\t-1\n"                          \
	"progress\t" RANK "\t\t\t\t" RATE "\t\t1\t" BUSY "\tlr=0.1\n"

static void slow_ones(void **state)
{
	struct step_view v = {0}, two = {0}, same = {0};

	(void)state;
	one_look(&v, "n",
		 RATE("0", "4", "") RATE("1", "2", "") RATE("2", "4", ""));
	assert_true(v.rank[1].value[FIGURE_SLOWER] == 2);
	assert_int_equal(v.node[0].slowest, 1);
	step_view_clear(&v);
	one_look(&two, "n", RATE("0", "4", "") RATE("1", "2", ""));
	assert_true(isnan(two.rank[1].value[FIGURE_SLOWER]));
	assert_int_equal(two.node[0].slowest, NO_RANK);
	step_view_clear(&two);
	/* Who waits least is slow */
	one_look(&same, "n",
		 RATE("0", "4", "30") RATE("1", "4", "90")
			 RATE("2", "4", "30"));
	assert_true(fabs(same.rank[1].value[FIGURE_SLOWER] - 2.5) < 1e-9);
	step_view_clear(&same);
}

static void alike(void **state)
{
	const struct lines_options options = {.how = LINES_ALIKE};
	struct step_view v = {0};
	struct lines l;

	(void)state;
	add(&v, "n1",
	    USE("0", "10", "1", "5000", "0") USE("1", "11", "1", "4900", "0"));
	one_look(&v, "n2",
		 USE("2", "12", "1", "0", "0")
			 USE("3", "13", "1", "5000", "0"));
	assert_int_equal(lines_make(&v, &options, &l), 0);
	assert_int_equal(l.n, 2);
	cell_is(&l, 0, FIGURE_RANK, "0-1,3");
	cell_is(&l, 0, FIGURE_NODE, "n[1-2]");
	cell_is(&l, 0, FIGURE_CPU, "98..100");
	cell_is(&l, 0, FIGURE_MEMORY, "1.0M");
	cell_is(&l, 0, FIGURE_PID, "-");
	cell_is(&l, 1, FIGURE_RANK, "2");
	lines_clear(&l);
	step_view_clear(&v);
}

/* What nobody knows is last, in both directions. */
static void order(void **state)
{
	static const struct {
		unsigned figure;
		bool reverse;
		const char *ranks[3];
	} cases[] = {
		{FIGURE_RANK, false, {"0", "1", "2"}},
		{FIGURE_RANK, true, {"2", "1", "0"}},
		{FIGURE_CPU, false, {"2", "0", "1"}},
		{FIGURE_CPU, true, {"0", "2", "1"}},
	};
	struct step_view v = {0};

	(void)state;
	one_look(&v, "n",
		 USE("0", "10", "1", "100",
		     "0") "rank\t1\t11\t1\t0\t0\t-1\n" USE("2", "12", "1",
							   "900", "0"));
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct lines_options options = {
			.figure = cases[i].figure,
			.reverse = cases[i].reverse,
		};
		struct lines l;

		assert_int_equal(lines_make(&v, &options, &l), 0);
		for (unsigned k = 0; k < 3; k++)
			cell_is(&l, k, FIGURE_RANK, cases[i].ranks[k]);
		lines_clear(&l);
	}
	step_view_clear(&v);
}

/* A cell that would be too wide ends with "...". */
static void cut(void **state)
{
	const struct lines_options options = {.how = LINES_NODES};
	struct step_view v = {0};
	struct lines l;

	(void)state;
	for (unsigned i = 0; i < 40; i += 2) {
		char rows[64];

		snprintf(rows, sizeof(rows), "rank\t%u\t7\t1\t0\t0\t-1\n", i);
		add(&v, "a-node-with-a-name-of-more-than-forty-characters",
		    rows);
	}
	one_look(&v, "z", "");
	assert_int_equal(lines_make(&v, &options, &l), 0);
	cell_is(&l, 0, FIGURE_RANK, "0,2,4,6,8,10,12,14,16,18,20,22,24,26,...");
	cell_is(&l, 0, FIGURE_NODE, "a-node-with-a-name-of-more-than-forty...");
	lines_clear(&l);
	step_view_clear(&v);
}

static char *head_of(const struct step_view *v)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	view_head(f, v, "1.0");
	fclose(f);
	return text;
}

/* The arbiter tells of those who are away, and so does the visit. */
static void nodes_without_an_answer(void **state)
{
	struct step_view v = {0};
	char *text, name[16];

	(void)state;
	add(&v, "n1", "step\t4\t4\t0\naway\tn2\n" USE("0", "9", "1", "0", "0"));
	step_view_without(&v, "n2", true);
	step_view_without(&v, "n3", false);
	one_look(&v, "n4", USE("1", "9", "1", "0", "0"));
	text = head_of(&v);
	assert_non_null(strstr(text, "step 1.0: 4 ranks on 4 nodes, not here: "
				     "n2, no answer from n3\n"));
	free(text);
	v.nnodes = 40;
	for (unsigned i = 5; i < 20; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		step_view_without(&v, name, false);
	}
	text = head_of(&v);
	assert_non_null(strstr(text, ", no answer from n[3,5-11] and 8 more, "
				     "21 without an answer\n"));
	free(text);
	step_view_clear(&v);
}

/* Rows of somebody else's making change nothing, and are no reason to fall. */
static void hostile(void **state)
{
	static const char *const rows[] = {
		"use\t7\t1\t1\tR\t1\t1\t1\t1\n",
		"progress\t0\tnan\tinf\t1e999\t-3\tx\t\n",
		"rank\n",
		"\t\t\t\n\n\n",
		"node\t99999999999\t-1\tx\n",
		"use\t0\t10\t\t\033\t\t\t\t\n",
		"rank\t4294967296\t-5\tabc\t\t\t\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct lines_options options = {.how = LINES_RANKS};
		cleanup_table struct text_table table = {0};
		struct step_view v = {0};
		struct err err;
		struct lines l;
		char *text = NULL, all[256];
		size_t size;
		FILE *f = open_memstream(&text, &size);

		snprintf(all, sizeof(all), "%s%s",
			 USE("0", "10", "1", "0", "0"), rows[i]);
		one_look(&v, "n", all);
		lines_make(&v, &options, &l);
		view_table(&l, &table);
		assert_int_equal(text_table_print(f, &table, &err), 0);
		status_prometheus(f, &v, "1.0");
		fclose(f);
		assert_case(rows[i], !strchr(text, '\033'));
		assert_case(rows[i], !strstr(text, "nan"));
		assert_case(rows[i], v.nranks >= 1 && v.nranks <= 2);
		assert_case(rows[i],
			    v.rank[0].value[FIGURE_PID] == 10 ||
				    isnan(v.rank[0].value[FIGURE_PID]));
		free(text);
		lines_clear(&l);
		step_view_clear(&v);
	}
}

static void times(void **state)
{
	static const struct {
		double s;
		const char *text;
	} cases[] = {
		{0.04, "0.0s"},	      {9.94, "9.9s"},	   {9.96, "9s"},
		{59.9, "59s"},	      {60, "1:00"},	   {3599, "59:59"},
		{3600, "1:00:00"},    {86399, "23:59:59"}, {86400, "1d00h"},
		{8640000, "100d00h"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[CELL_SIZE];

		figure_text(UNIT_SECONDS, cases[i].s, text);
		assert_string_equal(text, cases[i].text);
	}
}

static void keys(void **state)
{
	static const struct {
		const char *text;
		int key;
		size_t n;
	} cases[] = {
		{"q", 'q', 1},
		{"\033[A", KEY_UP, 3},
		{"\033OB", KEY_DOWN, 3},
		{"\033[6~q", KEY_PAGE_DOWN, 4},
		{"\033", KEY_NONE, 1},
		{"\033q", KEY_NONE, 1},
		{"\033[1;5Cq", KEY_NONE, 6},
		{"\033[", KEY_NONE, 2},
		{"\303\251", 0303, 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t n;

		assert_int_equal(
			terminal_key(cases[i].text, strlen(cases[i].text), &n),
			cases[i].key);
		assert_int_equal(n, cases[i].n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorted),
		cmocka_unit_test(staging),
		cmocka_unit_test(worlds),
		cmocka_unit_test(launchers_of_a_node),
		cmocka_unit_test(worlds_of_roles),
		cmocka_unit_test(two_looks),
		cmocka_unit_test(slow_ones),
		cmocka_unit_test(alike),
		cmocka_unit_test(order),
		cmocka_unit_test(cut),
		cmocka_unit_test(nodes_without_an_answer),
		cmocka_unit_test(hostile),
		cmocka_unit_test(times),
		cmocka_unit_test(keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
