/* SPDX-License-Identifier: Apache-2.0 */
/* What NVIDIA's driver says in /proc and /sys. */
#include "helpers/gpu/gpu.h"
#include "sys/proc_file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* "Model: \t\t NVIDIA H100 80GB HBM3" of a device's file */
static void read_model(const char *text, char ret[GPU_TEXT_SIZE])
{
	const char *at = strstr(text, "Model:");

	if (!at)
		return;
	at += strlen("Model:");
	at += strspn(at, " \t");
	snprintf(ret, GPU_TEXT_SIZE, "%.*s", (int)strcspn(at, "\n"), at);
}

static void visit_gpu(void *arg, const char *root, const char *bus)
{
	struct gpu *gpu = nvidia_gpu_of(arg, bus, true);
	char text[1024];

	if (gpu &&
	    sysfs_read(text, sizeof(text), root,
		       "/proc/driver/nvidia/gpus/%.40s/information", bus) == 0)
		read_model(text, gpu->model);
}

/* The first word of digits and dots: "535.161.08" */
static void read_version(const char *text, char *ret, size_t size)
{
	for (const char *at = text; (at = strchr(at, '.')) != NULL; at++) {
		const char *first = at;

		while (first > text && isdigit((unsigned char)first[-1]))
			first--;
		if (first == at || !isdigit((unsigned char)at[1]))
			continue;
		snprintf(ret, size, "%.*s", (int)strspn(first, "0123456789."),
			 first);
		return;
	}
}

static void visit_process(void *arg, const char *root, const char *name)
{
	struct gpus *gpus = arg;
	char comm[32];

	if (!gpus->manager && isdigit((unsigned char)*name) &&
	    sysfs_read(comm, sizeof(comm), root, "/proc/%.20s/comm", name) == 0)
		gpus->manager = !strncmp(comm, "nv-fabricmanage", 15);
}

static void visit_switch(void *arg, const char *root, const char *name)
{
	struct gpus *gpus = arg;

	(void)root;
	(void)name;
	gpus->switches = true;
}

void gpu_nvidia_files(const char *root, struct gpus *gpus)
{
	char text[1024] = "";

	if (sysfs_read(text, sizeof(text), root,
		       "/proc/driver/nvidia/version") == 0)
		read_version(text, gpus->driver, sizeof(gpus->driver));
	gpus->open = strstr(text, "Open Kernel Module") != NULL;
	sysfs_each(root, "/proc/driver/nvidia/gpus", visit_gpu, gpus);
	sysfs_each(root, "/proc/driver/nvidia-nvswitch/devices", visit_switch,
		   gpus);
	if (gpus->switches)
		sysfs_each(root, "/proc", visit_process, gpus);
}
