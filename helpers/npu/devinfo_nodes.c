/* SPDX-License-Identifier: Apache-2.0 */
/* Which NPUs /dev shows, and which of them this process may open; see
 * helpers/npu/devinfo.h. */
#include "core/base/cleanup.h"
#include "helpers/npu/devinfo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Only EPERM comes from a device cgroup; other errors of open() don't mean that
 * the device belongs to someone else. */
static bool is_allowed(int dir, const char *name)
{
	cleanup_close int fd =
		openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd >= 0 || errno != EPERM;
}

static void insert_sorted(struct idlist *list, unsigned short id)
{
	unsigned i = list->n++;

	for (; i && list->id[i - 1] > id; i--)
		list->id[i] = list->id[i - 1];
	list->id[i] = id;
}

int devinfo_nodes(const char *root, struct npu_nodes *ret, struct err *err)
{
	struct npu_nodes nodes = {.present.n = 0};
	struct dirent *entry;
	char path[PATH_MAX];
	unsigned short id;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/dev", root);
	dir = opendir(path);
	if (!dir)
		return err_printf(err, "%s: %s", path, strerror(errno));
	while ((entry = readdir(dir))) {
		if (!npu_id_of_name(entry->d_name, &id))
			continue;
		insert_sorted(&nodes.present, id);
		if (is_allowed(dirfd(dir), entry->d_name))
			insert_sorted(&nodes.allowed, id);
	}
	closedir(dir);
	*ret = nodes;
	return 0;
}
