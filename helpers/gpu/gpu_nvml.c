/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ask NVML, the library of NVIDIA's driver, in a separate process, because it
 * may hang. That process writes what it knows as one struct gpus.
 */
#include "helpers/gpu/gpu.h"
#include "helpers/gpu/nvml.h"
#include "sys/subprocess.h"
#include "sys/text_file.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libnvidia-ml.so.1"

struct query {
	const char *root;
	const struct gpus *gpus;
};

/* Below the folder `root` unless that is "". Returns 0, or -1: there is no such
 * library. */
static int open_library(const char *root, struct nvml *ret)
{
	static const struct {
		const char *name;
		size_t at;
	} calls[] = {
#define CALL(member, name) {name, offsetof(struct nvml, member)}
		CALL(init, "nvmlInit_v2"),
		CALL(text, "nvmlErrorString"),
		CALL(by_bus, "nvmlDeviceGetHandleByPciBusId_v2"),
		CALL(by_index, "nvmlDeviceGetHandleByIndex_v2"),
		CALL(count, "nvmlDeviceGetCount_v2"),
		CALL(persistent, "nvmlDeviceGetPersistenceMode"),
		CALL(retired, "nvmlDeviceGetRetiredPagesPendingStatus"),
		CALL(errors, "nvmlDeviceGetTotalEccErrors"),
		CALL(rows, "nvmlDeviceGetRemappedRows"),
		CALL(fabric, "nvmlDeviceGetGpuFabricInfo"),
		CALL(fields, "nvmlDeviceGetFieldValues"),
		CALL(uuid, "nvmlDeviceGetUUID"),
		CALL(memory, "nvmlDeviceGetMemoryInfo"),
		CALL(percent, "nvmlDeviceGetUtilizationRates"),
#undef CALL
	};
	char path[PATH_MAX];
	void *lib;

	snprintf(path, sizeof(path), "%s%s" LIBRARY, root,
		 *root ? "/usr/lib/" : "");
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; lib && i < sizeof(calls) / sizeof(*calls); i++)
		*(void **)((char *)ret + calls[i].at) =
			dlsym(lib, calls[i].name);
	return lib && ret->init && ret->text && ret->by_bus && ret->by_index
		       ? 0
		       : -1;
}

/* Whether one of the oldest calls has given a value. A device that has failed
 * says so in place of any; a later call may fail for the driver's age. */
static bool has_value(const struct nvml *n, struct gpu *gpu, int rc)
{
	switch (rc) {
	case NVML_NO_POWER:
	case NVML_IRQ_ISSUE:
	case NVML_GPU_IS_LOST:
	case NVML_RESET_REQUIRED:
	case NVML_UNKNOWN:
		if (!*gpu->trouble)
			snprintf(gpu->trouble, sizeof(gpu->trouble), "%s",
				 n->text(rc));
		return false;
	default:
		return rc == NVML_SUCCESS;
	}
}

static void ask_memory(const struct nvml *n, nvml_device device,
		       struct gpu *gpu)
{
	unsigned corrected, uncorrected, pending, failed;
	unsigned long long errors;
	int retired;

	if (n->errors && has_value(n, gpu,
				   n->errors(device, NVML_UNCORRECTED,
					     NVML_VOLATILE, &errors)))
		gpu->uncorrected = (long)errors;
	if (n->retired && n->retired(device, &retired) == NVML_SUCCESS)
		gpu->pending = retired != 0;
	if (n->rows && n->rows(device, &corrected, &uncorrected, &pending,
			       &failed) == NVML_SUCCESS) {
		gpu->pending = gpu->pending == 1 || pending;
		gpu->unrepaired = failed != 0;
	}
}

/* One node's own fabric has no cluster. */
static void name_domain(const struct nvml_fabric *f, char *buf, size_t size)
{
	static const unsigned char none[sizeof(f->cluster)];
	size_t used = 0;

	if (!memcmp(f->cluster, none, sizeof(none)))
		return;
	for (unsigned i = 0; i < sizeof(f->cluster); i++)
		used += (size_t)snprintf(
			buf + used, size - used, "%s%02x",
			i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			f->cluster[i]);
	snprintf(buf + used, size - used, ".%u", f->clique);
}

/* The words of nvidia-smi */
static void ask_fabric(const struct nvml *n, nvml_device device,
		       struct gpu *gpu)
{
	static const char *const words[NVML_FABRIC_STATES] = {
		[NVML_FABRIC_NOT_SUPPORTED] = "Not Supported",
		[NVML_FABRIC_NOT_STARTED] = "Not Started",
		[NVML_FABRIC_IN_PROGRESS] = "In Progress",
		[NVML_FABRIC_COMPLETED] = "Completed",
	};
	struct nvml_fabric f = {.status = NVML_SUCCESS};
	bool failed;

	if (!n->fabric || n->fabric(device, &f) != NVML_SUCCESS ||
	    f.state >= NVML_FABRIC_STATES)
		return;
	failed = f.state == NVML_FABRIC_COMPLETED && f.status != NVML_SUCCESS;
	snprintf(gpu->fabric, sizeof(gpu->fabric), "%s%s%.40s", words[f.state],
		 failed ? ", " : "", failed ? n->text(f.status) : "");
	if (f.state == NVML_FABRIC_COMPLETED && !failed)
		name_domain(&f, gpu->domain, sizeof(gpu->domain));
}

static void ask_recovery(const struct nvml *n, nvml_device device,
			 struct gpu *gpu)
{
	static const char *const words[] = {
		"",	     "Reset",		"Reboot",
		"Drain P2P", "Drain and Reset", "Recover IMEX Domain",
	};
	struct nvml_field f = {.id = NVML_FIELD_RECOVERY};

	if (n->fields && n->fields(device, 1, &f) == NVML_SUCCESS &&
	    f.rc == NVML_SUCCESS && f.u.value < sizeof(words) / sizeof(*words))
		snprintf(gpu->recovery, sizeof(gpu->recovery), "%s",
			 words[f.u.value]);
}

/* One that this process may not use has no handle: it isn't listed. */
static void ask_device(const struct nvml *n, struct gpu *gpu)
{
	nvml_device device;
	int on;

	if (!has_value(n, gpu, n->by_bus(gpu->bus, &device)))
		return;
	gpu->listed = true;
	if (n->persistent && has_value(n, gpu, n->persistent(device, &on)))
		gpu->persistent = on != 0;
	ask_memory(n, device, gpu);
	ask_fabric(n, device, gpu);
	ask_recovery(n, device, gpu);
}

static int ask_library(const int fd[2], const void *arg)
{
	const struct query *q = arg;
	struct gpus gpus = *q->gpus;
	struct nvml n;
	int rc;

	if (open_library(q->root, &n) < 0)
		return 1;
	rc = n.init();
	if (rc != NVML_SUCCESS)
		snprintf(gpus.note, sizeof(gpus.note), "NVML: %.200s",
			 n.text(rc));
	else
		gpus.asked = true;
	for (unsigned i = 0; gpus.asked && i < gpus.n; i++)
		ask_device(&n, &gpus.gpu[i]);
	return write_full(fd[1], (char *)&gpus, sizeof(gpus)) < 0;
}

int gpu_nvml(const char *root, int limit_ms, struct gpus *gpus)
{
	const struct query query = {root, gpus};
	const struct subprocess_spec spec = {
		.run = ask_library,
		.arg = &query,
		.flags = SUBPROCESS_HANGS,
	};
	char said[sizeof(*gpus) + 1];
	struct err err;
	size_t n;

	if (!gpus->n)
		return -1;
	if (subprocess_run(&spec, limit_ms, said, sizeof(said), &n, &err) < 0)
		snprintf(gpus->note, sizeof(gpus->note),
			 "NVML doesn't answer in time: the driver hangs, or "
			 "takes long without persistence mode");
	else if (n == sizeof(*gpus))
		memcpy(gpus, said, sizeof(*gpus));
	else
		return -1;
	return 0;
}

/* --- what they are used for --- */

static void ask_use(const struct nvml *n, unsigned index, struct gpu_use *ret)
{
	struct nvml_percent percent;
	struct nvml_memory memory;
	nvml_device device;

	*ret = (struct gpu_use){.used_mib = -1, .size_mib = -1, .percent = -1};
	if (n->by_index(index, &device) != NVML_SUCCESS)
		return;
	if (n->uuid &&
	    n->uuid(device, ret->uuid, sizeof(ret->uuid)) != NVML_SUCCESS)
		*ret->uuid = '\0';
	if (n->memory && n->memory(device, &memory) == NVML_SUCCESS) {
		ret->used_mib = (long)(memory.used >> 20);
		ret->size_mib = (long)(memory.size >> 20);
	}
	if (n->percent && n->percent(device, &percent) == NVML_SUCCESS)
		ret->percent = (int)percent.gpu;
}

int gpu_use(const char *root, struct gpu_use ret[GPUS_MAX])
{
	struct nvml n;
	unsigned count;

	if (open_library(root, &n) < 0 || !n.count ||
	    n.init() != NVML_SUCCESS || n.count(&count) != NVML_SUCCESS)
		return -1;
	if (count > GPUS_MAX)
		count = GPUS_MAX;
	for (unsigned i = 0; i < count; i++)
		ask_use(&n, i, &ret[i]);
	return (int)count;
}
