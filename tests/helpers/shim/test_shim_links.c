/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a script tests for: under whatever name it asks for them. */
#include "helpers/shim/shim_server.h"

#include "tests/fixtures/tree.h"

/* As seen from the folder of the links */
#define TABLE	  "ranktable.json"
#define OLD_TABLE "/tmp/dist-train-1.0.0-gone/ranktable.json"

static struct tree tree;
static struct shim_links files;

extern const struct dialect dialect_recsdk;
static const struct dialect_form *form;

static int begin(void **state)
{
	(void)state;
	tree_open(&tree);
	tree_file(&tree, "{}", "/" TABLE);
	form = dialect_recsdk.form;
	files.n = 0;
	return chdir(tree.root);
}

static int end(void **state)
{
	(void)state;
	assert_int_equal(chdir("/"), 0);
	tree_close(&tree);
	return 0;
}

static void run(unsigned nprocs, const char *script)
{
	char bash[] = "bash", name[] = "run.sh", main[] = "main.py";
	char *argv[] = {bash, name, main, NULL};
	struct err err;

	tree_file(&tree, script, "/run.sh");
	if (shim_links_place(&files, form, nprocs, TABLE, argv, &err) < 0)
		fail_msg("%s", err.text);
}

static bool is_ours(const char *name)
{
	char target[PATH_MAX];
	ssize_t n = readlink(name, target, sizeof(target) - 1);

	target[n > 0 ? n : 0] = '\0';
	return !strcmp(target, TABLE);
}

static void as_it_is(void **state)
{
	(void)state;
	run(6, "export RANK_TABLE_FILE=$p/hccl_json_${n}p.json\n");
	assert_int_equal(files.n, 2);
	assert_true(is_ours("hccl_json_8p.json"));
	assert_true(is_ours("hccl_json_6p.json"));
	shim_links_remove(&files);
	assert_false(is_ours("hccl_json_8p.json"));
	assert_false(is_ours("hccl_json_6p.json"));
}

/* As Rec SDK's document has it edited for two servers */
static void edited(void **state)
{
	(void)state;
	tree_file(&tree, "{}", "/hccl_json_own.json");
	assert_int_equal(symlink(OLD_TABLE, "hccl_json.json"), 0);
	run(8, "# hccl_json_8p.json: hccl_json.txt, hccl_json_.jsonx\n"
	       "t=\"${cur_path}/hccl_json_16p_2_host.json\"; u=hccl_json.json\n"
	       "v=hccl_json_own.json w=other/hccl_json-3.json\n");
	assert_true(is_ours("hccl_json_8p.json"));
	assert_true(is_ours("hccl_json_16p_2_host.json"));
	assert_true(is_ours("hccl_json.json"));
	assert_true(is_ours("hccl_json-3.json"));
	assert_false(is_ours("hccl_json_own.json"));
	assert_int_equal(files.n, 4);
	shim_links_remove(&files);
	assert_int_equal(access("hccl_json_own.json", F_OK), 0);
	assert_false(is_ours("hccl_json_16p_2_host.json"));
}

/* A script of names only, and one that is long */
static void bounded(void **state)
{
	static char script[400 << 10];
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		n += (size_t)snprintf(script + n, sizeof(script) - n,
				      "hccl_json_x%d.json ", i);
	run(8, script);
	assert_int_equal(files.n, SHIM_LINKS);
	shim_links_remove(&files);
	memset(script, ' ', sizeof(script) - 1);
	memcpy(script + sizeof(script) - 32, "hccl_json_late.json", 19);
	run(8, script);
	assert_int_equal(files.n, 1);
}

/* Nobody writes into it: it isn't waited for */
static void no_file(void **state)
{
	char fifo[] = "fifo", *argv[] = {fifo, NULL};
	struct err err;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(shim_links_place(&files, form, 8, TABLE, argv, &err),
			 0);
	assert_int_equal(files.n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(as_it_is, begin, end),
		cmocka_unit_test_setup_teardown(edited, begin, end),
		cmocka_unit_test_setup_teardown(bounded, begin, end),
		cmocka_unit_test_setup_teardown(no_file, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
