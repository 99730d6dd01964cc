/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/gpu/gpu.h"

#include "sys/proc_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where drivers, containers and drivers of containers have it */
static const char *const nvidia_smi[] = {
	"/usr/bin/nvidia-smi",
	"/usr/local/bin/nvidia-smi",
	"/usr/local/nvidia/bin/nvidia-smi",
	"/opt/bin/nvidia-smi",
	"/run/nvidia/driver/usr/bin/nvidia-smi",
	NULL,
};

/* Display controllers (0x03) and accelerators (0x12), by maker. */
struct on_bus {
	unsigned nvidia, amd;
};

static void visit_device(void *arg, const char *root, const char *name)
{
	static const char file[] = "/sys/bus/pci/devices/%.40s/%s";
	char vendor[16], class[16];
	struct on_bus *bus = arg;

	if (sysfs_read(class, sizeof(class), root, file, name, "class") < 0 ||
	    (strncmp(class, "0x03", 4) != 0 && strncmp(class, "0x12", 4) != 0))
		return;
	if (sysfs_read(vendor, sizeof(vendor), root, file, name, "vendor") < 0)
		return;
	bus->nvidia += !strncmp(vendor, "0x10de", 6);
	bus->amd += !strncmp(vendor, "0x1002", 6);
}

static void ask_nvidia_smi(const char *root, int limit_ms, struct gpus *gpus)
{
	char path[PATH_MAX];

	for (const char *const *at = nvidia_smi; *at; at++) {
		snprintf(path, sizeof(path), "%s%s", root, *at);
		if (access(path, X_OK) == 0) {
			nvidia_smi_ask(path, limit_ms, gpus);
			return;
		}
	}
	snprintf(gpus->note, sizeof(gpus->note),
		 "neither NVML nor nvidia-smi there: memory errors and the "
		 "fabric's state "
		 "weren't looked at");
}

static bool exists(const char *root, const char *file)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root, file);
	return access(path, F_OK) == 0;
}

static int by_bus(const void *a, const void *b)
{
	const struct gpu *x = a, *y = b;

	return strcmp(x->bus, y->bus);
}

void gpu_look(const char *root, int limit_ms, struct gpus *ret)
{
	struct on_bus bus = {0, 0};

	memset(ret, 0, sizeof(*ret));
	sysfs_each(root, "/sys/bus/pci/devices", visit_device, &bus);
	if (bus.nvidia || exists(root, "/proc/driver/nvidia/version")) {
		ret->maker = GPU_NVIDIA;
		ret->on_bus = bus.nvidia;
		gpu_nvidia_files(root, ret);
		if (*ret->driver && gpu_nvml(root, limit_ms, ret) < 0)
			ask_nvidia_smi(root, limit_ms, ret);
	} else if (exists(root, "/sys/class/kfd/kfd")) {
		ret->maker = GPU_AMD;
		ret->on_bus = bus.amd;
		gpu_amd_files(root, ret);
	}
	qsort(ret->gpu, ret->n, sizeof(*ret->gpu), by_bus);
}
