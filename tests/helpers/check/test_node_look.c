/* SPDX-License-Identifier: Apache-2.0 */
/* What a node says of itself, with a made-up driver and device files. */
#include "helpers/check/node_look.h"

#include "helpers/check/node_facts.h"
#include "tests/fixtures/tree.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#define INFO "/proc/driver/nvidia/gpus/0000:%db:00.0/information"
#define PORT "/sys/class/infiniband/mlx5_0/ports/1/"

static struct tree tree;
static char said[16384];

static void make_nvidia_smi(const char *text)
{
	char path[PATH_MAX];

	tree_file(&tree, text, "/usr/bin/nvidia-smi");
	snprintf(path, sizeof(path), "%s/usr/bin/nvidia-smi", tree.root);
	chmod(path, 0755);
}

static int setup(void **state)
{
	(void)state;
	tree_open(&tree);
	setenv(HARDWARE_ROOT_VARIABLE, tree.root, 1);
	setenv("DIST_TRAIN_NPU_ROOT", tree.root, 1);
	tree_file(&tree, "NVRM version: x 550.54.15  Release\n",
		  "/proc/driver/nvidia/version");
	for (int i = 0; i < 2; i++) {
		tree_file(&tree, "Model: \t NVIDIA H100\n", INFO, i + 1);
		tree_file(&tree, "", "/dev/nvidia%d", i);
	}
	make_nvidia_smi("#!/bin/sh\n"
			"case $1 in\n"
			"*,name,*) echo '00000000:1B:00.0, H100, 550.54.15, "
			"Enabled, 0, [N/A]'\n"
			"echo '00000000:2B:00.0, H100, 550.54.15, Enabled, "
			"[GPU requires reset], [N/A]' ;;\n"
			"*) echo no ;;\nesac\n");
	tree_file(&tree, "4: ACTIVE\n", PORT "state");
	tree_file(&tree, "5: LinkUp\n", PORT "phys_state");
	tree_file(&tree, "400 Gb/sec (4X NDR)\n", PORT "rate");
	tree_file(&tree, "InfiniBand\n", PORT "link_layer");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tree_close(&tree);
	return 0;
}

static void on_done(void *arg, const char *facts)
{
	snprintf(said, sizeof(said), "\n%s", facts);
	loop_stop(arg);
}

static void look(const struct node_look_wish *wish)
{
	struct node_look l = {.done = on_done};
	struct loop loop;
	struct err err;

	assert_int_equal(loop_open(&loop, &err), 0);
	l.loop = &loop;
	l.arg = &loop;
	assert_int_equal(node_look_begin(&l, wish, &err), 0);
	assert_int_equal(loop_run(&loop, &err), 0);
	node_look_close(&l);
	node_look_close(&l);
	assert_null(loop.timers.first);
	loop_close(&loop);
}

/* Whether it has said a line that begins so. */
static bool has_said(const char *line)
{
	char start[256];

	snprintf(start, sizeof(start), "\n%s", line);
	return strstr(said, start) != NULL;
}

static void says(const char *line)
{
	assert_case(said, has_said(line));
}

static void all_sources(void **state)
{
	const struct node_look_wish wish = {.gpus = 2, .run_dir = tree.root};

	(void)state;
	look(&wish);
	says("gpu-driver NVIDIA 550.54.15\n");
	says("gpu-count 2 1 0\n");
	says("gpu-fault lost 0000:2b:00.0: the driver can't use it: GPU "
	     "requires reset");
	says("rdma mlx5_0/1=ACTIVE,LinkUp,400,InfiniBand\n");
	says("shm ");
	says("run-dir ");
	says("dev-gpu 2 2 2 \n");
	assert_false(has_said("check-program"));
	assert_false(has_said("run-dir-fault"));
}

static void only_devices(void **state)
{
	const struct node_look_wish wish = {
		.gpus = 2, .run_dir = tree.root, .only_devices = true};

	(void)state;
	look(&wish);
	says("gpu-count 2 1 0\n");
	assert_false(has_said("shm"));
	assert_false(has_said("rdma"));
	assert_false(has_said("run-dir"));
}

static void device_files(void **state)
{
	struct node_look_wish wish = {.gpus = 2, .npus = {3, {3, 4, 5}}};
	struct sockaddr_un undriven = {.sun_family = AF_UNIX};
	char path[PATH_MAX];
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	snprintf(path, sizeof(path), "%s/dev/nvidia1", tree.root);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("gone", path), 0);
	tree_file(&tree, "", "/dev/davinci3");
	/* Opening a socket's name fails as a number without a driver does */
	snprintf(undriven.sun_path, sizeof(undriven.sun_path),
		 "%s/dev/davinci5", tree.root);
	assert_int_equal(
		bind(fd, (struct sockaddr *)&undriven, sizeof(undriven)), 0);
	close(fd);
	look(&wish);
	says("dev-gpu 2 1 2 nvidia1: No such file or directory\n");
	says("dev-npu 4 No such file or directory\n");
	assert_false(has_said("dev-npu 3"));
	assert_false(has_said("dev-npu 5"));
	/* In parts (MIG) Slurm counts more than there are */
	tree_file(&tree, "", "/proc/driver/nvidia/capabilities/gpu0/mig/gi1");
	wish.gpus = 7;
	look(&wish);
	says("dev-gpu -1 1 2 ");
	says("gpu-count -1 1 0\n");
}

/* The driver's library judges each NPU; then it hangs. */
static void the_npus_driver(void **state)
{
	const struct node_look_wish wish = {
		.gpus = -1, .npus = {4, {0, 1, 2, 3}}, .only_devices = true};
	const char *srcdir = getenv("srcdir");
	char command[PATH_MAX];

	(void)state;
	tree_file(&tree, "", "/usr/local/dcmi/none");
	snprintf(command, sizeof(command),
		 "${CC:-cc} -shared -fPIC -o %s/usr/local/dcmi/libdcmi.so "
		 "%s/contrib/cluster.d/npu/dcmi.c -ldl",
		 tree.root, srcdir ? srcdir : ".");
	assert_int_equal(system(command), 0);
	tree_file(&tree, "ok\n", "/etc/npu-standin/dcmi");
	tree_file(&tree, "0 - - - - 910B3\n1 - - - - 910B3\n2 - - - - 910B3\n",
		  "/etc/npu-standin/devices");
	tree_file(&tree, "1 1\n2 3\n", "/etc/npu-standin/health");
	look(&wish);
	assert_false(has_said("npu-health 0"));
	says("npu-health 1 1 minor alarm\n");
	says("npu-health 2 3 critical alarm\n");
	assert_false(has_said("npu-health 3"));
	tree_file(&tree, "0 4294967295\n", "/etc/npu-standin/health");
	look(&wish);
	says("npu-health 0 4 device that hasn't started\n");
	tree_file(&tree, "hang\n", "/etc/npu-standin/dcmi");
	look(&wish);
	says("dev-late the driver of the NPUs doesn't answer within 2.0 s\n");
	says("dev-npu 0 ");
}

static void a_folder_that_is_full(void **state)
{
	struct node_look_wish wish = {.gpus = -1, .run_dir = "/dev/full/x"};

	(void)state;
	look(&wish);
	says("run-dir-fault /dev/full/x: Not a directory\n");
}

/* A process that no slurmstepd has started holds a device. */
static void a_holder(void **state)
{
	const struct node_look_wish wish = {.gpus = 2, .only_devices = true};
	char path[PATH_MAX], expected[64];
	int ready[2], fd;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	snprintf(path, sizeof(path), "%s/dev/nvidia0", tree.root);
	pid = fork();
	if (!pid) {
		fd = open(path, O_RDONLY);
		if (fd < 0 || write(ready[1], "", 1) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], path, 1), 1);
	look(&wish);
	snprintf(expected, sizeof(expected), "dev-holder %d ", (int)pid);
	says(expected);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	look(&wish);
	assert_false(has_said(expected));
	close(ready[0]);
	close(ready[1]);
}

/* A driver that hangs stops nothing else. */
static void a_driver_hangs(void **state)
{
	const struct node_look_wish wish = {.gpus = 2};
	uint64_t start = loop_now_ms();

	(void)state;
	make_nvidia_smi("#!/bin/sh\nexec sleep 1000\n");
	look(&wish);
	says("gpu-note nvidia-smi doesn't answer in time");
	says("rdma ");
	says("shm ");
	assert_true(loop_now_ms() - start >= NODE_LOOK_MS / 2);
}

static char gone[512];

static void on_gone(void *arg, const char *why)
{
	snprintf(gone, sizeof(gone), "%s", why ? why : "none");
	loop_stop(arg);
}

static const char *ask_gone(int gpus)
{
	const struct idlist npus = {.n = 0};
	struct devices_gone g = {.done = on_gone};
	struct loop loop;
	struct err err;

	assert_int_equal(loop_open(&loop, &err), 0);
	g.loop = &loop;
	g.arg = &loop;
	assert_int_equal(devices_gone_begin(&g, gpus, &npus, &err), 0);
	assert_int_equal(loop_run(&loop, &err), 0);
	devices_gone_close(&g);
	loop_close(&loop);
	return gone;
}

/* After a process's failure: is a device to blame? */
static void a_device_is_gone(void **state)
{
	(void)state;
	assert_string_equal(ask_gone(2),
			    "GPU 0000:2b:00.0: the driver can't use it: GPU "
			    "requires reset");
	make_nvidia_smi("#!/bin/sh\n"
			"case $1 in\n"
			"*,name,*) echo '00000000:1B:00.0, H100, 550.54.15, "
			"Enabled, 3, [N/A]' ;;\n"
			"*) echo no ;;\nesac\n");
	assert_string_equal(ask_gone(1), "none");
	assert_string_equal(ask_gone(2),
			    "GPU 0000:2b:00.0: the driver doesn't list it");
	/* Without an answer nobody knows, and nothing is blamed */
	make_nvidia_smi("#!/bin/sh\nexec sleep 1000\n");
	assert_string_equal(ask_gone(2), "none");
}

static void program(const char *text, int limit_ms)
{
	struct node_look_wish wish = {.gpus = -1, .program_ms = limit_ms};
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/program", tree.root);
	tree_file(&tree, text, "/program");
	chmod(path, 0755);
	wish.program = path;
	look(&wish);
}

static void the_sites_program(void **state)
{
	char expected[128];

	(void)state;
	program("#!/bin/sh\necho fine\n", 60000);
	assert_false(has_said("check-program"));
	program("#!/bin/sh\necho first\necho disk: 3 MB/s >&2\necho\nexit 7\n",
		60000);
	snprintf(expected, sizeof(expected),
		 "check-program 7 %s/program: disk: 3 MB/s\n", tree.root);
	says(expected);
	program("#!/bin/sh\nkill -9 $$\n", 60000);
	snprintf(expected, sizeof(expected), "check-program 137 %s/program\n",
		 tree.root);
	says(expected);
	program("no program\n", 60000);
	says("check-program 126 ");
	program("#!/bin/sh\nsleep 1000\n", 300);
	says("check-program 124 ");
	/* More than it may say: its end counts */
	program("#!/bin/sh\ni=0\nwhile [ $i -lt 9000 ]; do echo 123456; "
		"i=$((i + 1)); done\necho the end\nexit 1\n",
		60000);
	snprintf(expected, sizeof(expected),
		 "check-program 1 %s/program: the end\n", tree.root);
	says(expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_sources, setup, teardown),
		cmocka_unit_test_setup_teardown(only_devices, setup, teardown),
		cmocka_unit_test_setup_teardown(device_files, setup, teardown),
		cmocka_unit_test_setup_teardown(the_npus_driver, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_folder_that_is_full, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_holder, setup, teardown),
		cmocka_unit_test_setup_teardown(a_driver_hangs, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_device_is_gone, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_sites_program, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
