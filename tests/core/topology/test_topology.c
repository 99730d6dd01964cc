/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's texts about switches and blocks. */
#include "core/topology/topology.h"

#include "tests/fixtures/unit.h"

/* A node's path as its names: "spine/s1"; "-" is a level without. */
static const char *path_of(const struct topology *t, unsigned node)
{
	static char text[400];
	size_t used = 0;

	*text = '\0';
	for (unsigned i = 0; i < t->depth; i++) {
		unsigned unit = t->path[node * t->depth + i];

		used += (size_t)snprintf(
			text + used, sizeof(text) - used, "%s%s", i ? "/" : "",
			unit == TOPOLOGY_NONE ? "-" : topology_name(t, unit));
	}
	return text;
}

static void assert_paths(const char *text, const char *nodes,
			 const char *const path[], unsigned n)
{
	struct topology t = {0};
	struct err err = {""};

	assert_case(text, topology_read(text, nodes, &t, &err) == 0);
	assert_int_equal(t.nnodes, n);
	for (unsigned i = 0; i < n; i++)
		assert_string_equal(path_of(&t, i), path[i]);
	topology_clear(&t);
}

/* scontrol's text has all nodes below a switch, topology.conf only its own. */
static void tree(void **state)
{
	static const char scontrol[] =
		"SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-2]\n"
		"SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n[3-4]\n"
		"SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-4] "
		"Switches=s[1-2]\n";
	static const char conf[] =
		"# a comment with SwitchName=x Nodes=n1\n"
		"switchname=s1 nodes=n[1-2] # SwitchName=x\n"
		"  SwitchName=s2 \\\n Nodes=n[3-4] LinkSpeed=9\r\n"
		"SwitchName=top Switches=s[1-2]\n";
	static const char *const path[] = {"top/s2", "top/s1", "top/s1"};

	(void)state;
	assert_paths(scontrol, "n4,n[1-2]", path, 3);
	assert_paths(conf, "n4,n[1-2]", path, 3);
}

static void tree_uneven(void **state)
{
	static const char text[] = "SwitchName=a Nodes=n1\n"
				   "SwitchName=b Nodes=n2\n"
				   "SwitchName=mid Switches=b\n"
				   "SwitchName=top Switches=a,mid\n"
				   "SwitchName=alone Nodes=n3\n";
	static const char *const path[] = {"top/top/a", "top/mid/b",
					   "alone/alone/alone", "-/-/-"};

	(void)state;
	assert_paths(text, "n[1-4]", path, 4);
}

/* As Slurm 26.05 prints them. */
static void rings(void **state)
{
	static const char ring[] = "RingName=r1 Nodes=n1,n3,n2 RingSize=3\n"
				   "RingName=r2 Nodes=n[4-5] RingSize=2\n";
	static const char torus[] =
		"TorusName=t1 Dims=2x2x1 Nodes=n[1-4]\n"
		"  TorusName=t1 PlacementDims=2x1x1(2) Anchors=4\n"
		"TorusName=t2 Dims=1x1x1 Nodes=n5\n";
	static const char *const of_rings[] = {"r1", "r1", "r2", "-"};
	static const char *const of_toruses[] = {"t1", "t1", "t1", "t2"};

	(void)state;
	assert_paths(ring, "n[2-4,9]", of_rings, 4);
	assert_paths(torus, "n[2-5]", of_toruses, 4);
}

static void blocks(void **state)
{
	static const char text[] =
		"BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2\n"
		"BlockName=b2 BlockIndex=1 Nodes=n[3-4] BlockSize=2\n"
		"BlockName=b3 BlockIndex=2 Nodes=n[5-6] BlockSize=2\n"
		"AggregatedBlock=b[1-2] BlockIndex=3 Nodes=n[1-4] "
		"BlockSize=4\n"
		"SwitchName=b1 Nodes=n[1-3]\n";
	static const char *const path[] = {"b[1-2]/b1/b1", "b[1-2]/b2/b1",
					   "b[1-2]/b2/-", "b3/b3/-", "-/-/-"};
	struct topology t;
	struct err err;

	(void)state;
	assert_paths(text, "n[1,3-5,7]", path, 5);
	assert_int_equal(topology_read(text, "n[1-4,7]", &t, &err), 0);
	assert_string_equal(topology_name(&t, topology_block(&t, 1)), "b1");
	assert_int_not_equal(topology_block(&t, 1), topology_switch(&t, 1));
	assert_int_equal(topology_block(&t, 4), TOPOLOGY_NONE);
	assert_string_equal(topology_name(&t, TOPOLOGY_NONE), "?");
	assert_true(topology_is_known(&t));
	topology_clear(&t);
}

static void nothing_known(void **state)
{
	static const char *const text[] = {
		"",
		"\n\n",
		"No topology information available\n",
		"SwitchName=s1 Nodes=other[1-4]\n",
		"BlockSizes=2,4\n",
		"Name=SwitchName Nodes=n1\n"};

	(void)state;
	for (size_t i = 0; i < COUNT(text); i++) {
		struct topology t;
		struct err err;

		assert_case(text[i],
			    topology_read(text[i], "n[1-2]", &t, &err) == 0);
		assert_case(text[i], !topology_is_known(&t));
		assert_int_equal(topology_block(&t, 1), TOPOLOGY_NONE);
		assert_int_equal(topology_switch(&t, 1), TOPOLOGY_NONE);
		topology_clear(&t);
	}
}

static void refused(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{"SwitchName=a Nodes=n[1-", "'n[1-' of 'a' isn't a list"},
		{"BlockName=b Nodes=n[", "of 'b' isn't"},
		{"SwitchName=a Switches=s[2-1]", "of 'a' isn't"},
		{"SwitchName=a Switches=b\nSwitchName=b Switches=a",
		 "below itself"},
		{"SwitchName=a Switches=a", "below itself"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct topology t = {.nnodes = UNTOUCHED};
		struct err err = {""};

		assert_case(bad[i].text,
			    topology_read(bad[i].text, "n1", &t, &err) < 0);
		assert_case(err.text, strstr(err.text, bad[i].why));
		assert_int_equal(t.nnodes, UNTOUCHED);
	}
}

static void too_deep(void **state)
{
	char text[4000] = "SwitchName=s0 Nodes=n1\n";
	struct topology t;
	struct err err;

	(void)state;
	for (unsigned i = 1; i < TOPOLOGY_LEVELS_MAX + 1; i++) {
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used,
			 "SwitchName=s%u Switches=s%u\n", i, i - 1);
		if (i == TOPOLOGY_LEVELS_MAX)
			break;
		assert_int_equal(topology_read(text, "n1", &t, &err), 0);
		assert_int_equal(t.depth, i + 1);
		topology_clear(&t);
	}
	assert_int_equal(topology_read(text, "n1", &t, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tree),		 cmocka_unit_test(tree_uneven),
		cmocka_unit_test(rings),	 cmocka_unit_test(blocks),
		cmocka_unit_test(nothing_known), cmocka_unit_test(refused),
		cmocka_unit_test(too_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
