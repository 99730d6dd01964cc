/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/step_find.h"

#include "tests/fixtures/tree.h"

static struct tree tree;

static int read_it(struct site_ports *ret)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/plugstack.conf", tree.root);
	return site_ports_read(path, ret);
}

static void are(unsigned min, unsigned max, const char *option)
{
	struct site_ports ports;

	assert_int_equal(read_it(&ports), 0);
	assert_int_equal(ports.min, min);
	assert_int_equal(ports.max, max);
	assert_string_equal(ports.option, option);
}

static void lines(void **state)
{
	struct site_ports ports;

	(void)state;
	tree_open(&tree);
	assert_int_equal(read_it(&ports), -1);
	assert_int_equal(ports.min, 0);
	tree_file(&tree, "optional /usr/lib/slurm/other.so ports=1-2\n",
		  "/plugstack.conf");
	assert_int_equal(read_it(&ports), -1);
	tree_file(&tree,
		  "# optional dist_train.so ports=30000-30999\n"
		  "optional\t/x/dist_train.so\n",
		  "/plugstack.conf");
	are(20000, 28999, "dist-train");
	tree_file(&tree,
		  "required dist_train.so grace=5 ports=30000-30999 option=go "
		  "# ports=40000-40999\n",
		  "/plugstack.conf");
	are(30000, 30999, "go");
	/* A release that doesn't know an argument reads those before it */
	tree_file(&tree, "required dist_train.so ports=30000-30999 new=1\n",
		  "/plugstack.conf");
	are(30000, 30999, "dist-train");
	tree_close(&tree);
}

static void includes(void **state)
{
	struct site_ports ports;
	char text[PATH_MAX];

	(void)state;
	tree_open(&tree);
	snprintf(text, sizeof(text), "include %s/none\ninclude %s/d/*.conf\n",
		 tree.root, tree.root);
	tree_file(&tree, text, "/plugstack.conf");
	tree_file(&tree, "optional a.so\n", "/d/a.conf");
	tree_file(&tree, "optional dist_train.so ports=30000-30999\n",
		  "/d/b.conf");
	are(30000, 30999, "dist-train");
	assert_int_equal(read_it(&ports), 0);
	assert_non_null(strstr(ports.file, "/d/b.conf"));
	/* One that includes itself */
	snprintf(text, sizeof(text), "include %s/plugstack.conf\n", tree.root);
	tree_file(&tree, text, "/plugstack.conf");
	assert_int_equal(read_it(&ports), -1);
	tree_close(&tree);
}

static void srun_is(const char *config, unsigned min, unsigned max)
{
	struct site_ports ports = {.srun_min = 1};

	site_ports_srun(config, &ports);
	assert_int_equal(ports.srun_min, min);
	assert_int_equal(ports.srun_max, max);
}

static void srun(void **state)
{
	(void)state;
	srun_is("SrunEpilog              = (null)\n"
		"SrunPortRange           = 60001-63000\n"
		"SrunProlog              = (null)\n",
		60001, 63000);
	srun_is("SrunPortRange           = 0-0\n", 0, 0);
	srun_is("SrunPortRange           = (null)\n", 0, 0);
	srun_is("SrunPortRange           = 63000-60001\n", 0, 0);
	srun_is("SrunPortRange           = 60001-70000\n", 0, 0);
	srun_is("", 0, 0);
}

static void params_are(const char *config, const char *params)
{
	struct site_ports ports = {.mpi_params = "x"};

	site_ports_srun(config, &ports);
	assert_string_equal(ports.mpi_params, params);
}

static void steps(void **state)
{
	(void)state;
	params_are("MpiDefault              = pmix\n"
		   "MpiParams               = ports=21000-21999\n",
		   "ports=21000-21999");
	params_are("MpiParams               = (null)\n", "(null)");
	params_are("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(includes),
		cmocka_unit_test(srun),
		cmocka_unit_test(steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
