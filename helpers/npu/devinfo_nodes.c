/* SPDX-License-Identifier: Apache-2.0 */
/* Which NPUs /dev shows, and which of them this process may open; see
 * helpers/npu/devinfo.h. */
#include "helpers/npu/devinfo.h"
#include "sys/loop.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
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

/* With what each source of facts is asked: below which root, for how long. */

const char *devinfo_root(void)
{
	const char *root = getenv(DEVINFO_ROOT_VARIABLE);

	return root ? root : "";
}

static int call_ms(uint64_t left)
{
	return left / 2 < DEVINFO_CALL_MS ? (int)(left / 2) : DEVINFO_CALL_MS;
}

int devinfo_call_ms(const struct devinfo_query *query)
{
	uint64_t now = loop_now_ms();

	return call_ms(query->deadline_ms > now ? query->deadline_ms - now : 0);
}

int devinfo_library_ms(const struct devinfo_options *options)
{
	return call_ms(options->timeout_s * 1000ULL);
}

int devinfo_path(const char *root, const char *path, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%s%s", root, path);

	return n < 0 || (size_t)n >= size ? -1 : 0;
}
