/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs of this node, as facts. */
#include "core/base/text.h"
#include "helpers/check/node_facts.h"
#include "helpers/gpu/gpu.h"
#include "sys/sysfs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
