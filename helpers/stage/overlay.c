/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/stage/overlay.h"

#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>

#define NAME_SIZE (OVERLAY_ID_SIZE + 8)

static void with_suffix(const char *id, const char *suffix, char ret[NAME_SIZE])
{
	snprintf(ret, NAME_SIZE, "%.32s.%s", id, suffix);
}

static int open_lock(int folder, const char *name, int flags)
{
	int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags,
			0600);

	if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) == 0)
		return fd;
	close(fd);
	return -1;
}

/* It is locked before it has its name, or another launcher of the user's might
 * take it for one that is left. */
static int make_lock(int folder, const char *id)
{
	char first[NAME_SIZE], name[NAME_SIZE];
	int fd;

	with_suffix(id, "new", first);
	with_suffix(id, "lock", name);
	fd = open_lock(folder, first, O_CREAT | O_EXCL);
	if (fd >= 0 && renameat(folder, first, folder, name) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static void begin(int folder, const char *id, struct overlay *ret)
{
	*ret = (struct overlay){.folder = folder, .at = -1, .lock = -1};
	snprintf(ret->id, sizeof(ret->id), "%.32s", id);
}

static int make_layers(int at, unsigned n)
{
	char upper[32], work[32];

	for (unsigned i = 0; i < n; i++) {
		snprintf(upper, sizeof(upper), "%u.upper", i);
		snprintf(work, sizeof(work), "%u.work", i);
		if (mkdirat(at, upper, 0700) < 0 || mkdirat(at, work, 0700) < 0)
			return -1;
	}
	return 0;
}

int overlay_open(int folder, unsigned n, struct overlay *ret, struct err *err)
{
	unsigned long long number[2] = {0};
	char id[OVERLAY_ID_SIZE], name[NAME_SIZE];

	if (getrandom(number, sizeof(number), 0) < 0)
		return err_printf(err, "no random number: %s", strerror(errno));
	snprintf(id, sizeof(id), "%016llx%016llx", number[0], number[1]);
	begin(folder, id, ret);
	with_suffix(id, "part", name);
	ret->lock = make_lock(folder, id);
	if (ret->lock >= 0 && mkdirat(folder, name, 0700) == 0)
		ret->at = folder_open_own(folder, name, geteuid());
	if (ret->at >= 0 && make_layers(ret->at, n) == 0)
		return 0;
	err_printf(err, "no folder for what is written: %s", strerror(errno));
	overlay_close(ret);
	return -1;
}

static void drop(struct overlay *o)
{
	if (o->at >= 0)
		close(o->at);
	if (o->lock >= 0)
		close(o->lock);
	*o = (struct overlay){.at = -1, .lock = -1};
}

int overlay_join(int folder, const char *id, struct overlay *ret)
{
	char name[NAME_SIZE];
	struct stat st;

	begin(folder, id, ret);
	with_suffix(id, "lock", name);
	ret->lock = open_lock(folder, name, 0);
	with_suffix(id, "part", name);
	ret->at = folder_open_own(folder, name, geteuid());
	if (ret->at >= 0 && fstat(ret->lock, &st) == 0 && st.st_nlink)
		return 0;
	drop(ret);
	return -1;
}

/* Who can make its lock his alone is the last one. */
void overlay_close(struct overlay *o)
{
	char name[NAME_SIZE];

	if (!*o->id)
		return;
	if (flock(o->lock, LOCK_EX | LOCK_NB) == 0) {
		if (o->at >= 0)
			folder_empty(o->at);
		with_suffix(o->id, "part", name);
		unlinkat(o->folder, name, AT_REMOVEDIR);
		with_suffix(o->id, "lock", name);
		unlinkat(o->folder, name, 0);
	}
	drop(o);
}

/* The top folder is the layer's own, and looks as the copy's. */
int overlay_mount(int at, unsigned i, int copy, int target)
{
	char name[32], to[64], layers[256];
	cleanup_close int upper = -1;
	cleanup_close int work = -1;
	struct stat st;

	snprintf(name, sizeof(name), "%u.upper", i);
	upper = openat(at, name,
		       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	snprintf(name, sizeof(name), "%u.work", i);
	work = openat(at, name,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (upper < 0 || work < 0 || fstat(copy, &st) < 0 ||
	    fchmod(upper, st.st_mode & 0777) < 0)
		return -1;
	snprintf(to, sizeof(to), "/proc/self/fd/%d", target);
	snprintf(layers, sizeof(layers),
		 "lowerdir=/proc/self/fd/%d,upperdir=/proc/self/fd/%d,"
		 "workdir=/proc/self/fd/%d,userxattr",
		 copy, upper, work);
	return mount("overlay", to, "overlay", MS_NOSUID | MS_NODEV, layers);
}
