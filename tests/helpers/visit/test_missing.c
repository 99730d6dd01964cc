/* SPDX-License-Identifier: Apache-2.0 */
/* Who hasn't answered a visit, and what the user is told of it. */
#include "helpers/visit/visitor.h"

#include "tests/fixtures/unit.h"

static struct found_node node[FOUND_NODES_MAX];
static struct found_step step = {.node = node};
static char lines[4096], without[4096];
static struct visit_missing missing;
static struct visit visit;

static void on_line(void *arg, const char *line)
{
	(void)arg;
	strcat(strcat(lines, line), "\n");
}

static void on_without(void *arg, const char *name, bool away)
{
	(void)arg;
	strcat(strcat(without, away ? " -" : " "), name);
}

/* A step on node1 to nodeN. */
static void begin(unsigned n)
{
	step.nnodes = n;
	step.nfound = n < FOUND_NODES_MAX ? n : FOUND_NODES_MAX;
	for (unsigned i = 0; i < step.nfound; i++)
		snprintf(node[i].name, sizeof(node[i].name), "node%u", i + 1);
	visit = (struct visit){
		.step = &step,
		.missing = on_line,
		.without = on_without,
	};
	*lines = *without = '\0';
	assert_int_equal(visit_missing_open(&missing, &visit), 0);
}

static void answers(unsigned from, unsigned to)
{
	char name[16];

	for (unsigned i = from; i <= to; i++) {
		snprintf(name, sizeof(name), "node%u", i);
		visit_missing_answer(&missing, name, "rank\t0\n");
	}
}

static void silent(unsigned from, unsigned to)
{
	char name[16];

	for (unsigned i = from; i <= to; i++) {
		snprintf(name, sizeof(name), "node%u", i);
		visit_missing_silent(&missing, name);
	}
}

static void says(const char *text, const char *nodes)
{
	visit_missing_say(&missing);
	assert_string_equal(lines, text);
	assert_string_equal(without, nodes);
	visit_missing_close(&missing);
}

static void all_answer(void **state)
{
	(void)state;
	begin(3);
	answers(1, 3);
	says("", "");
}

/* Each node once, however many launchers it has. */
static void some_are_silent(void **state)
{
	(void)state;
	begin(4);
	answers(1, 2);
	silent(4, 4);
	silent(3, 4);
	says("node4, node3 don't answer in time\n", " node4 node3");
	begin(2);
	answers(1, 1);
	silent(2, 2);
	says("node2 doesn't answer in time\n", " node2");
}

static void some_are_away(void **state)
{
	(void)state;
	begin(4);
	answers(1, 2);
	silent(3, 3);
	missing.nabsent = 1;
	says("node3 doesn't answer in time\n"
	     "1 of the step's launchers aren't there (node4): lost, or not "
	     "begun yet\n",
	     " node3 -node4");
}

static void of_many_eight_are_named(void **state)
{
	(void)state;
	begin(21);
	answers(1, 1);
	missing.nabsent = 20;
	visit_missing_say(&missing);
	assert_string_equal(lines,
			    "20 of the step's launchers aren't there (node2, "
			    "node3, node4, node5, node6, node7, node8, node9 "
			    "and 12 more): lost, or not begun yet\n");
	assert_non_null(strstr(without, "-node21"));
	visit_missing_close(&missing);
	/* Names of the first ones alone are known */
	begin(300);
	answers(1, 254);
	missing.nabsent = 46;
	says("46 of the step's launchers aren't there (node255, node256 and "
	     "44 more): lost, or not begun yet\n",
	     " -node255 -node256");
}

/* One of a node's launchers is missing, or nodes have other names than Slurm
 * gives them: nobody is named who shouldn't be. */
static void nobody_is_named(void **state)
{
	(void)state;
	begin(2);
	answers(1, 2);
	missing.nabsent = 1;
	says("1 of the step's launchers aren't there: lost, or not begun yet\n",
	     "");
	begin(3);
	visit_missing_answer(&missing, "node1.cluster", "");
	visit_missing_answer(&missing, "node2.cluster", "");
	missing.nabsent = 1;
	says("1 of the step's launchers aren't there: lost, or not begun yet\n",
	     "");
}

static void asked_again(void **state)
{
	(void)state;
	begin(2);
	visit_missing_answer(&missing, "node1", "busy\n");
	silent(2, 2);
	visit_missing_reset(&missing);
	answers(2, 2);
	visit_missing_answer(&missing, "node1", "unknown\n");
	says("1 of the step's launchers don't know the question: they are of "
	     "an older release\n",
	     "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_answer),
		cmocka_unit_test(some_are_silent),
		cmocka_unit_test(some_are_away),
		cmocka_unit_test(of_many_eight_are_named),
		cmocka_unit_test(nobody_is_named),
		cmocka_unit_test(asked_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
