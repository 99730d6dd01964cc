/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/device.h"

#include "tests/fixtures/unit.h"

static void detail(void **state)
{
	static const struct {
		const char *detail, *name, *ids;
	} cases[] = {
		{"", "gpu", ""},
		{"gpu:2(IDX:0,3)", "gpu", "0,3"},
		{"gpu:a100:2(IDX:0,3),npu:8(IDX:0-7)", "gpu", "0,3"},
		{"gpu:a100:2(IDX:0,3),npu:8(IDX:0-7)", "npu",
		 "0,1,2,3,4,5,6,7"},
		{"gpu:a100:1(IDX:0),gpu:v100:1(IDX:5)", "gpu", "0,5"},
		{"gpu(IDX:1)", "gpu", "1"},
		{"gpu:0(IDX:N/A)", "gpu", ""},
		{"gpu:2", "gpu", ""},
		{"gpux:2(IDX:0-1)", "gpu", ""},
		{"shard:12(4/4,0/4,8/8)", "shard", "0,2"},
		{"gpu:1(IDX:0),mps:a:50(0/100,50/100)", "mps", "1"},
		{"shard:1(1/4", "shard", ""},
		{"shard:1(1/4,x)", "shard", "0"},
		{"shard:1(1)", "shard", ""},
		{"npu:2(IDX:0-1)", "gpu", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct idlist list;
		char ids[64];

		assert_case(cases[i].detail,
			    gres_detail(cases[i].detail, cases[i].name,
					&list) == 0);
		assert_int_equal(idlist_format(&list, ids, sizeof(ids)), 0);
		assert_string_equal(ids, cases[i].ids);
	}
}

static void bad_detail(void **state)
{
	static const char *const cases[] = {
		"gpu:2(IDX:)",
		"gpu:2(IDX:0",
		"gpu:2(IDX:0-)",
		"gpu:2(IDX:a)",
		"gpu(IDX:0,,1)",
		"gpu(IDX:0-200)",
		"gpu(IDX:0-99),gpu(IDX:100-199)",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct idlist list, before;

		memset(&list, UNTOUCHED, sizeof(list));
		before = list;
		assert_case(cases[i],
			    gres_detail(cases[i], "gpu", &list) == -1);
		assert_memory_equal(&list, &before, sizeof(list));
	}
}

static void asked(void **state)
{
	static const struct {
		const char *request;
		bool named;
		unsigned long n;
	} cases[] = {
		{"gres:gpu:a100:2,gres:npu:4", true, 2},
		{"gres/gpu:2", true, 2},
		{"gres/gpu=3", true, 3},
		{"gpu", true, 1},
		{"gpu:4", true, 4},
		{"gres:gpu:a:1,gres:gpu:b:2", true, 3},
		{"gres:gpu", true, 1},
		{"gpu:0", true, 0},
		{"gres/gpu:2,gres/gpu:2", true, 2},
		{"gpu:a:1,gpu:2,gpu:a:1", true, 3},
		{"gpu:2,gpu:21", true, 23},
		{"gres:gpux:2", false, 77},
		{"gres:npu:4", false, 77},
		{"", false, 77},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		unsigned long n = 77;

		assert_case(cases[i].request,
			    gres_asked(cases[i].request, "gpu", &n) ==
				    cases[i].named);
		assert_case(cases[i].request, n == cases[i].n);
	}
}

static void of_node(void **state)
{
	static const struct {
		const char *text, *node, *ids; /* NULL: refused */
	} cases[] = {
		{"node[1-2]:0-3;node3:0,5", "node2", "0,1,2,3"},
		{"node[1-2]:0-3;node3:0,5", "node3", "0,5"},
		{"node[1-2]:0-3", "node4", ""},
		{"node[1-2]:0-3;node3", "node3", NULL},
		{"node3:x", "node3", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct idlist list;
		char ids[64] = "";
		struct err err;
		int rc =
			gres_of_node(cases[i].text, cases[i].node, &list, &err);

		assert_case(cases[i].node, rc == (cases[i].ids ? 0 : -1));
		if (rc < 0)
			continue;
		idlist_format(&list, ids, sizeof(ids));
		assert_string_equal(ids, cases[i].ids);
	}
}

/* gres_of_nodes() tells the same of each. */
static void of_nodes(void **state)
{
	static const char text[] = "n[1-2,5]:0-3;n3:0,5;n[3,9-9000]:7;x:1";
	struct hostindex nodes;
	struct idlist *all, one;
	struct err err;

	(void)state;
	assert_int_equal(hostindex_make("n[0-10],y,n3", &nodes, &err), 0);
	all = calloc(nodes.n, sizeof(*all));
	assert_int_equal(gres_of_nodes(text, &nodes, all, &err), 0);
	for (unsigned i = 0; i < nodes.n - 1; i++) {
		assert_int_equal(gres_of_node(text, nodes.name[i], &one, &err),
				 0);
		assert_case(nodes.name[i],
			    one.n == all[i].n &&
				    !memcmp(one.id, all[i].id,
					    one.n * sizeof(*one.id)));
	}
	assert_int_equal(gres_of_nodes("n1", &nodes, all, &err), -1);
	assert_int_equal(gres_of_nodes("n1:x", &nodes, all, &err), -1);
	assert_int_equal(gres_of_nodes("n[:1", &nodes, all, &err), -1);
	free(all);
	hostindex_clear(&nodes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(detail),   cmocka_unit_test(bad_detail),
		cmocka_unit_test(asked),    cmocka_unit_test(of_node),
		cmocka_unit_test(of_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
