/* SPDX-License-Identifier: Apache-2.0 */
/* Cores and devices of a machine that isn't there. */
#include "helpers/node/bind.h"

#include "tests/fixtures/plan_fixture.h"
#include "tests/fixtures/tree.h"

/* Two sockets, each a NUMA node of 8 cores with two threads: 0-7,16-23 and
 * 8-15,24-31; four devices, the first two on the second socket. */
static void two_sockets(struct tree *t)
{
	tree_open(t);
	tree_file(t, "1\n", "/sys/devices/system/cpu/smt/active");
	tree_file(t, "0-1\n", "/sys/devices/system/node/online");
	tree_node(t, 0, 0, 0, 8, 16);
	tree_node(t, 1, 1, 8, 8, 16);
	tree_nvidia(t, 2, "0000:17:00.0", 0);
	tree_nvidia(t, 3, "0000:2a:00.0", 0);
	tree_nvidia(t, 0, "0000:b7:00.0", 1);
	tree_nvidia(t, 1, "0000:ca:00.0", 1);
}

static struct facts four_devices(void)
{
	struct facts f = device_task(1, 0, "4", 4);

	facts_set(&f, "SLURM_DIST_TRAIN_VISIBLE",
		  "CUDA_VISIBLE_DEVICES=0,1,2,3");
	facts_set(&f, "CUDA_VISIBLE_DEVICES", "0,1,2,3");
	return f;
}

static void cpus_are(const struct bind *bind, unsigned index, const char *cpus)
{
	const struct bind_share *s = bind_share(bind, index);
	char text[256];

	assert_non_null(s);
	assert_int_equal(idset_format(&s->cpus, text, sizeof(text)), 0);
	assert_string_equal(text, cpus);
}

/* The shares of the task's processes on the CPUs `allowed`. */
static void make(struct task *t, const struct tree *tree, const char *text,
		 struct facts *f, const char *allowed, struct bind *bind)
{
	struct idset cpus;
	struct err err;

	assert_int_equal(idset_parse(allowed, &cpus), 0);
	plan_ok(t, text, f);
	assert_int_equal(bind_make(&t->plan, &cpus, tree->root, bind, &err), 0);
}

static void done(struct task *t, struct bind *bind)
{
	bind_clear(bind);
	clear(t);
}

static void near_devices(void **state)
{
	struct facts f = four_devices();
	struct process p = {.cores = 99};
	struct tree tree;
	struct bind bind;
	struct task t;

	(void)state;
	two_sockets(&tree);
	make(&t, &tree, "ddp", &f, "0-31", &bind);
	assert_int_equal(bind.ncores, 16);
	cpus_are(&bind, 0, "8-11,24-27");
	cpus_are(&bind, 1, "12-15,28-31");
	cpus_are(&bind, 2, "0-3,16-19");
	cpus_are(&bind, 3, "4-7,20-23");
	bind_tell(&bind, 1, &p);
	assert_int_equal(p.cores, 4);
	assert_non_null(strstr(p.place, "4 cores, CPUs 12-15,28-31"));
	assert_non_null(strstr(p.place, "(near device 1, NUMA node 1)"));
	done(&t, &bind);
	tree_close(&tree);
}

/* What Slurm gave: some cores only, one thread of each, on one socket. */
static void within_the_task(void **state)
{
	struct facts f = four_devices();
	struct tree tree;
	struct bind bind;
	struct task t;

	(void)state;
	two_sockets(&tree);
	make(&t, &tree, "ddp", &f, "4-11", &bind);
	cpus_are(&bind, 0, "8-9");
	cpus_are(&bind, 3, "6-7");
	done(&t, &bind);
	make(&t, &tree, "ddp", &f, "0-7", &bind);
	cpus_are(&bind, 0, "0-1");
	cpus_are(&bind, 3, "6-7");
	done(&t, &bind);
	make(&t, &tree, "ddp", &f, "0,1,2,16", &bind);
	assert_null(bind_share(&bind, 0));
	assert_non_null(strstr(bind.share[0].text, "3 cores for 4 processes"));
	done(&t, &bind);
	tree_close(&tree);
}

static void not_bound(void **state)
{
	struct facts f = four_devices();
	struct process p = {.cores = 5};
	struct tree tree;
	struct bind bind;
	struct task t;

	(void)state;
	two_sockets(&tree);
	make(&t, &tree, "ddp,bind=off", &f, "0-31", &bind);
	assert_null(bind_share(&bind, 0));
	assert_int_equal(bind.ncores, 16);
	bind_tell(&bind, 0, &p);
	assert_int_equal(p.cores, 5);
	assert_null(p.place);
	done(&t, &bind);
	make(&t, &tree, "ddp,procs=1", &f, "0-31", &bind);
	assert_null(bind_share(&bind, 0));
	done(&t, &bind);
	facts_set(&f, "SLURM_CPUS_ON_NODE", "8");
	make(&t, &tree, "ddp", &f, "0-31", &bind);
	assert_null(bind_share(&bind, 0));
	assert_non_null(strstr(bind.share[0].text, "8 CPUs"));
	done(&t, &bind);
	tree_close(&tree);
}

/* Slurm's index counts, also where a cgroup renumbers what the task sees. */
static void renumbered(void **state)
{
	struct facts f = device_task(1, 0, "2", 0);
	struct tree tree;
	struct bind bind;
	struct task t;

	(void)state;
	facts_set(&f, "SLURM_DIST_TRAIN_GPUS", "1,2");
	facts_set(&f, "SLURM_STEP_GPUS", "1,2");
	facts_set(&f, "SLURM_DIST_TRAIN_VISIBLE", "CUDA_VISIBLE_DEVICES=0,1");
	facts_set(&f, "CUDA_VISIBLE_DEVICES", "0,1");
	two_sockets(&tree);
	make(&t, &tree, "ddp,visible=one", &f, "0-31", &bind);
	cpus_are(&bind, 0, "8-15,24-31");
	cpus_are(&bind, 1, "0-7,16-23");
	done(&t, &bind);
	tree_close(&tree);
}

/* No file at all: each CPU is a core of one node. */
static void nothing_known(void **state)
{
	struct facts f = four_devices();
	struct tree tree;
	struct bind bind;
	struct task t;

	(void)state;
	tree_open(&tree);
	make(&t, &tree, "ddp", &f, "0-7", &bind);
	cpus_are(&bind, 0, "0-1");
	cpus_are(&bind, 3, "6-7");
	assert_string_equal(bind.share[3].text, "2 cores, CPUs 6-7");
	done(&t, &bind);
	tree_close(&tree);
}

static void drivers(void **state)
{
	struct locality l;
	struct tree t;

	(void)state;
	tree_open(&t);
	locality_read(t.root, "CUDA_VISIBLE_DEVICES", &l);
	assert_int_equal(l.node[0], -1);
	tree_file(&t, "3\n", "/sys/class/drm/renderD129/device/numa_node");
	tree_file(&t, "-1\n", "/sys/class/drm/renderD128/device/numa_node");
	tree_file(&t, "0\n", "/sys/class/drm/card0/device/numa_node");
	locality_read(t.root, "ROCR_VISIBLE_DEVICES", &l);
	assert_int_equal(l.node[0], -1);
	assert_int_equal(l.node[1], 3);
	tree_file(&t, "7\n",
		  "/sys/bus/pci/drivers/devdrv_device_driver/"
		  "0000:c1:00.0/dev_id");
	tree_file(&t, "", "/sys/bus/pci/drivers/devdrv_device_driver/bind");
	tree_file(&t, "2\n", "/sys/bus/pci/devices/0000:c1:00.0/numa_node");
	locality_read(t.root, NULL, &l);
	assert_int_equal(l.node[7], 2);
	assert_int_equal(l.node[1], -1);
	locality_read(t.root, "CUDA_VISIBLE_DEVICES", &l);
	assert_int_equal(l.node[7], 2);
	tree_nvidia(&t, 1, "0000:17:00.0", 1);
	tree_file(&t, "nothing\n",
		  "/proc/driver/nvidia/gpus/0000:18:00.0/information");
	locality_read(t.root, "CUDA_VISIBLE_DEVICES", &l);
	assert_int_equal(l.node[1], 1);
	assert_int_equal(l.node[7], -1);
	tree_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_devices),
		cmocka_unit_test(within_the_task),
		cmocka_unit_test(not_bound),
		cmocka_unit_test(renumbered),
		cmocka_unit_test(nothing_known),
		cmocka_unit_test(drivers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
