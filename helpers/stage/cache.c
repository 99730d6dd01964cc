/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/stage/cache.h"

#include "core/base/parse.h"
#include "core/base/text.h"
#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#define AS_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define NAME_SIZE (TREE_SUM_SIZE + 8)
#define FOUND_MAX 512 /* copies that are looked at to find the oldest */

/* Of a file system's own, and that others write meanwhile. */
#define ROOM_MORE (64ULL << 20)
#define FILE_ROOM 4096ULL

/* --- where --- */

/* The folder of this user's below `base`, whoever may write to that. */
static int open_own(const char *base, struct cache *ret, struct err *err)
{
	cleanup_close int fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[64];
	struct statfs fs;

	if (fd < 0)
		return err_printf(err, "%.500s: %s", base, strerror(errno));
	if (!folder_keeps_names(fd))
		return err_printf(err,
				  "%.500s: other users may rename folders "
				  "there; chmod +t",
				  base);
	snprintf(name, sizeof(name), "dist-train-stage.%u",
		 (unsigned)geteuid());
	if (mkdirat(fd, name, 0700) < 0 && errno != EEXIST)
		return err_printf(err, "%.500s/%s: %s", base, name,
				  strerror(errno));
	ret->fd = folder_open_own(fd, name, geteuid());
	if (ret->fd < 0 || !folder_is_private(ret->fd)) {
		if (ret->fd >= 0)
			close(ret->fd);
		ret->fd = -1;
		return err_printf(err,
				  "%.500s/%s isn't a folder of this user's "
				  "alone (mode 0700)",
				  base, name);
	}
	snprintf(ret->path, sizeof(ret->path), "%s/%s", base, name);
	ret->in_memory = fstatfs(ret->fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
	return 0;
}

unsigned caches_open(const char *stagedir, struct cache ret[CACHE_BASES],
		     struct err *err)
{
	const char *tmpdir = getenv("SLURM_TMPDIR");
	const char *base[CACHE_BASES] = {
		tmpdir && *tmpdir == '/' ? tmpdir : NULL,
		stagedir ? stagedir : "/tmp",
		stagedir ? NULL : "/dev/shm",
	};
	unsigned n = 0;

	for (unsigned i = 0; i < CACHE_BASES; i++)
		ret[i].fd = -1;
	for (unsigned i = 0; i < CACHE_BASES; i++)
		if (base[i] && open_own(base[i], &ret[n], err) == 0)
			n++;
	return n;
}

void caches_close(struct cache caches[CACHE_BASES])
{
	for (unsigned i = 0; i < CACHE_BASES; i++)
		if (caches[i].fd >= 0)
			close(caches[i].fd);
}

/* --- one copy --- */

/* With a lock of that kind; who removes it may have been faster. */
static int open_locked(const struct cache *cache, const char *id, int how)
{
	int fd = openat(cache->fd, id, AS_FOLDER);
	struct stat st;

	if (fd < 0)
		return -1;
	if (flock(fd, how | LOCK_NB) == 0 && fstat(fd, &st) == 0 && st.st_nlink)
		return fd;
	close(fd);
	return -1;
}

int cache_find(const struct cache *cache, const char *id)
{
	int fd = open_locked(cache, id, LOCK_SH);

	if (fd >= 0)
		futimens(fd, NULL); /* the newest */
	return fd;
}

static void with_suffix(const char *id, const char *suffix, char ret[NAME_SIZE])
{
	snprintf(ret, NAME_SIZE, "%.32s.%s", id, suffix);
}

/* Nobody finds it half removed. */
void cache_remove(const struct cache *cache, const char *id)
{
	cleanup_close int fd = open_locked(cache, id, LOCK_EX);
	char gone[NAME_SIZE], lock[NAME_SIZE];

	with_suffix(id, "gone", gone);
	with_suffix(id, "lock", lock);
	if (fd < 0 || renameat(cache->fd, id, cache->fd, gone) < 0)
		return;
	unlinkat(cache->fd, lock, 0);
	folder_empty(fd);
	unlinkat(cache->fd, gone, AT_REMOVEDIR);
}

/* --- room --- */

int cache_lock_file(const struct cache *cache, const char *id)
{
	char name[NAME_SIZE];

	with_suffix(id, "lock", name);
	return openat(cache->fd, name,
		      O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

struct found {
	char id[TREE_SUM_SIZE];
	struct timespec used;
};

struct search {
	const struct cache *cache;
	struct found found[FOUND_MAX];
	unsigned n;
};

/* Of a holder that has died, or of a removal that was cut short. */
static void sweep(const struct cache *cache, const char *name)
{
	int lock = -1, fd;

	if (text_ends(name, ".part")) {
		lock = cache_lock_file(cache, name);
		if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) < 0)
			fd = -1;
		else
			fd = folder_open_own(cache->fd, name, geteuid());
	} else {
		fd = folder_open_own(cache->fd, name, geteuid());
	}
	if (fd >= 0) {
		folder_empty(fd);
		close(fd);
		unlinkat(cache->fd, name, AT_REMOVEDIR);
	}
	if (lock >= 0)
		close(lock);
}

static void note_copy(void *arg, int fd, const char *name)
{
	struct search *s = arg;
	struct stat st;

	if (text_ends(name, ".part") || text_ends(name, ".gone"))
		sweep(s->cache, name);
	if (s->n == FOUND_MAX || strlen(name) != TREE_SUM_SIZE - 1 ||
	    !is_word(name, "", TREE_SUM_SIZE) ||
	    fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	strcpy(s->found[s->n].id, name);
	s->found[s->n++].used = st.st_mtim;
}

static int oldest_first(const void *a, const void *b)
{
	const struct timespec *x = &((const struct found *)a)->used;
	const struct timespec *y = &((const struct found *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

static unsigned long long room_of(const struct cache *cache)
{
	struct statvfs vfs;

	return fstatvfs(cache->fd, &vfs) < 0
		       ? 0
		       : (unsigned long long)vfs.f_bavail * vfs.f_frsize;
}

static bool make_room(const struct cache *cache, unsigned long long bytes)
{
	cleanup_free struct search *s = calloc(1, sizeof(*s));
	unsigned left;

	if (!s)
		return room_of(cache) >= bytes;
	s->cache = cache;
	folder_each(cache->fd, note_copy, s);
	qsort(s->found, s->n, sizeof(*s->found), oldest_first);
	left = s->n;
	for (unsigned i = 0; i < s->n; i++) {
		if (left < CACHE_KEEPS && room_of(cache) >= bytes)
			break;
		cache_remove(cache, s->found[i].id);
		left--;
	}
	return room_of(cache) >= bytes;
}

static bool is_being_filled(const struct cache *cache, const char *id)
{
	char name[NAME_SIZE];
	cleanup_close int fd = -1;

	with_suffix(id, "lock", name);
	fd = openat(cache->fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0;
}

const struct cache *cache_choose(const struct cache *caches, unsigned n,
				 const char *id, unsigned long long bytes,
				 unsigned long files, struct err *err)
{
	unsigned long long all = bytes + files * FILE_ROOM + ROOM_MORE;

	for (unsigned i = 0; i < n; i++)
		if (is_being_filled(&caches[i], id))
			return &caches[i];
	for (unsigned i = 0; i < n; i++)
		if (make_room(&caches[i], all))
			return &caches[i];
	if (n)
		err_printf(err, "no room: %.1f MB are needed, %.700s has %.1f",
			   (double)all / 1e6, caches[0].path,
			   (double)room_of(&caches[0]) / 1e6);
	return NULL;
}

/* --- to fill one --- */

bool cache_lock_is_good(int lock)
{
	struct stat st;

	return fstat(lock, &st) == 0 && st.st_nlink;
}

/* What is there is of a holder that has died. */
int cache_part(const struct cache *cache, const char *id)
{
	char name[NAME_SIZE];
	int old;

	with_suffix(id, "part", name);
	old = folder_open_own(cache->fd, name, geteuid());
	if (old >= 0) {
		folder_empty(old);
		close(old);
		unlinkat(cache->fd, name, AT_REMOVEDIR);
	}
	return mkdirat(cache->fd, name, 0700);
}

int cache_part_open(const struct cache *cache, const char *id)
{
	char name[NAME_SIZE];

	with_suffix(id, "part", name);
	return openat(cache->fd, name, AS_FOLDER);
}

int cache_keep(const struct cache *cache, const char *id)
{
	char name[NAME_SIZE];

	with_suffix(id, "part", name);
	return renameat(cache->fd, name, cache->fd, id);
}
