/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/gpu/gpu.h"

#include "helpers/gpu/nvml.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

struct nvml_use {
	nvml_init_fn *init;
	nvml_count_fn *count;
	nvml_index_fn *handle;
	nvml_name_fn *uuid;
	nvml_memory_fn *memory;
	nvml_percent_fn *percent;
};

static int open_library(const char *root, struct nvml_use *ret)
{
	void *lib = nvml_open(root);

	if (!lib)
		return -1;
	*ret = (struct nvml_use){
		.init = (nvml_init_fn *)dlsym(lib, "nvmlInit_v2"),
		.count = (nvml_count_fn *)dlsym(lib, "nvmlDeviceGetCount_v2"),
		.handle = (nvml_index_fn *)dlsym(
			lib, "nvmlDeviceGetHandleByIndex_v2"),
		.uuid = (nvml_name_fn *)dlsym(lib, "nvmlDeviceGetUUID"),
		.memory =
			(nvml_memory_fn *)dlsym(lib, "nvmlDeviceGetMemoryInfo"),
		.percent = (nvml_percent_fn *)dlsym(
			lib, "nvmlDeviceGetUtilizationRates"),
	};
	return ret->init && ret->count && ret->handle ? 0 : -1;
}

static void ask(const struct nvml_use *n, unsigned index, struct gpu_use *ret)
{
	struct nvml_percent percent;
	struct nvml_memory memory;
	nvml_device device;

	*ret = (struct gpu_use){.used_mib = -1, .size_mib = -1, .percent = -1};
	if (n->handle(index, &device) != NVML_SUCCESS)
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
	struct nvml_use n;
	unsigned count;

	if (open_library(root, &n) < 0 || n.init() != NVML_SUCCESS ||
	    n.count(&count) != NVML_SUCCESS)
		return -1;
	if (count > GPUS_MAX)
		count = GPUS_MAX;
	for (unsigned i = 0; i < count; i++)
		ask(&n, i, &ret[i]);
	return (int)count;
}
