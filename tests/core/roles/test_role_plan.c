/* SPDX-License-Identifier: Apache-2.0 */
/* Which worlds there are, on which nodes, with which devices and processes. */
#include "core/roles/role_plan.h"

#include "tests/fixtures/unit.h"

static const char *variable(void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return NULL;
}

/* "NAME node+nodes devices procs; ..." of the plan, devices as "first+n". */
static const struct role_reader reader = {.lookup = variable};

static void describe(const struct role_plan *p, char *buf, size_t size)
{
	char name[ROLE_WORLD_NAME_SIZE];
	size_t used = 0;

	*buf = '\0';
	for (unsigned i = 0; i < p->n; i++) {
		const struct role_world *w = &p->world[i];

		used += (size_t)snprintf(
			buf + used, size - used, "%s%s %u+%u %u+%u %u",
			i ? "; " : "", role_world_name(p, w, name), w->node,
			w->nnodes, w->device, role_world_devices(p, w, 0),
			role_world_procs(p, w, 0));
	}
}

struct placed {
	const char *text;
	unsigned nnodes, devices[8];
	const char *expected; /* or a part of the error */
};

static const struct placed cases[] = {
	{"t env nodes=4 -- x\nr env nodes=2 each=2gpu -- x\n"
	 "g env with=t:0 -- x\nj env nodes=1 procs=2 -- x",
	 8,
	 {4, 4, 4, 4, 4, 4, 4, 4},
	 "t 0+4 0+4 1; r.0 4+1 0+2 1; r.1 4+1 2+2 1; r.2 5+1 0+2 1; "
	 "r.3 5+1 2+2 1; g 0+1 4+0 1; j 6+1 0+4 2"},
	{"t env nodes=4 each=2node -- x",
	 4,
	 {0},
	 "t.0 0+2 0+0 1; t.1 2+2 0+0 1"},
	{"t env nodes=3 each=2node -- x", 4, {1}, "t 0+2 0+1 1"},
	/* nodes that differ, and what is left */
	{"r env nodes=3 each=3gpu -- x\ns env with=r:1 devices=2 -- x",
	 3,
	 {4, 2, 8},
	 "r.0 0+1 0+3 1; r.1 2+1 0+3 1; r.2 2+1 3+3 1; s 2+1 6+2 1"},
	/* each takes what those before it have left */
	{"t env nodes=1 devices=5 -- x\na env with=t:0 devices=2 -- x\n"
	 "b env with=a:0 devices=1 -- x",
	 1,
	 {8},
	 "t 0+1 0+5 1; a 0+1 5+2 1; b 0+1 7+1 1"},
	/* above the line that it stands beside */
	{"a env with=t:0 -- x\nt env nodes=1 -- x",
	 1,
	 {2},
	 "a 0+1 2+0 1; t 0+1 0+2 1"},

	{"a env nodes=2 -- x\nb env nodes=2 -- x",
	 3,
	 {0},
	 "F:2:7: up to role 'b' the roles have 4 nodes, and the step 3"},
	{"a env nodes=2 each=4gpu -- x",
	 2,
	 {2, 3},
	 "F:1:15: each=4gpu has no room on the role's 2 nodes"},
	{"a env nodes=2 devices=2 -- x",
	 2,
	 {2, 1},
	 "F:1:15: devices=2, but node 1 of the step has 1"},
	{"a env nodes=1 -- x\nb env with=a:1 -- x",
	 1,
	 {0},
	 "F:2:7: with=a:1: that role has 1 world"},
	{"a env nodes=1 -- x\nb env with=a:0 devices=1 -- x",
	 1,
	 {4},
	 "F:2:16: devices=1, but only 0 of the 4 devices of node 0"},
};

static int place(const struct placed *c, struct role_file *f,
		 struct role_plan *p, struct err *err)
{
	if (role_file_parse(c->text, "F", &reader, f, err) < 0)
		fail_msg("%s: %s", c->text, err->text);
	return role_plan_make(f, c->nnodes, c->devices, p, err);
}

static void placed(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct role_plan p = {0};
		struct role_file f;
		char found[1024];
		struct err err;

		if (place(&cases[i], &f, &p, &err) == 0)
			describe(&p, found, sizeof(found));
		else
			strcpy(found, err.text);
		if (!strstr(found, cases[i].expected))
			fail_msg("%s: '%s' isn't in '%s'", cases[i].text,
				 cases[i].expected, found);
		role_plan_clear(&p);
		role_file_clear(&f);
	}
}

/* A process for each device where the framework trains. */
static void processes(void **state)
{
	static const struct placed c = {"a env nodes=2 -- x", 2, {4, 0}, NULL};
	struct role_file f;
	struct role_plan p;
	struct err err;

	(void)state;
	assert_int_equal(place(&c, &f, &p, &err), 0);
	assert_int_equal(role_world_procs(&p, p.world, 0), 1);
	f.role[0].per_device = true;
	assert_int_equal(role_world_procs(&p, p.world, 0), 4);
	assert_int_equal(role_world_procs(&p, p.world, 1), 1);
	f.role[0].procs = 2;
	assert_int_equal(role_world_procs(&p, p.world, 0), 2);
	assert_int_equal(role_world_procs(&p, p.world, 1), 2);
	role_plan_clear(&p);
	role_file_clear(&f);
}

static void found(void **state)
{
	static const struct placed c = {
		"a env nodes=1 -- x\nb env nodes=2 each=1node -- x",
		3,
		{0},
		NULL};
	struct role_file f;
	struct role_plan p;
	unsigned first = 9;
	struct err err;

	(void)state;
	assert_int_equal(place(&c, &f, &p, &err), 0);
	assert_int_equal(role_worlds_find(&p, "B", &first, &err), 2);
	assert_int_equal(first, 1);
	assert_int_equal(role_worlds_find(&p, "b:1", &first, &err), 1);
	assert_int_equal(first, 2);
	assert_int_equal(role_worlds_find(&p, "b:2", &first, &err), 0);
	assert_string_equal(err.text, "'b:2': role 'b' has worlds 0 to 1");
	assert_int_equal(role_worlds_find(&p, "c", &first, &err), 0);
	assert_string_equal(err.text, "there is no role 'c'; there are a b");
	role_plan_clear(&p);
	role_file_clear(&f);
}

static void too_many(void **state)
{
	static const struct placed c = {
		"a env nodes=2 each=1gpu -- x", 2, {4000, 97}, NULL};
	struct role_file f;
	struct role_plan p;
	struct err err;

	(void)state;
	assert_int_equal(place(&c, &f, &p, &err), -1);
	assert_non_null(strstr(err.text, "F:1:1: with role 'a' there would be "
					 "4097 worlds; a step has 4096"));
	role_file_clear(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(placed),
		cmocka_unit_test(processes),
		cmocka_unit_test(found),
		cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
