/* SPDX-License-Identifier: Apache-2.0 */
/* What AMD's driver says in /sys: all that its tools would add is there, too.
 */
#include "helpers/gpu/gpu.h"
#include "sys/proc_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CARD "/sys/class/drm/%.40s/device"

/* "ue: 0\nce: 3" of a block: those that weren't corrected */
static void add_errors(const char *root, const char *card, const char *block,
		       struct gpu *gpu)
{
	char text[128];
	long n;

	if (sysfs_read(text, sizeof(text), root, CARD "/ras/%s_err_count", card,
		       block) < 0 ||
	    sscanf(text, "ue: %ld", &n) != 1)
		return;
	gpu->uncorrected = n + (gpu->uncorrected > 0 ? gpu->uncorrected : 0);
}

/* Lines "PAGE : SIZE : FLAG", with P where a page waits for the next start */
static int pages_pending(const char *root, const char *card)
{
	char text[4096];

	if (sysfs_read(text, sizeof(text), root, CARD "/ras/gpu_vram_bad_pages",
		       card) < 0)
		return -1;
	return strstr(text, ": P") != NULL;
}

static void read_line(char ret[GPU_TEXT_SIZE], const char *root,
		      const char *card, const char *name)
{
	if (sysfs_read(ret, GPU_TEXT_SIZE, root, CARD "/%s", card, name) < 0)
		*ret = '\0';
	ret[strcspn(ret, "\n")] = '\0';
}

/* The PCI address is the name of the folder that `device` leads to. */
static void read_bus(char *ret, size_t size, const char *root, const char *card)
{
	char path[PATH_MAX], to[PATH_MAX];
	const char *name;

	snprintf(path, sizeof(path), "%s" CARD, root, card);
	if (!realpath(path, to))
		return;
	name = strrchr(to, '/');
	snprintf(ret, size, "%.15s", name ? name + 1 : to);
}

/* "card0", and no connector such as "card0-DP-1" */
static bool is_card(const char *name)
{
	char *end;

	if (strncmp(name, "card", 4) != 0)
		return false;
	strtoul(name + 4, &end, 10);
	return !*end;
}

static void visit_card(void *arg, const char *root, const char *name)
{
	char vendor[GPU_TEXT_SIZE];
	struct gpus *gpus = arg;
	struct gpu *gpu;

	if (!is_card(name) || gpus->n == GPUS_MAX)
		return;
	read_line(vendor, root, name, "vendor");
	if (strcmp(vendor, "0x1002") != 0)
		return;
	gpu = &gpus->gpu[gpus->n++];
	*gpu = (struct gpu){.uncorrected = -1,
			    .pending = -1,
			    .unrepaired = -1,
			    .persistent = -1};
	read_bus(gpu->bus, sizeof(gpu->bus), root, name);
	read_line(gpu->model, root, name, "product_name");
	if (!*gpu->model)
		read_line(gpu->model, root, name, "device");
	add_errors(root, name, "umc", gpu);
	add_errors(root, name, "gfx", gpu);
	add_errors(root, name, "sdma", gpu);
	gpu->pending = pages_pending(root, name);
}

void gpu_amd_files(const char *root, struct gpus *gpus)
{
	char path[PATH_MAX];

	if (sysfs_read(gpus->driver, sizeof(gpus->driver), root,
		       "/sys/module/amdgpu/version") < 0)
		/* The kernel's own module has no version but the kernel's */
		sysfs_read(gpus->driver, sizeof(gpus->driver), root,
			   "/proc/sys/kernel/osrelease");
	gpus->driver[strcspn(gpus->driver, "\n")] = '\0';
	sysfs_each(root, "/sys/class/drm", visit_card, gpus);
	snprintf(path, sizeof(path), "%s/dev/kfd", root);
	gpus->denied = access(path, R_OK | W_OK) < 0;
}
