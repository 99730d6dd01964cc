/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs, the InfiniBand and RoCE ports and the folders of this node, as
 * facts. */
#include "core/base/err.h"
#include "core/base/text.h"
#include "helpers/check/node_facts.h"
#include "helpers/gpu/gpu.h"
#include "helpers/rdma/rdma_ports.h"
#include "sys/proc_file.h"
#include "sys/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#define TRIAL_SIZE 4096

const char *hardware_root(void)
{
	const char *root = getenv(HARDWARE_ROOT_VARIABLE);

	return root ? root : "";
}

struct fault_of {
	int out;
	const struct gpu *gpu;
};

static void tell_fault(void *arg, enum gpu_fault fault, const char *text)
{
	const struct fault_of *f = arg;

	dprintf(f->out, "gpu-fault %s %s: %s\n", gpu_fault_name(fault),
		f->gpu->bus, text);
}

static void tell_models(int out, const struct gpus *gpus)
{
	char models[256] = "";

	for (unsigned i = 0; i < gpus->n; i++) {
		const char *model = gpus->gpu[i].model;

		if (*model && !strstr(models, model))
			text_add(models, sizeof(models), " and ", "%s", model);
	}
	if (*models)
		dprintf(out, "gpu-model %s\n", models);
}

static bool is_usable(const struct gpus *gpus, const struct gpu *gpu)
{
	return !*gpu->trouble && (gpu->listed || !gpus->asked);
}

/* Each device with its faults. One that the tool doesn't list may be another
 * job's: it is told only where one is missing. */
static void tell_gpus(int out, const struct gpus *gpus, int given)
{
	int usable = 0;

	for (unsigned i = 0; i < gpus->n; i++)
		usable += is_usable(gpus, &gpus->gpu[i]);
	dprintf(out, "gpu-count %d %d %u\n", given, usable, gpus->on_bus);
	for (unsigned i = 0; i < gpus->n; i++) {
		const struct gpu *gpu = &gpus->gpu[i];
		struct fault_of f = {.out = out, .gpu = gpu};

		gpu_faults(gpu, tell_fault, &f);
		if (usable < given && !*gpu->trouble && !is_usable(gpus, gpu))
			tell_fault(&f, GPU_FAULT_LOST,
				   "the driver doesn't list it");
	}
}

/* Parts of a GPU (MIG) count as GPUs in Slurm, and not here. */
static void visit_parts(void *arg, const char *root, const char *name)
{
	(void)root;
	*(bool *)arg |= !strncmp(name, "gi", 2);
}

bool facts_gpus_in_parts(void)
{
	bool found = false;
	char path[64];

	for (int i = 0; !found && i < GPUS_MAX; i++) {
		snprintf(path, sizeof(path),
			 "/proc/driver/nvidia/capabilities/gpu%d/mig", i);
		sysfs_each(hardware_root(), path, visit_parts, &found);
	}
	return found;
}

void facts_gpus(int out, int limit_ms, int given)
{
	static struct gpus gpus;
	bool forgetful = false;

	gpu_look(hardware_root(), limit_ms, &gpus);
	if (gpus.maker == GPU_NONE) {
		if (given > 0)
			dprintf(out, "gpu-none %d\n", given);
		return;
	}
	if (facts_gpus_in_parts())
		given = -1;
	dprintf(out, "gpu-driver %s %s\n", gpu_maker_name(gpus.maker),
		*gpus.driver ? gpus.driver : "-");
	dprintf(out, "gpu-given %d\n", given);
	if (*gpus.driver)
		tell_gpus(out, &gpus, given);
	tell_models(out, &gpus);
	for (unsigned i = 0; i < gpus.n; i++)
		forgetful |= gpus.gpu[i].persistent == 0;
	if (forgetful)
		dprintf(out, "gpu-persistence off\n");
	if (gpus.switches && !gpus.manager)
		dprintf(out, "gpu-fabric no\n");
	if (gpus.denied)
		dprintf(out, "gpu-denied /dev/kfd\n");
	if (*gpus.note)
		dprintf(out, "gpu-note %s\n", gpus.note);
	if (gpus.maker == GPU_NVIDIA)
		dprintf(out, "gpu-module %s\n", gpus.open ? "open" : "own");
}

/* --- InfiniBand and RoCE --- */

/* "mlx5_0/1=ACTIVE,LinkUp,400,InfiniBand", one word for each */
static void tell_ports(int out, const struct rdma_ports *ports)
{
	for (unsigned i = 0; i < ports->n; i++) {
		const struct rdma_port *p = &ports->port[i];

		dprintf(out, "%s%s/%u=%s,%s,%u,%s", i ? " " : "rdma ",
			p->device, p->port, p->state, p->physical, p->rate_gbps,
			p->infiniband ? "InfiniBand" : "Ethernet");
	}
	dprintf(out, "\n");
}

/* The indices of its RoCE ports: "3" when it's the same for all */
static void tell_gids(int out, const struct rdma_ports *ports)
{
	char all[128] = "", one[16];

	for (unsigned i = 0; i < ports->n; i++) {
		const struct rdma_port *p = &ports->port[i];

		if (p->infiniband || strcmp(p->state, "ACTIVE") != 0)
			continue;
		if (p->gid_index < 0) {
			dprintf(out, "roce-none %s/%u\n", p->device, p->port);
			continue;
		}
		snprintf(one, sizeof(one), "%d", p->gid_index);
		if (strcmp(all, one) != 0)
			text_add(all, sizeof(all), ",", "%s", one);
	}
	if (*all)
		dprintf(out, "roce-gid %s\n", all);
}

void facts_rdma(int out)
{
	static struct rdma_ports ports;

	rdma_look(hardware_root(), &ports);
	if (!ports.n)
		return;
	tell_ports(out, &ports);
	tell_gids(out, &ports);
	for (unsigned i = 0; i < ports.n; i++)
		if (*ports.port[i].errors)
			dprintf(out, "rdma-errors %s/%u %s\n",
				ports.port[i].device, ports.port[i].port,
				ports.port[i].errors);
	if (*ports.denied)
		dprintf(out, "rdma-denied /dev/infiniband/%s\n", ports.denied);
	dprintf(out, "rdma-peermem %s\n", ports.peermem ? "yes" : "no");
}

/* --- shared memory, and the folder for the step's files --- */

static unsigned long mib(const struct statvfs *fs, unsigned long blocks)
{
	return blocks * fs->f_frsize >> 20;
}

void facts_shm(int out)
{
	struct statvfs fs;

	if (statvfs("/dev/shm", &fs) < 0)
		dprintf(out, "shm -\n");
	else
		dprintf(out, "shm %lu %lu\n", mib(&fs, fs.f_blocks),
			mib(&fs, fs.f_bavail));
}

/* Returns 0, or -1 with errno. */
static int write_trial(const char *folder)
{
	static const char zeros[TRIAL_SIZE];
	char path[PATH_MAX];
	cleanup_close int fd = -1;
	int rc, why;

	snprintf(path, sizeof(path), "%.4000s/dist-train-check-XXXXXX", folder);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -1;
	rc = write_full(fd, zeros, sizeof(zeros));
	why = errno;
	unlink(path);
	errno = why;
	return rc;
}

void facts_run_dir(int out, const char *path)
{
	struct statvfs fs;

	if (write_trial(path) < 0 || statvfs(path, &fs) < 0)
		dprintf(out, "run-dir-fault %s: %s\n", path, strerror(errno));
	else /* a file system without a limit of files tells 0 of both */
		dprintf(out, "run-dir %lu %ld %s\n", mib(&fs, fs.f_bavail),
			fs.f_files ? (long)fs.f_favail : -1, path);
}
