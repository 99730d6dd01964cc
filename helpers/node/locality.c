/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/node/bind.h"

#include "core/facts/device.h"
#include "sys/proc_file.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The number in an NVIDIA driver's text: "Device Minor: \t 3". */
static int device_minor(const char *root, const char *folder, const char *pci)
{
	static const char label[] = "Device Minor:";
	char text[1024];
	const char *at;
	int n;

	if (sysfs_read(text, sizeof(text), root, "%s/%s/information", folder,
		       pci) < 0)
		return -1;
	at = strstr(text, label);
	return at && sscanf(at + strlen(label), "%d", &n) == 1 ? n : -1;
}

/* The Ascend driver's number of the chip, which is that of /dev/davinciN. */
static int ascend_id(const char *root, const char *folder, const char *pci)
{
	return sysfs_number(root, "%s/%s/dev_id", folder, pci);
}

/* Render nodes, /dev/dri/renderD128 and on. */
static int render_index(const char *root, const char *folder, const char *name)
{
	int n;

	(void)root;
	(void)folder;
	return sscanf(name, "renderD%d", &n) == 1 ? n - 128 : -1;
}

/* One folder with an entry for each device of a driver: how its index is
 * found, and where its PCI device is. */
static const struct source {
	const char *variable;
	const char *folder;
	int (*index)(const char *root, const char *folder, const char *name);
	const char *pci, *pci_tail; /* around the entry's name */
} sources[] = {
	{"CUDA_VISIBLE_DEVICES", "/proc/driver/nvidia/gpus", device_minor,
	 "/sys/bus/pci/devices/", ""},
	{DEVICE_VARIABLE_ASCEND, "/sys/bus/pci/drivers/devdrv_device_driver",
	 ascend_id, "/sys/bus/pci/devices/", ""},
	{"ROCR_VISIBLE_DEVICES", "/sys/class/drm", render_index,
	 "/sys/class/drm/", "/device"},
};

#define NSOURCES (sizeof(sources) / sizeof(*sources))

/* Whether this driver has any device here. */
static bool read_source(const char *root, const struct source *s,
			struct locality *ret)
{
	char path[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "%s%s", root, s->folder);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) != NULL) {
		int i = entry->d_name[0] == '.'
				? -1
				: s->index(root, s->folder, entry->d_name);

		if (i < 0 || i >= IDLIST_MAX)
			continue;
		ret->node[i] = sysfs_number(root, "%s%s%s/numa_node", s->pci,
					    entry->d_name, s->pci_tail);
		found = true;
	}
	if (dir)
		closedir(dir);
	return found;
}

void locality_read(const char *root, const char *variable, struct locality *ret)
{
	const char *first = variable ? variable : DEVICE_VARIABLE_ASCEND;

	for (unsigned i = 0; i < IDLIST_MAX; i++)
		ret->node[i] = -1;
	for (size_t i = 0; i < NSOURCES; i++)
		if (!strcmp(sources[i].variable, first) &&
		    read_source(root, &sources[i], ret))
			return;
	for (size_t i = 0; i < NSOURCES; i++)
		if (strcmp(sources[i].variable, first) != 0 &&
		    read_source(root, &sources[i], ret))
			return;
}
