/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/judge/findings.h"

#include "tests/fixtures/unit.h"

/* What the first and the third node tell of their devices */
static const char *const usual[] = {
	"build 1 0.1.0 ab",
	"plugin ok 1",
	"gpu-driver NVIDIA 550.54.15",
	"gpu-count 8 8 8",
	"gpu-model NVIDIA H100",
	"gpu-module open",
	("rdma mlx5_0/1=ACTIVE,LinkUp,400,InfiniBand "
	 "mlx5_1/1=DOWN,Disabled,10,InfiniBand"),
	"roce-gid 3",
	"rdma-peermem no",
	"nccl-conf /etc/nccl.conf NCCL_IB_HCA=mlx5",
};

/* Facts of three nodes that are well but for what `fact` says. */
static void judge(struct doctor *d, const char *fact)
{
	struct err err;

	assert_int_equal(doctor_open(d, "n[1-3]", &err), 0);
	assert_true(doctor_add_line(d, DOCTOR_MARK " n1 ready  "));
	assert_true(doctor_add_line(d, DOCTOR_MARK " n2 ready  "));
	assert_true(doctor_add_line(d, DOCTOR_MARK " n3 ready  "));
	assert_true(doctor_add_line(d, DOCTOR_MARK " n1 done"));
	assert_true(doctor_add_line(d, DOCTOR_MARK " n2 done"));
	assert_true(doctor_add_line(d, DOCTOR_MARK " n3 done"));
	assert_true(doctor_add_line(d, DOCTOR_MARK " n1 route eth0 9000"));
	assert_true(doctor_add_line(d, DOCTOR_MARK " n1 program 10 /bin/x"));
	assert_true(doctor_add_line(d, DOCTOR_MARK " n3 tls 4 0"));
	for (size_t i = 0; i < COUNT(usual); i++)
		for (unsigned node = 1; node <= 3; node += 2) {
			char line[300];

			snprintf(line, sizeof(line), DOCTOR_MARK " n%u %s",
				 node, usual[i]);
			assert_true(doctor_add_line(d, line));
		}
	if (*fact) {
		char line[300];

		snprintf(line, sizeof(line), DOCTOR_MARK " n2 %s", fact);
		assert_true(doctor_add_line(d, line));
	}
	assert_int_equal(doctor_judge(d, &err), 0);
}

static const struct doctor_finding *bad(const struct doctor *d)
{
	const struct doctor_finding *found = NULL;

	for (size_t i = 0; i < d->nfindings; i++)
		if (d->finding[i].level != DOCTOR_OK) {
			assert_null(found);
			found = &d->finding[i];
		}
	return found;
}

static const struct {
	const char *fact, *check, *text;
	enum doctor_level level;
} cases[] = {
	{"own n2 10.0.0.2", NULL, NULL, DOCTOR_OK},
	{"own n2 127.0.1.1", "names", "to 127.0.1.1, a loopback", DOCTOR_WARN},
	{"own n2 -", "names", "can't resolve its own", DOCTOR_WARN},
	{"name n1 -", "names", "n1 can't be resolved", DOCTOR_WARN},
	{"name n1 127.0.0.1", "names", "n1 resolves to 127.0.0.1", DOCTOR_WARN},
	{"first n1.x 10.0.0.1", NULL, NULL, DOCTOR_OK},
	{"first n1.x -", "names", "n1.x, NodeAddr of n1", DOCTOR_FAIL},
	{"first n1.x ::1", "names", "n1 resolves to ::1", DOCTOR_FAIL},
	{"route -", "route", "no route to n1", DOCTOR_FAIL},
	{"route lo 9000", "route", "loopback interface", DOCTOR_FAIL},
	{"route eth1 9000", NULL, NULL, DOCTOR_OK},
	{"route eth1 1500", "mtu", "MTU 1500, but 9000 on n1", DOCTOR_WARN},
	{"reach ok", NULL, NULL, DOCTOR_OK},
	{"reach no answer", "reach", "n1: no answer", DOCTOR_FAIL},
	{"helpers ok", NULL, NULL, DOCTOR_OK},
	{"helpers /x isn't there", "install", "/x isn't there", DOCTOR_FAIL},
	{"plugin ok 1", NULL, NULL, DOCTOR_OK},
	{"plugin ok 2", "install", "another build of the plugin than on n1",
	 DOCTOR_WARN},
	{"plugin /p has no line for it", "install", "/p has no line",
	 DOCTOR_FAIL},
	{"build 1 0.1.0 ab", NULL, NULL, DOCTOR_OK},
	{"build 1 0.1.0 cd", "install", "another build: 0.1.0 cd, but 0.1.0 ab",
	 DOCTOR_WARN},
	{"build 2 0.2.0 ef", "install",
	 "in another way: 2 0.2.0 ef, but 1 0.1.0 ab on n1", DOCTOR_FAIL},
	{"ports 20000 20999 100", NULL, NULL, DOCTOR_OK},
	{"ports 20000 20999 101", "ports", "101 of the ports", DOCTOR_WARN},
	{"ports 20000 20999 999", "ports", "999 of the ports", DOCTOR_WARN},
	{"ports 20000 20999 1000", "ports", "none of the ports", DOCTOR_FAIL},
	{"ephemeral 32768 60999 20000 28999", NULL, NULL, DOCTOR_OK},
	{"ephemeral 28999 60999 20000 28999", "ports", "kernel", DOCTOR_WARN},
	{"pmix yes yes", NULL, NULL, DOCTOR_OK},
	{"pmix no yes", "pmix", "no mpi_pmix.so", DOCTOR_WARN},
	{"pmix yes no", "pmix", "libpmix.so can't", DOCTOR_WARN},
	{"munge Expired credential", "munge", "Expired", DOCTOR_FAIL},
	{"clock -900000 200", NULL, NULL, DOCTOR_OK},
	{"clock -1500000 900000", NULL, NULL, DOCTOR_OK},
	{"clock -1500000 200", "clock", "-1.5 s off", DOCTOR_WARN},
	{"clock 300000000 200", "clock", "300.0 s off", DOCTOR_FAIL},
	{"npu 3 10.1.1.1", NULL, NULL, DOCTOR_OK},
	{"npu 3 -", "npu", "NPU 3 has no address", DOCTOR_FAIL},
	{"npu-note something", "npu", "something", DOCTOR_WARN},
	{"tls 1 0", NULL, NULL, DOCTOR_OK},
	{"tls 1 1", "npu-tls", "on NPU ", DOCTOR_FAIL},
	{"ping 1 10.1.1.1 ok", NULL, NULL, DOCTOR_OK},
	{"ping 1 10.1.1.1 0 of 3 packets", "npu-ping", "NPU 1 can't reach",
	 DOCTOR_FAIL},
	{"program 10 /bin/x", NULL, NULL, DOCTOR_OK},
	{"program 11 /bin/x", "program", "the file differs", DOCTOR_WARN},
	{"program - /bin/x", "program", "/bin/x doesn't exist", DOCTOR_FAIL},
	{"memlock unlimited", NULL, NULL, DOCTOR_OK},
	{"memlock 64 no", NULL, NULL, DOCTOR_OK},
	{"memlock 64 yes", "limits", "only 64 KiB", DOCTOR_WARN},
	{"nofile 1024", "limits", "only 1024 files", DOCTOR_WARN},
	{"shm 2048 2000", NULL, NULL, DOCTOR_OK},
	{"stacks 0 -", NULL, NULL, DOCTOR_OK},
	{"stacks 1 py-spy, eu-stack", NULL, NULL, DOCTOR_OK},
	{"stacks 2 eu-stack", "stacks", "ptrace_scope is 2", DOCTOR_WARN},
	{"namespaces ok", NULL, NULL, DOCTOR_OK},
	{"namespaces no user namespace: x", NULL, NULL, DOCTOR_OK},
	{"shm 512 500", "shm", "only 512 MiB", DOCTOR_WARN},
	{"shm 2048 15", "shm", "only 15 of 2048", DOCTOR_FAIL},
	{"shm -", "shm", "/dev/shm doesn't exist", DOCTOR_FAIL},
	{"gpu-driver NVIDIA 550.54.15", NULL, NULL, DOCTOR_OK},
	{"gpu-driver NVIDIA 535.161.08", "gpu-driver",
	 "NVIDIA 535.161.08, but NVIDIA 550.54.15 on n1", DOCTOR_WARN},
	{"gpu-driver NVIDIA -", "gpu-driver", "driver isn't loaded",
	 DOCTOR_WARN},
	{"gpu-count 8 8 8", NULL, NULL, DOCTOR_OK},
	{"gpu-count -1 8 8", NULL, NULL, DOCTOR_OK},
	{"gpu-count 2 8 8", NULL, NULL, DOCTOR_OK},
	{"gpu-count 8 7 8", "gpu", "gave 8 GPUs, but 7 can be", DOCTOR_FAIL},
	{"gpu-count -1 7 7", "gpu", "7 GPUs on the PCI bus, but 8 on n1",
	 DOCTOR_WARN},
	{"gpu-model NVIDIA H100", NULL, NULL, DOCTOR_OK},
	{"gpu-model NVIDIA A100", "gpu", "are NVIDIA A100, but NVIDIA H100 on",
	 DOCTOR_WARN},
	{"gpu-fault lost 0000:3b:00.0: it is lost", "gpu",
	 "GPU 0000:3b:00.0: it is lost", DOCTOR_FAIL},
	{"gpu-fault uncorrected 0000:3b:00.0: 3", "gpu", "GPU 0000:3b",
	 DOCTOR_WARN},
	{"gpu-fault nonsense 0000:3b:00.0: 3", NULL, NULL, DOCTOR_OK},
	{"gpu-fabric no", "gpu", "nv-fabricmanager", DOCTOR_WARN},
	{"gpu-persistence off", "gpu", "persistence mode is off", DOCTOR_WARN},
	{"gpu-denied /dev/kfd", "gpu", "/dev/kfd can't be opened", DOCTOR_WARN},
	{"gpu-note nvidia-smi: x", "gpu", "nvidia-smi: x", DOCTOR_WARN},
	{"rdma mlx5_0/1=ACTIVE,LinkUp,400,InfiniBand "
	 "mlx5_1/1=DOWN,Disabled,10,InfiniBand",
	 NULL, NULL, DOCTOR_OK},
	{"rdma mlx5_0/1=DOWN,Polling,10,InfiniBand "
	 "mlx5_1/1=DOWN,Disabled,10,InfiniBand",
	 "rdma", "mlx5_0/1 is DOWN (Polling), but ACTIVE on n1", DOCTOR_FAIL},
	{"rdma mlx5_0/1=INIT,LinkUp,400,InfiniBand", "rdma",
	 "mlx5_0/1 is INIT: the link is up", DOCTOR_FAIL},
	{"rdma mlx5_0/1=ACTIVE,LinkUp,100,InfiniBand", "rdma",
	 "mlx5_0/1 has 100 Gb/s, but 400 on n1", DOCTOR_WARN},
	{"rdma mlx5_0/1=ACTIVE,LinkUp,400,Ethernet", "rdma",
	 "mlx5_0/1 is Ethernet, but InfiniBand on n1", DOCTOR_WARN},
	{"rdma mlx5_1/1=ACTIVE,LinkUp,400,InfiniBand", "rdma",
	 "mlx5_0/1 isn't there; n1 has it", DOCTOR_FAIL},
	{"rdma-denied /dev/infiniband/uverbs0", "rdma", "can't be opened",
	 DOCTOR_WARN},
	{"rdma-note the driver hangs", "rdma", "hangs", DOCTOR_WARN},
	{"rdma-errors mlx5_0/1 symbol_error=3", NULL, NULL, DOCTOR_OK},
	{"roce-none mlx5_0/1", "rdma", "no RoCE v2 GID", DOCTOR_WARN},
	{"roce-gid 3", NULL, NULL, DOCTOR_OK},
	{"roce-gid 5", "rdma", "is 5, but 3 on n1", DOCTOR_WARN},
	{"rdma-peermem yes", NULL, NULL, DOCTOR_OK},
	{"nccl-conf /etc/nccl.conf NCCL_IB_HCA=mlx5", NULL, NULL, DOCTOR_OK},
	{"nccl-conf /etc/nccl.conf NCCL_IB_HCA=mlx4", "nccl-conf",
	 "/etc/nccl.conf differs from the one of n1", DOCTOR_WARN},
	{"nccl-conf /home/u/.nccl.conf NCCL_DEBUG=INFO", NULL, NULL, DOCTOR_OK},
	{"nccl-ifname /etc/nccl.conf NCCL_SOCKET_IFNAME=bond0", "nccl-conf",
	 "is one of /etc/nccl.conf NCCL_SOCKET_IFNAME=bond0", DOCTOR_FAIL},
	{"gpu-none 8", "gpu",
	 "gave 8 GPUs, but there is none and no driver; n1", DOCTOR_FAIL},
	{"dev-gpu 8 8 8 ", NULL, NULL, DOCTOR_OK},
	{"dev-gpu -1 0 8 nvidia0: Permission denied", NULL, NULL, DOCTOR_OK},
	{"dev-gpu 2 2 8 nvidia0: x", NULL, NULL, DOCTOR_OK},
	{"dev-gpu 8 7 8 nvidia5: No such device", "gpu",
	 "gave 8 GPUs, but only 7 of 8 device files can be opened: nvidia5: No",
	 DOCTOR_FAIL},
	{"dev-npu 3 No such device", "npu-files",
	 "/dev/davinci3 can't be opened: No such device", DOCTOR_FAIL},
	{"npu-health 3 2 major alarm", "npu-health", "NPU 3", DOCTOR_WARN},
	{"npu-health 3 3 critical alarm", "npu-health",
	 "NPU 3: the driver reports a critical alarm", DOCTOR_FAIL},
	{"dev-late it hangs", "devices", "it hangs", DOCTOR_FAIL},
	{"dev-holder 77 python3 /dev/nvidia0", "devices",
	 "process 77 (python3) holds /dev/nvidia0 and belongs to no step",
	 DOCTOR_WARN},
	{"run-dir 1000 -1 /tmp/x", NULL, NULL, DOCTOR_OK},
	{"run-dir 63 1000 /tmp/x", "run-dir", "only 63 MiB are free in /tmp/x",
	 DOCTOR_WARN},
	{"run-dir 1000 99 /tmp/x", "run-dir", "only 99 more files",
	 DOCTOR_WARN},
	{"run-dir-fault /tmp/x: No space left on device", "run-dir",
	 "can't be written: /tmp/x: No space", DOCTOR_FAIL},
	{"check-program 3 /x: disk too slow", "check-program",
	 "exit status 3, /x: disk too slow", DOCTOR_FAIL},
	{"clock-apart 5 0", "clock", "5 s ahead of that of n1", DOCTOR_WARN},
	{"clock-apart -50 0", "clock", "50 s behind that of n1", DOCTOR_WARN},
	{"clock-apart 50 9", "clock", "ahead of that of srun's host",
	 DOCTOR_WARN},
	{"leftover process 7", "leftovers", "process 7", DOCTOR_WARN},
};

static void each_fact_is_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct doctor_finding *f;
		struct doctor d;

		judge(&d, cases[i].fact);
		f = bad(&d);
		assert_int_equal(doctor_worst(&d), cases[i].level);
		assert_case(cases[i].fact, !f == !cases[i].check);
		if (f) {
			assert_string_equal(f->check, cases[i].check);
			assert_case(cases[i].fact,
				    strstr(f->text, cases[i].text));
			assert_case(cases[i].fact, *f->remedy);
			assert_string_equal(f->nodes,
					    strcmp(f->check, "npu-tls") != 0
						    ? "n2"
						    : f->nodes);
		}
		doctor_clear(&d);
	}
}

/* The name of a loopback address matters to nobody on one node. */
static void one_node(void **state)
{
	struct doctor d;
	struct err err;

	(void)state;
	assert_int_equal(doctor_open(&d, "n1", &err), 0);
	assert_true(doctor_add_line(&d, DOCTOR_MARK " n1 own n1 127.0.1.1"));
	assert_true(doctor_add_line(&d, DOCTOR_MARK " n1 npu 0 -"));
	assert_true(doctor_add_line(&d, DOCTOR_MARK " n1 ready"));
	assert_true(doctor_add_line(&d, DOCTOR_MARK " n1 done"));
	assert_int_equal(doctor_judge(&d, &err), 0);
	assert_int_equal(doctor_worst(&d), DOCTOR_OK);
	doctor_clear(&d);
}

/* Without the open module GPUDirect RDMA takes a module of its own. */
static void direct(void **state)
{
	struct doctor d;
	struct err err;

	(void)state;
	assert_int_equal(doctor_open(&d, "n1", &err), 0);
	assert_true(doctor_add_line(&d, DOCTOR_MARK " n1 gpu-module own"));
	assert_true(doctor_add_line(&d, DOCTOR_MARK " n1 rdma-peermem no"));
	assert_true(doctor_add_line(&d, DOCTOR_MARK " n1 ready"));
	assert_true(doctor_add_line(&d, DOCTOR_MARK " n1 done"));
	assert_int_equal(doctor_judge(&d, &err), 0);
	assert_string_equal(bad(&d)->check, "gpudirect");
	doctor_clear(&d);
}

/* Which of two nodes is the usual one nobody knows: a port that is down on
 * either is found. */
static void one_of_two_ports(void **state)
{
	static const char *const port[] = {
		"rdma mlx5_0/1=DOWN,Polling,10,InfiniBand",
		"rdma mlx5_0/1=ACTIVE,LinkUp,400,InfiniBand",
	};

	(void)state;
	for (unsigned down = 0; down < 2; down++) {
		struct doctor d;
		struct err err;

		assert_int_equal(doctor_open(&d, "n[1-2]", &err), 0);
		assert_true(doctor_add_fact(&d, down, port[0]));
		assert_true(doctor_add_fact(&d, !down, port[1]));
		assert_int_equal(doctor_judge_facts(&d, &err), 0);
		assert_string_equal(bad(&d)->nodes, down ? "n2" : "n1");
		assert_int_equal(doctor_worst(&d), DOCTOR_FAIL);
		doctor_clear(&d);
	}
}

static void who_does_not_answer(void **state)
{
	struct doctor d;
	struct err err;

	(void)state;
	assert_int_equal(doctor_open(&d, "n[1-2]", &err), 0);
	assert_true(doctor_add_line(&d, DOCTOR_MARK " n1 ready"));
	assert_true(doctor_add_line(&d, DOCTOR_MARK " n1 done"));
	assert_int_equal(doctor_judge(&d, &err), 0);
	assert_string_equal(bad(&d)->nodes, "n2");
	assert_int_equal(doctor_worst(&d), DOCTOR_FAIL);
	doctor_clear(&d);
}

/* Lines of others, such as srun's and another node's, are none. */
static void other_lines(void **state)
{
	static const char *const lines[] = {
		"",
		"srun: error",
		DOCTOR_MARK,
		DOCTOR_MARK " ",
		DOCTOR_MARK " n1",
		DOCTOR_MARK " n1 ",
		DOCTOR_MARK " n9 shm -",
		DOCTOR_MARK "x n1 shm -",
	};
	struct doctor d;
	struct err err;

	(void)state;
	assert_int_equal(doctor_open(&d, "n[1-2]", &err), 0);
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_case(lines[i], !doctor_add_line(&d, lines[i]));
	doctor_clear(&d);
	assert_int_equal(doctor_open(&d, "n[1", &err), -1);
	doctor_clear(&d);
}

/* Equal findings are one, and many names are cut. */
static void many_nodes(void **state)
{
	const struct doctor_finding *f;
	struct doctor d;
	struct err err;
	size_t shown;

	(void)state;
	assert_int_equal(doctor_open(&d, "node[0001-1000]", &err), 0);
	for (unsigned i = 0; i < d.nnodes; i++)
		doctor_find(&d, DOCTOR_FAIL, "shm", i, "r", "none");
	doctor_find(&d, DOCTOR_FAIL, "shm", 999, "r", "none");
	assert_int_equal(d.nfindings, 1);
	f = &d.finding[0];
	assert_int_equal(f->nnodes, 1000);
	shown = f->nshown;
	assert_true(shown > 20 && shown < 40);
	assert_int_equal(atoi(strchr(f->nodes, '+')), (int)(1000 - shown));
	doctor_clear(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_fact_is_judged),
		cmocka_unit_test(one_node),
		cmocka_unit_test(direct),
		cmocka_unit_test(one_of_two_ports),
		cmocka_unit_test(who_does_not_answer),
		cmocka_unit_test(other_lines),
		cmocka_unit_test(many_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
