/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/copies/cache.h"

#include "core/base/array.h"
#include "core/base/parse.h"
#include "core/base/text.h"
#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#define AS_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define NAME_SIZE (TREE_SUM_SIZE + 8)
#define FACTS	  ".from"

/* Of a file system's own, and that others write meanwhile. */
#define ROOM_MORE (64ULL << 20)
#define FILE_ROOM 4096ULL

/* --- where --- */

/* The folder of this user's below `base`, whoever may write to that. */
static int open_own(const char *base, bool make, struct cache *ret,
		    struct err *err)
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
	if (fstatfs(fd, &fs) == 0 && (unsigned long)fs.f_flags & ST_NOEXEC)
		return err_printf(err,
				  "%.500s: no program can be executed "
				  "there (noexec)",
				  base);
	snprintf(name, sizeof(name), "dist-train-stage.%u",
		 (unsigned)geteuid());
	if (make && mkdirat(fd, name, 0700) < 0 && errno != EEXIST)
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

static unsigned open_all(const char *stagedir, bool make,
			 struct cache ret[CACHE_BASES], struct err *err)
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
		if (base[i] && open_own(base[i], make, &ret[n], err) == 0)
			n++;
	return n;
}

unsigned caches_open(const char *stagedir, struct cache ret[CACHE_BASES],
		     struct err *err)
{
	return open_all(stagedir, true, ret, err);
}

unsigned caches_look(const char *stagedir, struct cache ret[CACHE_BASES],
		     struct err *err)
{
	return open_all(stagedir, false, ret, err);
}

void caches_close(struct cache caches[CACHE_BASES])
{
	for (unsigned i = 0; i < CACHE_BASES; i++)
		if (caches[i].fd >= 0)
			close(caches[i].fd);
}

/* --- one copy --- */

void cache_name(const char *sum, char ret[TREE_SUM_SIZE])
{
	unsigned char hash[(TREE_SUM_SIZE - 1) / 2];
	crypto_generichash_state state;
	char boot[64] = "";
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && read(fd, boot, sizeof(boot)) < 0)
		*boot = '\0';
	if (fd >= 0)
		close(fd);
	crypto_generichash_init(&state, NULL, 0, sizeof(hash));
	crypto_generichash_update(&state, (const void *)sum, strlen(sum) + 1);
	crypto_generichash_update(&state, (const void *)boot, sizeof(boot));
	crypto_generichash_final(&state, hash, sizeof(hash));
	sodium_bin2hex(ret, TREE_SUM_SIZE, hash, sizeof(hash));
}

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

static bool is_being_filled(const struct cache *cache, const char *id)
{
	char name[NAME_SIZE];
	cleanup_close int fd = -1;

	with_suffix(id, "lock", name);
	fd = openat(cache->fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0;
}

/* Nobody finds it half removed; who has just filled it hasn't got it yet. */
int cache_remove(const struct cache *cache, const char *id)
{
	cleanup_close int fd = open_locked(cache, id, LOCK_EX);
	char gone[NAME_SIZE], lock[NAME_SIZE];

	with_suffix(id, "gone", gone);
	with_suffix(id, "lock", lock);
	if (fd < 0 || is_being_filled(cache, id) ||
	    renameat(cache->fd, id, cache->fd, gone) < 0)
		return -1;
	unlinkat(cache->fd, lock, 0);
	folder_empty(fd);
	return unlinkat(cache->fd, gone, AT_REMOVEDIR);
}

int cache_lock_file(const struct cache *cache, const char *id)
{
	char name[NAME_SIZE];

	with_suffix(id, "lock", name);
	return openat(cache->fd, name,
		      O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

bool cache_in_use(const struct cache *cache, const char *id)
{
	cleanup_close int fd = open_locked(cache, id, LOCK_EX);

	return fd < 0 || is_being_filled(cache, id);
}

/* --- why there is none --- */

void cache_note_why(const struct cache *cache, const char *path,
		    const char *why)
{
	char id[TREE_SUM_SIZE], name[NAME_SIZE];
	cleanup_close int fd = -1;

	cache_name(path, id);
	with_suffix(id, "why", name);
	if (!why)
		unlinkat(cache->fd, name, 0);
	else
		fd = openat(cache->fd, name,
			    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW |
				    O_CLOEXEC,
			    0600);
	if (fd >= 0)
		dprintf(fd, "%s", why);
}

bool cache_why(const struct cache *cache, const char *path, char *ret,
	       size_t size, time_t *ret_when)
{
	char id[TREE_SUM_SIZE], name[NAME_SIZE];
	cleanup_close int fd = -1;
	struct stat st;
	ssize_t n;

	cache_name(path, id);
	with_suffix(id, "why", name);
	fd = openat(cache->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	n = read(fd, ret, size - 1);
	ret[n > 0 ? n : 0] = '\0';
	*ret_when = st.st_mtim.tv_sec;
	return n > 0;
}

/* --- all of them --- */

static void remove_folder(const struct cache *cache, const char *name)
{
	int fd = folder_open_own(cache->fd, name, geteuid());

	if (fd < 0)
		return;
	folder_empty(fd);
	close(fd);
	unlinkat(cache->fd, name, AT_REMOVEDIR);
}

/* What the launchers of a step have in common on this node
 * (helpers/stage/view.c), when nobody holds it any more. */
static void sweep_view(int folder, const char *name)
{
	struct flock any = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	cleanup_close int fd =
		openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    fcntl(fd, F_OFD_GETLK, &any) == 0 && any.l_type == F_UNLCK)
		unlinkat(folder, name, 0);
}

/* Of a holder that has died, or of a removal that was cut short. */
static void sweep(void *arg, int folder, const char *name)
{
	const struct cache *cache = arg;
	cleanup_close int lock = -1;
	char other[NAME_SIZE];

	if (text_ends(name, ".view"))
		sweep_view(folder, name);
	if (text_ends(name, ".gone"))
		remove_folder(cache, name);
	if (!text_ends(name, ".part") && !text_ends(name, ".lock"))
		return;
	lock = cache_lock_file(cache, name);
	if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) < 0)
		return;
	with_suffix(name, "part", other);
	remove_folder(cache, other);
	with_suffix(name, "lock", other);
	unlinkat(folder, other, 0);
}

struct listing {
	struct cache_copy *copy;
	unsigned n;
};

static void read_facts(int folder, const char *id, struct cache_copy *c)
{
	char name[NAME_SIZE + sizeof(FACTS)], text[PATH_MAX + 64];
	cleanup_close int fd = -1;
	ssize_t n;
	int at = 0;

	snprintf(name, sizeof(name), "%s/" FACTS, id);
	fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	if (sscanf(text, "%llu %lu %n", &c->bytes, &c->files, &at) == 2)
		snprintf(c->path, sizeof(c->path), "%s", text + at);
}

static void note_copy(void *arg, int fd, const char *name)
{
	struct listing *l = arg;
	struct cache_copy *c;
	struct stat st;

	if (strlen(name) != TREE_SUM_SIZE - 1 ||
	    !is_word(name, "", TREE_SUM_SIZE) ||
	    fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	c = array_append(&l->copy, l->n, sizeof(*c));
	if (!c)
		return;
	l->n++;
	memcpy(c->id, name, TREE_SUM_SIZE);
	c->used = st.st_mtim;
	read_facts(fd, name, c);
}

static int newest_first(const void *a, const void *b)
{
	const struct timespec *x = &((const struct cache_copy *)a)->used;
	const struct timespec *y = &((const struct cache_copy *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec > y->tv_sec ? -1 : 1;
	return x->tv_nsec > y->tv_nsec ? -1 : x->tv_nsec < y->tv_nsec;
}

struct cache_copy *cache_list(const struct cache *cache, unsigned *ret_n)
{
	struct listing l = {.n = 0};

	folder_each(cache->fd, note_copy, &l);
	sort_items(l.copy, l.n, sizeof(*l.copy), newest_first);
	*ret_n = l.n;
	return l.copy;
}

static unsigned long long room_for(unsigned long long bytes,
				   unsigned long files)
{
	return bytes + files * FILE_ROOM;
}

void cache_trim(const struct cache *cache, long keep)
{
	cleanup_free struct cache_copy *copy = NULL;
	unsigned long long all = 0;
	unsigned n;

	folder_each(cache->fd, sweep, (void *)cache);
	if (keep < 0)
		return;
	copy = cache_list(cache, &n);
	for (unsigned i = 0; i < n; i++) {
		all += room_for(copy[i].bytes, copy[i].files);
		if (all > (unsigned long long)keep || !*copy[i].path)
			cache_remove(cache, copy[i].id);
	}
}

/* --- room --- */

static unsigned long long room_of(const struct cache *cache)
{
	struct statvfs vfs;

	return fstatvfs(cache->fd, &vfs) < 0
		       ? 0
		       : (unsigned long long)vfs.f_bavail * vfs.f_frsize;
}

static bool make_room(const struct cache *cache, unsigned long long bytes)
{
	cleanup_free struct cache_copy *copy = NULL;
	unsigned n;

	folder_each(cache->fd, sweep, (void *)cache);
	copy = cache_list(cache, &n);
	while (n && (n >= CACHE_KEEPS || room_of(cache) < bytes))
		cache_remove(cache, copy[--n].id);
	return room_of(cache) >= bytes;
}

const struct cache *cache_choose(const struct cache *caches, unsigned n,
				 const char *id, unsigned long long bytes,
				 unsigned long files, struct err *err)
{
	unsigned long long all = room_for(bytes, files) + ROOM_MORE;

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

int cache_keep(const struct cache *cache, const char *id,
	       const struct tree_sum *sum, const char *path)
{
	cleanup_close int half = cache_part_open(cache, id), facts = -1;
	char name[NAME_SIZE];

	if (strcmp(base_name(path), FACTS) != 0)
		facts = openat(half, FACTS,
			       O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW |
				       O_CLOEXEC,
			       0600);
	if (facts >= 0 &&
	    dprintf(facts, "%llu %lu %s", sum->bytes, sum->files, path) < 0)
		return -1;
	with_suffix(id, "part", name);
	return renameat(cache->fd, name, cache->fd, id);
}
