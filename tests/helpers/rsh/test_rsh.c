/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of the stand-in for ssh, as launchers write it, and which
 * node of the step a host is. */
#include "helpers/rsh/rsh.h"

#include "tests/fixtures/unit.h"

#include <unistd.h>

#define WORDS_MAX 24

/* Words apart by '|'. Returns rsh_options_read()'s value. */
static int read_line(const char *line, char *copy, struct rsh_options *o,
		     struct err *err)
{
	static char program[] = "ssh";
	char *argv[WORDS_MAX] = {program}, *save = NULL;
	int argc = 1;

	strcpy(copy, line);
	for (char *w = strtok_r(copy, "|", &save); w;
	     w = strtok_r(NULL, "|", &save))
		argv[argc++] = w;
	optind = 0; /* getopt() begins anew */
	return rsh_options_read(argc, argv, o, err);
}

static void accepted(void **state)
{
	static const struct {
		const char *line, *host, *command;
		bool no_input;
	} cases[] = {
		{"node1|true", "node1", "true", false},
		{"alice@node1|ls|-l|-n", "node1", "ls -l -n", false},
		{"a@b@node1|true", "node1", "true", false},
		/* Open MPI */
		{"-x|node2|   orted -mca ess env", "node2",
		 "   orted -mca ess env", false},
		/* Horovod */
		{"-o|PasswordAuthentication=no|-o|StrictHostKeyChecking=no|-p|"
		 "22|-i|/k|10.0.0.2|bash -c \"true\"",
		 "10.0.0.2", "bash -c \"true\"", false},
		{"-o|PasswordAuthentication=no|node1|-p|22|true", "node1",
		 "true", false},
		/* pdsh */
		{"-2|-a|-x|-lalice|node1|cd /x; true", "node1", "cd /x; true",
		 false},
		/* Hydra */
		{"-x|node1|\"/usr/bin/hydra_pmi_proxy\"|--proxy-id|1", "node1",
		 "\"/usr/bin/hydra_pmi_proxy\" --proxy-id 1", false},
		{"-n|-T|-q|-t|-t|node1|true", "node1", "true", true},
		{"node1|-n|true", "node1", "true", true},
		{"-oA=b|-p22|-i/k|-luser|node1|true", "node1", "true", false},
		{"-xnT|node1|true", "node1", "true", true},
		{"-l|-x|node1|true", "node1", "true", false},
		{"-F|/dev/null|-c|aes|node1|echo|a  b", "node1", "echo a  b",
		 false},
		{"--|node1|true", "node1", "true", false},
		{"fe80::1|true", "fe80::1", "true", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rsh_options o;
		char copy[512];
		struct err err = {""};

		if (read_line(cases[i].line, copy, &o, &err) < 0)
			fail_msg("%s: %s", cases[i].line, err.text);
		assert_string_equal(o.host, cases[i].host);
		assert_string_equal(o.command, cases[i].command);
		assert_int_equal(o.no_input, cases[i].no_input);
		free(o.command);
	}
}

static void refused(void **state)
{
	static const struct {
		const char *line, *why;
	} cases[] = {
		{"", "no host"},
		{"-x", "no host"},
		{"-p", "unknown option -p"},
		{"node1", "no command for node1"},
		{"alice@node1|-t", "no command for node1"},
		{"-Z|node1|true", "unknown option -Z"},
		{"-L|1:a:2|node1|true",
		 "option -L: this stand-in for ssh only"},
		{"-N|node1", "option -N"},
		{"-W|a:1|node1", "option -W"},
		{"-V", "option -V"},
		{"node1|-R|1:a:2|true", "option -R"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rsh_options o, before;
		char copy[512];
		struct err err = {""};

		memset(&o, UNTOUCHED, sizeof(o));
		memcpy(&before, &o, sizeof(o));
		assert_case(cases[i].line,
			    read_line(cases[i].line, copy, &o, &err) < 0);
		assert_memory_equal(&o, &before, sizeof(o));
		if (!strstr(err.text, cases[i].why))
			fail_msg("%s: %s", cases[i].line, err.text);
	}
}

static void hosts(void **state)
{
	static const char *const cases[][2] = {
		{"n2", "n2"},	     {"10.0.0.1", "n1"},  {"fe80::3", "n3"},
		{"localhost", "n3"}, {"127.0.0.1", "n3"}, {"::1", "n3"},
		{"n4", NULL},	     {"10.0.0.9", NULL},  {"", NULL},
	};

	(void)state;
	setenv("SLURM_JOB_NODELIST", "n[1-4]", 1);
	setenv("SLURM_STEP_NODELIST", "n3", 1); /* of the inner step */
	setenv("DIST_TRAIN_HOSTS", "n[1-3]", 1);
	setenv("DIST_TRAIN_HOST_ADDRS", "10.0.0.1,10.0.0.2,fe80::3", 1);
	setenv("SLURMD_NODENAME", "n3", 1);
	for (size_t i = 0; i < COUNT(cases); i++) {
		char node[HOSTLIST_NAME_MAX] = "";
		struct err err = {""};
		int rc = rsh_host_find(cases[i][0], node, &err);

		assert_case(cases[i][0], (rc == 0) == !!cases[i][1]);
		if (rc == 0)
			assert_string_equal(node, cases[i][1]);
		else
			assert_non_null(strstr(err.text, "(n[1-3])"));
	}
}

static void own_address(void **state)
{
	struct err err = {""};
	char ip[64];

	(void)state;
	assert_int_equal(rsh_host_own(ip, sizeof(ip), &err), 0);
	assert_string_equal(ip, "fe80::3");
	unsetenv("SLURMD_NODENAME");
	assert_int_equal(rsh_host_own(ip, sizeof(ip), &err), -1);
	assert_non_null(strstr(err.text, "SLURMD_NODENAME isn't set"));
}

static void outside(void **state)
{
	char node[HOSTLIST_NAME_MAX];
	struct err err = {""};

	(void)state;
	unsetenv("SLURM_JOB_NODELIST");
	unsetenv("SLURM_STEP_NODELIST");
	unsetenv("DIST_TRAIN_HOSTS");
	assert_int_equal(rsh_host_find("n1", node, &err), -1);
	assert_non_null(strstr(err.text, "inside a Slurm step only"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepted), cmocka_unit_test(refused),
		cmocka_unit_test(hosts),    cmocka_unit_test(own_address),
		cmocka_unit_test(outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
