/* SPDX-License-Identifier: Apache-2.0 */
/* The super pods of a step's nodes. */
#include "core/ascend/inventory_pods.h"

#include "tests/fixtures/unit.h"

/* "0 1 -" for the nodes, or the error. */
static const char *look(const char *text, const char *nodes)
{
	static char line[1024];
	struct inventory_pods pods;
	size_t used = 0;
	struct err err;

	if (inventory_pods_read(text, "F", nodes, &pods, &err) < 0) {
		snprintf(line, sizeof(line), "%s", err.text);
		return line;
	}
	*line = '\0';
	for (unsigned i = 0; i < pods.n; i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used,
					 "%s%s", i ? " " : "",
					 pods.pod[i] ? pods.pod[i] : "-");
	inventory_pods_clear(&pods);
	return line;
}

static const struct {
	const char *text, *nodes, *found;
} cases[] = {
	{"", "n[1-2]", "- -"},
	{"n[1-4] 0-7 address=10.0.[1-4].[1-8]\n", "n[1-2]", "- -"},
	/* one for all, in the order of the step's nodes */
	{"n[1-2] 0-7 pod=p1\nn[3-4] 0-7 pod=p2 chip=910C\n", "n[4,1,3,9]",
	 "p2 p1 p2 -"},
	/* one for each node; one for each device */
	{"n[1-4] 0-15 pod=a,b,a,b\n", "n[1-4]", "a b a b"},
	{"n[1-2] 0-1 pod=p[1-4]\n", "n[1-2]", "p1 p3"},
	/* from several lines, whose devices are others */
	{"n1 0-7 chip=910C\nn1 8-15 pod=7\nn2 8 pod=8\n", "n[1-2]", "7 8"},
	{"n1 0-7 pod=7\nn1 8-15 pod=8\n", "n1", "7"},
	{"n[1-3] 0-7 pod=5\n", "n2", "5"},
	/* wrong */
	{"# one\nn1 0-7 pods=1\n", "n1",
	 "F:2: 'pods=1' isn't one of address= sdid= pod= chip="},
	{"n[1-3] 0-1 pod=a,b\n", "n1",
	 "F:1: pod='a,b' stands for 2 values, but 3 nodes with 2 devices each "
	 "need 6"},
	{"n1 0 pod=a!\n", "n1",
	 "F:1: pod='a!': not a word of letters, digits and - _ ."},
};

static void lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(look(cases[i].text, cases[i].nodes),
				    cases[i].found);
}

/* The cost is that of the text: 20,000 nodes with a line each take no time. */
static void many(void **state)
{
	enum { N = 20000 };
	char *text = malloc(N * 40UL), *at = text;
	struct inventory_pods pods;
	struct err err;

	(void)state;
	assert_non_null(text);
	for (unsigned i = 0; i < N; i++)
		at += sprintf(at, "n%u 0-15 pod=%u\n", i, i / 48);
	assert_int_equal(
		inventory_pods_read(text, "F", "n[0-19999]", &pods, &err), 0);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(atoi(pods.pod[i]), i / 48);
	inventory_pods_clear(&pods);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
