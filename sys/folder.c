/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/folder.h"

#include "core/base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AS_FOLDER  (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define OTHERS_ANY 077 /* any right of group and others */
#define OTHERS_W   022 /* they may write */
#define PASSES	   4   /* that a folder is read to empty it */

/* What getdents64() writes; not every C library has it. */
struct entry {
	uint64_t ino, next;
	uint16_t size;
	uint8_t type;
	char name[];
};

int folder_open_own(int base, const char *name, uid_t owner)
{
	cleanup_close int fd = openat(base, name, AS_FOLDER);
	struct stat st;
	int ret = fd;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != owner)
		return -1;
	fd = -1;
	return ret;
}

bool folder_is_private(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && !(st.st_mode & OTHERS_ANY);
}

bool folder_keeps_names(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 &&
	       (!(st.st_mode & OTHERS_W) || st.st_mode & S_ISVTX);
}

bool folder_is_safe(int fd, uid_t user)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_uid == 0 || st.st_uid == user) &&
	       folder_keeps_names(fd);
}

void folder_each(int fd, void (*visit)(void *arg, int fd, const char *name),
		 void *arg)
{
	_Alignas(struct entry) char buf[4096];
	const struct entry *e;
	long n;

	lseek(fd, 0, SEEK_SET);
	while ((n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0)
		for (const char *p = buf; p < buf + n; p += e->size) {
			e = (const void *)p;
			if (strcmp(e->name, ".") != 0 &&
			    strcmp(e->name, "..") != 0)
				visit(arg, fd, e->name);
		}
}

struct level {
	dev_t dev;
	uid_t owner;
	unsigned depth;
	bool removed_any;
};

static void empty_level(int fd, struct level *level);

/* Also one that its owner has no right to, as an overlay's (mode 0). */
static int open_inner(int fd, const char *name, uid_t owner)
{
	int inner = folder_open_own(fd, name, owner);
	cleanup_close int shut =
		inner >= 0 || errno != EACCES
			? -1
			: openat(fd, name,
				 O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	char at[64];

	if (shut < 0 || fstat(shut, &st) < 0 || st.st_uid != owner)
		return inner;
	snprintf(at, sizeof(at), "/proc/self/fd/%d", shut);
	return chmod(at, S_IRWXU) < 0 ? -1 : folder_open_own(fd, name, owner);
}

static void enter(int fd, const char *name, const struct level *above)
{
	cleanup_close int inner = open_inner(fd, name, above->owner);
	struct level level = {
		.dev = above->dev,
		.owner = above->owner,
		.depth = above->depth + 1,
	};
	struct stat st;

	if (inner >= 0 && fstat(inner, &st) == 0 && st.st_dev == level.dev)
		empty_level(inner, &level);
}

/* A folder can't be unlinked: Linux says EISDIR, POSIX EPERM. */
static void remove_entry(void *arg, int fd, const char *name)
{
	struct level *level = arg;

	if (unlinkat(fd, name, 0) == 0) {
		level->removed_any = true;
		return;
	}
	if (errno != EISDIR && errno != EPERM)
		return;
	if (level->depth < FOLDER_DEPTH_MAX)
		enter(fd, name, level);
	if (unlinkat(fd, name, AT_REMOVEDIR) == 0)
		level->removed_any = true;
}

/* Some file systems skip names while others are removed: read again while that
 * helps, but not for ever where somebody adds files. */
static void empty_level(int fd, struct level *level)
{
	level->removed_any = true;
	for (int i = 0; i < PASSES && level->removed_any; i++) {
		level->removed_any = false;
		folder_each(fd, remove_entry, level);
	}
}

void folder_empty(int fd)
{
	struct level top = {.depth = 1};
	struct stat st;

	if (fstat(fd, &st) < 0)
		return;
	top.dev = st.st_dev;
	top.owner = st.st_uid;
	empty_level(fd, &top);
}
