/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a file of roles, and what is refused of them, with its place. */
#include "core/roles/role_file.h"

#include "tests/fixtures/unit.h"

static const char *variable(void *arg, const char *name)
{
	(void)arg;
	if (!strcmp(name, "NODES"))
		return "4";
	if (!strcmp(name, "HOME"))
		return "/home/alice";
	if (!strcmp(name, "DATA"))
		return "/my data";
	return !strcmp(name, "EMPTY") ? "" : NULL;
}

static const struct role_reader reader = {.lookup = variable};

static int parse(const char *text, struct role_file *ret, struct err *err)
{
	return role_file_parse(text, "rl.roles", &reader, ret, err);
}

static void parse_ok(const char *text, struct role_file *ret)
{
	struct err err;

	if (parse(text, ret, &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

/* The example of the pages. */
static const char example[] =
	"# reinforcement learning\n"
	"trainer ddp nodes=4 backend=gloo grace=5 -- t.py $PORT\n"
	"\n"
	"  rollout\tvllm nodes=2 each=2gpu ready=http:/health \\\n"
	"     restart=3 ports=2 -- vllm serve m # the model\r\n"
	"router env with=trainer:0 needs=rollout+trainer ready=tcp "
	"ready-timeout=5m -- r.py\n"
	"judge env nodes=1 procs=2 cpus=8 devices=0 "
	"on-failure=together=rollout restart=1 env=e cwd=$HOME/d "
	"path='a b' ready='line:it is up' -- bash j.sh";

static void trainer(void **state)
{
	struct role_file f;

	(void)state;
	parse_ok(example, &f);
	assert_int_equal(f.n, 4);
	assert_string_equal(f.role[0].name, "trainer");
	assert_string_equal(f.role[0].framework, "ddp");
	assert_string_equal(f.role[0].option, "ddp,backend=gloo,grace=5");
	assert_int_equal(f.role[0].npairs, 2);
	assert_int_equal(f.role[0].pair[1].at.line, 2);
	assert_int_equal(f.role[0].pair[1].at.column, 34);
	assert_int_equal(f.role[0].nodes, 4);
	assert_int_equal(f.role[0].with, ROLE_NONE);
	assert_int_equal(f.role[0].ports, 1);
	assert_int_equal(f.role[0].devices, -1);
	assert_int_equal(f.role[0].ready, READY_STARTED);
	assert_int_equal(f.role[0].failure, FAILURE_END);
	assert_true(f.role[0].done);
	role_file_clear(&f);
}

static void servers(void **state)
{
	struct role_file f;

	(void)state;
	parse_ok(example, &f);
	assert_int_equal(f.n, 4);
	assert_int_equal(f.role[1].at.line, 4);
	assert_int_equal(f.role[1].at.column, 3);
	assert_int_equal(f.role[1].each, EACH_DEVICE);
	assert_int_equal(f.role[1].each_n, 2);
	assert_int_equal(f.role[1].ready, READY_HTTP);
	assert_string_equal(f.role[1].ready_value, "/health");
	assert_int_equal(f.role[1].ready_timeout_s, 600);
	assert_int_equal(f.role[1].failure, FAILURE_RESTART);
	assert_int_equal(f.role[1].restart, 3);
	assert_int_equal(f.role[1].ports, 2);
	assert_int_equal(f.role[1].nwords, 3);
	assert_false(f.role[1].done);
	role_file_clear(&f);
}

static void others(void **state)
{
	struct role_file f;

	(void)state;
	parse_ok(example, &f);
	assert_int_equal(f.n, 4);
	assert_int_equal(f.role[2].with, 0);
	assert_int_equal(f.role[2].with_world, 0);
	assert_int_equal(f.role[2].nneeds, 2);
	assert_int_equal(f.role[2].needs[0], 1);
	assert_int_equal(f.role[2].ready, READY_TCP);
	assert_int_equal(f.role[2].ready_timeout_s, 300);

	assert_int_equal(f.role[3].procs, 2);
	assert_int_equal(f.role[3].cpus, 8);
	assert_int_equal(f.role[3].devices, 0);
	assert_int_equal(f.role[3].failure, FAILURE_TOGETHER);
	assert_int_equal(f.role[3].together, 1);
	assert_string_equal(f.role[3].env_file, "e");
	assert_string_equal(f.role[3].cwd, "/home/alice/d");
	assert_string_equal(f.role[3].path, "a b");
	assert_string_equal(f.role[3].ready_value, "it is up");
	role_file_clear(&f);
}

/* $NAME in a key's value is the submitter's; keys and roles in any case. */
static void words(void **state)
{
	struct role_file f;

	(void)state;
	parse_ok("\xef\xbb\xbf"
		 "A env Nodes=$NODES each=2NODES done=on on-failure=SAVE -- a\n"
		 "b env with=a:1 needs=a done=no ready=FILE:x cwd=$DATA -- "
		 "\"$A_PORT\"",
		 &f);
	assert_int_equal(f.role[0].nodes, 4);
	assert_int_equal(f.role[0].each, EACH_NODE);
	assert_int_equal(f.role[0].failure, FAILURE_SAVE);
	assert_true(f.role[0].done);
	assert_int_equal(f.role[1].with, 0);
	assert_int_equal(f.role[1].with_world, 1);
	assert_int_equal(f.role[1].ready, READY_FILE);
	assert_string_equal(f.role[1].cwd, "/my data");
	assert_false(f.role[1].done);
	role_file_clear(&f);
}

static void ordered(void **state)
{
	unsigned char order[ROLES_MAX];
	struct role_file f;

	(void)state;
	parse_ok("c env nodes=1 needs=b -- x\n"
		 "b env nodes=1 needs=a -- x\n"
		 "a env nodes=1 -- x\n"
		 "d env nodes=1 -- x\n",
		 &f);
	role_order(&f, order);
	assert_memory_equal(order, "\2\1\0\3", 4);
	role_file_clear(&f);
}

#define FINE "a env nodes=1 -- x\n"

/* A text, and where and why it is refused. */
static const char *const faults[][2] = {
	{"", "rl.roles: there is no role in it"},
	{"# nothing\n\n", "rl.roles: there is no role in it"},
	{"a\n", ":1:1: role 'a' has no framework"},
	{"a -- x", ":1:3: role 'a' has no framework"},
	{"a ddp,grace=5 nodes=1 -- x", ":1:3: 'ddp,grace=5' is no framework"},
	{"a env nodes=1", ":1:1: role 'a' has no command"},
	{"a env nodes=1 --", ":1:1: role 'a' has no command"},
	{"a env nodes=1 python3 t.py", ":1:15: 'python3' is no KEY=VALUE"},
	{"a env nodes=1 -- 'x", ":1:18: the ' has no second one"},
	{"a env nodes=1 -- x \"y\n\"", ":1:20: the \" has no second one"},
	{FINE "\n  a env nodes=1 -- x", ":3:3: there is a role 'a' in line 1"},
	{FINE "A env nodes=1 -- x", ":2:1: there is a role 'a' in line 1"},
	{"1a env nodes=1 -- x", ":1:1: '1a' is no name of a role"},
	{"a-b env nodes=1 -- x", ":1:1: 'a-b' is no name of a role"},
	{"\xc3\xa4 env nodes=1 -- x", ":1:1: '\xc3\xa4' is no name"},
	{"master env nodes=1 -- x", ":1:1: a role 'master' would have"},
	{"Node env nodes=1 -- x", "take another name, as my_Node"},
	{"a env -- x", ":1:1: role 'a' has no place"},
	{"a env nodes=0 -- x", ":1:7: nodes takes a number"},
	{"a env nodes=1 nodes=2 -- x", ":1:15: nodes is given twice"},
	{"a env nodes=1 each=gpu -- x", ":1:15: each takes Nnode or Ngpu"},
	{"a env nodes=1 each=2cpu -- x", ":1:15: each takes Nnode or Ngpu"},
	{"a env nodes=1 each=2node -- x", ":1:15: each=2node is more than"},
	{"a env nodes=1 devices=1 each=2gpu -- x",
	 ":1:25: each and devices don't go together"},
	{FINE "b env with=a:0 nodes=1 -- x",
	 ":2:16: nodes and with don't go together"},
	{FINE "b env with=a -- x", ":2:7: with takes ROLE:N"},
	{FINE "b env with=c:0 -- x", ":2:7: with='c': there is no such role"},
	{"a env with=a:0 -- x", ":1:7: with='a': it is the role itself"},
	{FINE "b env with=c:0 -- x\nc env with=a:0 -- x",
	 ":2:7: role 'c' has a with= itself"},
	{"a env nodes=1 procs=2000 -- x", ":1:15: procs takes a number"},
	{"a env nodes=1 ports=17 -- x", ":1:15: ports takes a number"},
	{"a env nodes=1 env= -- x", ":1:15: env takes a file"},
	{FINE "b env nodes=1 needs=a+c -- x",
	 ":2:15: needs='c': there is no such role; there are a b"},
	{FINE "b env nodes=1 needs= -- x", ":2:15: needs='': there is no"},
	{"a env nodes=1 needs=b -- x\nb env nodes=1 needs=a -- x",
	 "none of these could start first: a needs b needs a"},
	{"x env nodes=1 needs=a -- x\na env nodes=1 needs=b -- x\n"
	 "b env nodes=1 needs=c -- x\nc env nodes=1 needs=a -- x",
	 "rl.roles:2:15: none of these could start first: a needs b needs "
	 "c needs a"},
	{"a env nodes=1 ready=http -- x", ":1:15: ready takes tcp, http:/PATH"},
	{"a env nodes=1 ready=http:x -- x", ":1:15: ready takes tcp"},
	{"a env nodes=1 ready=line: -- x", ":1:15: ready takes tcp"},
	{"a env nodes=1 ready-timeout=9 -- x",
	 ":1:15: ready-timeout works only with ready="},
	{"a env nodes=1 ready=tcp ready-timeout=2d -- x",
	 ":1:25: ready-timeout takes a time"},
	{"a env nodes=1 on-failure=retry -- x", ":1:15: on-failure takes end"},
	{"a env nodes=1 on-failure=together=b restart=1 -- x",
	 ":1:15: on-failure='b': there is no such role"},
	{"a env nodes=1 on-failure=restart -- x", ":1:15: how often? Write"},
	{"a env nodes=1 on-failure=end restart=1 -- x",
	 ":1:30: restart has an effect with"},
	{"a env nodes=1 done=maybe -- x", ":1:15: done takes yes or no"},
	{"a env nodes=1 notify=KILL -- x", ":1:15: notify takes USR1, USR2"},
	{"a env nodes=1 done=no -- x", ":1:15: the step would never end"},
	{"a env nodes=$FEW -- x", ":1:13: nothing is known of $FEW"},
	{"a env nodes=1 cwd=$A_PORT -- x", "those of roles are for commands"},
	/* commands */
	{"a env nodes=1 -- x $A_URL",
	 ":1:20: nothing is known of $A_URL; there"},
	{"a env nodes=1 -- x \xc3\xa4 $PORT1",
	 ":1:22: nothing is known of $PORT1"},
	{"a env nodes=1 -- x $(date)", ":1:20: behind $ stands a name"},
	{"a env nodes=1 -- x ${PORT:-1}", ":1:20: behind $ stands a name"},
	{"a env nodes=1 -- x cost$", ":1:24: behind $ stands a name"},
	{"a env nodes=1 -- $EMPTY", ":1:18: the command of role 'a' is empty"},
	{"a env nodes=1 -- x > log", ":1:20: no shell runs the command"},
	{"a env nodes=1 -- x && y", ":1:20: no shell runs the command"},
	{"a env nodes=1 -- x; y", ":1:18: no shell runs the command"},
	{"a env nodes=1 -- A=1 x", ":1:18: the program stands first"},
};

static void refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(faults); i++) {
		struct role_file f;
		struct err err;

		memset(&f, UNTOUCHED, sizeof(f));
		assert_case(faults[i][0], parse(faults[i][0], &f, &err) < 0);
		if (!strstr(err.text, faults[i][1]))
			fail_msg("'%s' isn't in '%s'", faults[i][1], err.text);
		assert_int_equal(((unsigned char *)&f)[0], UNTOUCHED);
	}
}

static void bounds(void **state)
{
	char *large = repeated('#', ROLE_FILE_MAX + 1), many[4096] = "";
	struct role_file f;
	struct err err;

	(void)state;
	assert_int_equal(parse(large, &f, &err), -1);
	assert_non_null(strstr(err.text, "at most 65536 bytes"));
	free(large);
	for (unsigned i = 0; i < ROLES_MAX; i++)
		sprintf(many + strlen(many), "r%u env nodes=1 -- x\n", i);
	parse_ok(many, &f);
	assert_int_equal(f.n, ROLES_MAX);
	role_file_clear(&f);
	strcat(many, "more env nodes=1 -- x\n");
	assert_int_equal(parse(many, &f, &err), -1);
	assert_non_null(strstr(err.text, ":65:1: "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trainer), cmocka_unit_test(servers),
		cmocka_unit_test(others),  cmocka_unit_test(words),
		cmocka_unit_test(ordered), cmocka_unit_test(refused),
		cmocka_unit_test(bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
