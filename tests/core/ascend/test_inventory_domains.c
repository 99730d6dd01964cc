/* SPDX-License-Identifier: Apache-2.0 */
/* The super pods and NVLink domains of a step's nodes. */
#include "core/ascend/inventory.h"

#include "tests/fixtures/unit.h"

/* "0 1 -" for the nodes, or the error. */
static const char *look(enum inventory_domain kind, const char *text,
			const char *nodes)
{
	static char line[1024];
	struct inventory_domains domains;
	size_t used = 0;
	struct err err;

	if (inventory_domains_read(text, "F", nodes, &domains, &err) < 0) {
		snprintf(line, sizeof(line), "%s", err.text);
		return line;
	}
	*line = '\0';
	for (unsigned i = 0; i < domains.n; i++)
		used += (size_t)snprintf(
			line + used, sizeof(line) - used, "%s%s", i ? " " : "",
			domains.name[kind][i] ? domains.name[kind][i] : "-");
	inventory_domains_clear(&domains);
	return line;
}

static const struct {
	const char *text, *nodes, *found;
} pods[] =
	{
		{"", "n[1-2]", "- -"},
		{"n[1-4] 0-7 address=10.0.[1-4].[1-8]\n", "n[1-2]", "- -"},
		/* one for all, in the order of the step's nodes */
		{"n[1-2] 0-7 pod=p1\nn[3-4] 0-7 pod=p2 chip=910C\n",
		 "n[4,1,3,9]", "p2 p1 p2 -"},
		/* one for each node; one for each device */
		{"n[1-4] 0-15 pod=a,b,a,b\n", "n[1-4]", "a b a b"},
		{"n[1-2] 0-1 pod=p[1-4]\n", "n[1-2]", "p1 p3"},
		/* from several lines, whose devices are others */
		{"n1 0-7 chip=910C\nn1 8-15 pod=7\nn2 8 pod=8\n", "n[1-2]",
		 "7 8"},
		{"n1 0-7 pod=7\nn1 8-15 pod=8\n", "n1", "7"},
		{"n[1-3] 0-7 pod=5\n", "n2", "5"},
		/* wrong */
		{"# one\nn1 0-7 pods=1\n", "n1",
		 "F:2: 'pods=1' isn't one of address= sdid= pod= chip="},
		{"n[1-3] 0-1 pod=a,b\n", "n1",
		 "F:1: pod='a,b' stands for 2 values, but 3 nodes with 2 "
		 "devices each "
		 "need 6"},
		{"n1 0 pod=a!\n", "n1",
		 "F:1: pod='a!': not a word of letters, digits and - _ ."},
		/* of GPUs */
		{"n[1-2] gpu nvlink=a\nn2 0-7 pod=7\n", "n[1-2]", "- 7"},
},
  nvlink[] = {
	  {"n[1-4] 0-7 pod=1\n", "n[1-2]", "- -"},
	  {"n[1-18] gpu nvlink=r1\nn[19-36] gpu nvlink=r2\n", "n[37,20,18]",
	   "- r2 r1"},
	  {"n[1-3] gpu nvlink=a,b,a\n", "n[1-3]", "a b a"},
	  {"n1 gpu nvlink=5e1f8a1c-96f1-4c7d-b0c9-9e0f0d7b11aa.32766\n", "n1",
	   "5e1f8a1c-96f1-4c7d-b0c9-9e0f0d7b11aa.32766"},
	  /* the first line that tells it */
	  {"n1 gpu nvlink=a\nn1 gpu nvlink=b\n", "n1", "a"},
	  /* wrong */
	  {"n[1-3] gpu nvlink=a,b\n", "n1",
	   "F:1: nvlink='a,b' stands for 2 values; 3 nodes need one each, or "
	   "one for all"},
	  {"n1 gpu nvlink=a:1\n", "n1",
	   "F:1: nvlink='a:1': not a word of letters, digits and - _ ."},
	  {"n1 gpu nvlink=\n", "n1",
	   "F:1: nvlink='' isn't a list such as 29.17.[1-4].[10-17]"},
	  {"n1 gpu pod=1\n", "n1", "F:1: 'pod=1' isn't nvlink=DOMAIN"},
	  {"n1 0-7 nvlink=a\n", "n1",
	   "F:1: 'nvlink=a' isn't one of address= sdid= pod= chip="},
	  {"n1 gpus nvlink=a\n", "n1",
	   "F:1: 'gpus' isn't a list of devices such as 0-7, ascending and up "
	   "to 64, nor gpu"},
};

static void lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(pods); i++)
		assert_string_equal(
			look(INVENTORY_POD, pods[i].text, pods[i].nodes),
			pods[i].found);
	for (size_t i = 0; i < COUNT(nvlink); i++)
		assert_string_equal(
			look(INVENTORY_NVLINK, nvlink[i].text, nvlink[i].nodes),
			nvlink[i].found);
}

/* The cost is that of the text: 20,000 nodes with a line each take no time. */
static void many(void **state)
{
	enum { N = 20000 };
	char *text = malloc(N * 40UL), *at = text;
	struct inventory_domains domains;
	struct err err;

	(void)state;
	assert_non_null(text);
	for (unsigned i = 0; i < N; i++)
		at += sprintf(at, "n%u 0-15 pod=%u\n", i, i / 48);
	assert_int_equal(
		inventory_domains_read(text, "F", "n[0-19999]", &domains, &err),
		0);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(atoi(domains.name[INVENTORY_POD][i]), i / 48);
	inventory_domains_clear(&domains);
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
