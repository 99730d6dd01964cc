/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/parse.h"
#include "helpers/gpu/gpu.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	bool condemns;
} faults[GPU_FAULTS] = {
	[GPU_FAULT_LOST] = {"lost", true},
	[GPU_FAULT_RECOVERY] = {"recovery", true},
	[GPU_FAULT_UNREPAIRED] = {"unrepaired", true},
	[GPU_FAULT_FABRIC] = {"fabric", true},
	[GPU_FAULT_UNCORRECTED] = {"uncorrected", false},
	[GPU_FAULT_PENDING] = {"pending", false},
};

const char *gpu_fault_name(enum gpu_fault fault)
{
	return faults[fault].name;
}

enum gpu_fault gpu_fault_find(const char *name)
{
	enum gpu_fault fault = 0;

	while (fault < GPU_FAULTS && strcmp(faults[fault].name, name) != 0)
		fault++;
	return fault;
}

bool gpu_fault_condemns(enum gpu_fault fault)
{
	return faults[fault].condemns;
}

const char *gpu_maker_name(enum gpu_maker maker)
{
	static const char *const name[] = {
		[GPU_NONE] = "",
		[GPU_NVIDIA] = "NVIDIA",
		[GPU_AMD] = "AMD",
	};

	return name[maker];
}

/* A device that isn't part of a fabric has no state there. */
static bool fabric_is_well(const char *fabric)
{
	return !*fabric || !strncasecmp(fabric, "Not Supported", 13) ||
	       !strcasecmp(fabric, "Completed, Success") ||
	       !strcasecmp(fabric, "Completed");
}

void gpu_faults(const struct gpu *gpu,
		void (*found)(void *arg, enum gpu_fault fault,
			      const char *text),
		void *arg)
{
	char text[2 * GPU_TEXT_SIZE];

	if (*gpu->trouble) {
		snprintf(text, sizeof(text), "the driver can't use it: %s",
			 gpu->trouble);
		found(arg, GPU_FAULT_LOST, text);
		return;
	}
	if (*gpu->recovery) {
		snprintf(text, sizeof(text), "the driver recommends: %s",
			 gpu->recovery);
		found(arg, GPU_FAULT_RECOVERY, text);
	}
	if (gpu->unrepaired == 1)
		found(arg, GPU_FAULT_UNREPAIRED,
		      "memory rows failed and couldn't be replaced");
	if (!fabric_is_well(gpu->fabric)) {
		snprintf(text, sizeof(text),
			 "it isn't in the NVLink fabric: state %s",
			 gpu->fabric);
		found(arg, GPU_FAULT_FABRIC, text);
	}
	if (gpu->uncorrected > 0) {
		snprintf(text, sizeof(text),
			 "%ld uncorrected memory error%s since the driver was "
			 "loaded",
			 gpu->uncorrected, gpu->uncorrected > 1 ? "s" : "");
		found(arg, GPU_FAULT_UNCORRECTED, text);
	}
	if (gpu->pending == 1)
		found(arg, GPU_FAULT_PENDING,
		      "bad memory waits for a reset to be replaced");
}

int gpu_use_find(const struct gpu_use *use, int n, const char *word)
{
	long index;

	if (parse_number(word, 0, n - 1, &index) == 0)
		return (int)index;
	for (int i = 0; i < n && strlen(word) > strlen("GPU-"); i++)
		if (!strncmp(use[i].uuid, word, strlen(word)))
			return i;
	return -1;
}
