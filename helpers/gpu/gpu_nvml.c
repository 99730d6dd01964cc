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

/* What an older driver doesn't have is NULL, but for the first three. */
struct nvml {
	nvml_init_fn *init;
	nvml_text_fn *text;
	nvml_handle_fn *handle;
	nvml_switch_fn *persistent, *retired;
	nvml_errors_fn *errors;
	nvml_rows_fn *rows;
	nvml_fabric_fn *fabric;
	nvml_fields_fn *fields;
};

struct query {
	const char *root;
	const struct gpus *gpus;
};

void *nvml_open(const char *root)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s" LIBRARY, root,
		 *root ? "/usr/lib/" : "");
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static int open_library(const char *root, struct nvml *ret)
{
	void *lib = nvml_open(root);

	if (!lib)
		return -1;
	*ret = (struct nvml){
		.init = (nvml_init_fn *)dlsym(lib, "nvmlInit_v2"),
		.text = (nvml_text_fn *)dlsym(lib, "nvmlErrorString"),
		.handle = (nvml_handle_fn *)dlsym(
			lib, "nvmlDeviceGetHandleByPciBusId_v2"),
		.persistent = (nvml_switch_fn *)dlsym(
			lib, "nvmlDeviceGetPersistenceMode"),
		.retired = (nvml_switch_fn *)dlsym(
			lib, "nvmlDeviceGetRetiredPagesPendingStatus"),
		.errors = (nvml_errors_fn *)dlsym(
			lib, "nvmlDeviceGetTotalEccErrors"),
		.rows = (nvml_rows_fn *)dlsym(lib, "nvmlDeviceGetRemappedRows"),
		.fabric = (nvml_fabric_fn *)dlsym(lib,
						  "nvmlDeviceGetGpuFabricInfo"),
		.fields = (nvml_fields_fn *)dlsym(lib,
						  "nvmlDeviceGetFieldValues"),
	};
	return ret->init && ret->text && ret->handle ? 0 : -1;
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

	if (!has_value(n, gpu, n->handle(gpu->bus, &device)))
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
