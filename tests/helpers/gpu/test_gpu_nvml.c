/* SPDX-License-Identifier: Apache-2.0 */
/* What NVIDIA's library says of devices, by a stand-in for it. */
#include "helpers/gpu/gpu.h"
#include "sys/loop.h"

#include "tests/fixtures/tree.h"

#include <stdlib.h>

#define BUS  "0000:3b:00.0"
#define WELL "0000:5c:00.0 0 1 0 -3 0 0 3 0 0\n"

static struct tree tree;
static struct gpus gpus;
static char found_faults[512];

static int setup(void **state)
{
	const char *srcdir = getenv("srcdir");
	char command[2 * PATH_MAX];

	(void)state;
	tree_open(&tree);
	tree_file(&tree, "NVRM version: x 550.54.15  Release\n",
		  "/proc/driver/nvidia/version");
	tree_file(&tree, "Model: \t NVIDIA H100\n",
		  "/proc/driver/nvidia/gpus/" BUS "/information");
	tree_file(&tree, "Model: \t NVIDIA H100\n",
		  "/proc/driver/nvidia/gpus/0000:5c:00.0/information");
	tree_file(&tree, "", "/usr/lib/none");
	snprintf(command, sizeof(command),
		 "${CC:-cc} -shared -fPIC -o %s/usr/lib/libnvidia-ml.so.1 "
		 "%s/tests/helpers/gpu/nvml_stand_in.c -ldl",
		 tree.root, srcdir ? srcdir : ".");
	assert_int_equal(system(command), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tree_close(&tree);
	return 0;
}

static void ask(const char *answers, int limit_ms)
{
	tree_file(&tree, answers, "/etc/nvml");
	gpu_look(tree.root, limit_ms, &gpus);
	assert_int_equal(gpus.maker, GPU_NVIDIA);
	assert_int_equal(gpus.n, 2);
	assert_string_equal(gpus.gpu[0].bus, BUS);
	assert_string_equal(gpus.gpu[0].model, "NVIDIA H100");
	assert_string_equal(gpus.driver, "550.54.15");
}

static void keep(void *arg, enum gpu_fault fault, const char *text)
{
	size_t used = strlen(found_faults);

	(void)arg;
	snprintf(found_faults + used, sizeof(found_faults) - used, "%s%s: %s",
		 used ? "; " : "", gpu_fault_name(fault), text);
}

static const char *faults_of(unsigned i)
{
	*found_faults = '\0';
	gpu_faults(&gpus.gpu[i], keep, NULL);
	return found_faults;
}

static const struct {
	const char *answer; /* of the first device; the second one is well */
	bool listed;
	const char *faults;
} cases[] = {
	{"0 1 0 -3 0 0 3 0 0", true, ""},
	/* An old device or driver: most isn't supported */
	{"0 1 -3 0 -3 0 -3 0 -3", true, ""},
	{"0 -4 -4 -4 -4 0 -13 0 -999", true, ""},
	{"0 1 0 -3 0 0 0 0 0", true, ""},
	{"0 1 3 -3 0 0 3 0 0", true,
	 "uncorrected: 3 uncorrected memory errors since the driver was "
	 "loaded"},
	{"0 1 0 1 -3 0 0 0 0", true,
	 "pending: bad memory waits for a reset to be replaced"},
	{"0 1 0 -3 1 1 3 0 0", true,
	 "unrepaired: memory rows failed and couldn't be replaced; pending: "
	 "bad memory waits for a reset to be replaced"},
	{"0 1 0 -3 0 0 2 0 0", true,
	 "fabric: it isn't in the NVLink fabric: state In Progress"},
	{"0 1 0 -3 0 0 3 23 0", true,
	 "fabric: it isn't in the NVLink fabric: state Completed, "
	 "Insufficient Resources"},
	{"0 1 0 -3 0 0 3 0 1", true, "recovery: the driver recommends: Reset"},
	{"0 1 0 -3 0 0 3 0 4", true,
	 "recovery: the driver recommends: Drain and Reset"},
	{"0 1 -16 -16 -16 0 -16 0 -16", true,
	 "lost: the driver can't use it: GPU requires reset"},
	{"15 1 0 0 0 0 0 0 0", false,
	 "lost: the driver can't use it: GPU is lost"},
	{"999 1 0 0 0 0 0 0 0", false,
	 "lost: the driver can't use it: Unknown Error"},
	/* Another job's */
	{"4 1 0 0 0 0 0 0 0", false, ""},
};

static void each_answer(void **state)
{
	char answers[256];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		snprintf(answers, sizeof(answers), BUS " %s\n" WELL,
			 cases[i].answer);
		ask(answers, 10000);
		assert_true(gpus.asked);
		assert_string_equal(gpus.note, "");
		assert_case(cases[i].answer,
			    gpus.gpu[0].listed == cases[i].listed);
		assert_string_equal(faults_of(0), cases[i].faults);
		assert_true(gpus.gpu[1].listed);
		assert_int_equal(gpus.gpu[1].persistent, 1);
		assert_int_equal(gpus.gpu[1].uncorrected, 0);
		assert_string_equal(faults_of(1), "");
	}
}

static void it_fails(void **state)
{
	(void)state;
	ask("init 18\n" WELL, 10000);
	assert_false(gpus.asked);
	assert_string_equal(gpus.note, "NVML: Driver/library version mismatch");
}

/* Then nvidia-smi, which has the same library, isn't asked. */
static void it_hangs(void **state)
{
	uint64_t start = loop_now_ms();

	(void)state;
	ask("hang\n" WELL, 300);
	assert_false(gpus.asked);
	assert_non_null(strstr(gpus.note, "NVML doesn't answer in time"));
	assert_true(loop_now_ms() - start < 20000);
}

/* NVLink across nodes */
static void domain(void **state)
{
	(void)state;
	ask(BUS " 0 1 0 -3 0 0 3 0 0 171\n" WELL, 10000);
	assert_string_equal(gpus.gpu[0].domain,
			    "ab000000-0000-0000-0000-000000000000.7");
	assert_string_equal(gpus.gpu[1].domain, ""); /* a node's own */
	ask(BUS " 0 1 0 -3 0 0 2 0 0 171\n" WELL, 10000);
	assert_string_equal(gpus.gpu[0].domain, ""); /* not yet in it */
	ask(BUS " 0 1 0 -3 0 0 3 23 0 171\n" WELL, 10000);
	assert_string_equal(gpus.gpu[0].domain, ""); /* failed */
}

static void make_nvidia_smi(void)
{
	char path[PATH_MAX];

	tree_file(&tree,
		  "#!/bin/sh\n[ \"$1\" = "
		  "--query-gpu=pci.bus_id,name,driver_version,"
		  "persistence_mode,ecc.errors.uncorrected.volatile.total,"
		  "retired_pages.pending ] || exit 1\n"
		  "echo '00000000:3B:00.0, NVIDIA H100, 550.54.15, Enabled, 2, "
		  "[N/A]'\n",
		  "/usr/bin/nvidia-smi");
	snprintf(path, sizeof(path), "%s/usr/bin/nvidia-smi", tree.root);
	chmod(path, 0755);
}

/* What can't be used is as if it weren't there: nvidia-smi is asked. */
static void there_is_none(void **state)
{
	char path[PATH_MAX];

	(void)state;
	make_nvidia_smi();
	ask("crash\n", 10000);
	assert_true(gpus.asked);
	assert_int_equal(gpus.gpu[0].uncorrected, 2);
	snprintf(path, sizeof(path), "%s/usr/lib/libnvidia-ml.so.1", tree.root);
	assert_int_equal(unlink(path), 0);
	ask("", 10000);
	assert_true(gpus.asked);
	assert_int_equal(gpus.gpu[0].uncorrected, 2);
}

static void what_is_used(void **state)
{
	struct gpu_use use[GPUS_MAX];

	(void)state;
	tree_file(&tree,
		  BUS " 0 1 0 -3 60000 81559 93 0 0\n"
		      "0000:5c:00.0 0 1 0 -3 -3 16 -3 0 0\n",
		  "/etc/nvml");
	assert_int_equal(gpu_use(tree.root, use), 2);
	assert_int_equal(use[0].used_mib, 60000);
	assert_int_equal(use[0].size_mib, 81559);
	assert_int_equal(use[0].percent, 93);
	assert_int_equal(use[1].used_mib, -1);
	assert_int_equal(use[1].percent, -1);
	assert_int_equal(gpu_use_find(use, 2, "1"), 1);
	assert_int_equal(gpu_use_find(use, 2, "2"), -1);
	assert_int_equal(gpu_use_find(use, 2, "GPU-00000010-0000"), 1);
	assert_int_equal(gpu_use_find(use, 2, "GPU-00013e"), 0);
	assert_int_equal(gpu_use_find(use, 2, "GPU-"), -1);
	assert_int_equal(gpu_use_find(use, 2, ""), -1);
	tree_file(&tree, "init 18\n", "/etc/nvml");
	assert_int_equal(gpu_use(tree.root, use), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_answer, setup, teardown),
		cmocka_unit_test_setup_teardown(domain, setup, teardown),
		cmocka_unit_test_setup_teardown(it_fails, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_used, setup, teardown),
		cmocka_unit_test_setup_teardown(it_hangs, setup, teardown),
		cmocka_unit_test_setup_teardown(there_is_none, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
