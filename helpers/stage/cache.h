/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The copies that a user has on a node: BASE/dist-train-stage.UID, a folder of
 * his alone, opened once and used by its descriptor. A copy is a folder whose
 * name is its content's sum; in it is the staged folder under its own name. It
 * is filled under another name by who holds the lock of that content, which the
 * kernel takes from a holder that dies, and renamed when it is whole.
 *
 * Who uses a copy holds a shared lock on it; what nobody uses goes, the oldest
 * first, when room is needed or there are more than CACHE_KEEPS.
 */
#ifndef DT_HELPERS_STAGE_CACHE_H
#define DT_HELPERS_STAGE_CACHE_H

#include "core/base/err.h"
#include "helpers/stage/tree.h"

#include <limits.h>
#include <stdbool.h>

#define CACHE_KEEPS 16
#define CACHE_BASES 4

struct cache {
	int fd;		/* of the user's folder there; -1: not open */
	bool in_memory; /* what stays there takes the node's memory */
	char path[PATH_MAX];
};

/* All places where copies may be: SLURM_TMPDIR, `stagedir` (or NULL), else /tmp
 * and /dev/shm. Those that aren't safe are left out, `err` says of the last
 * why. Returns how many there are. */
unsigned caches_open(const char *stagedir, struct cache ret[CACHE_BASES],
		     struct err *err);
void caches_close(struct cache caches[CACHE_BASES]);

/* A copy that is whole: its folder, with the shared lock, which a descriptor
 * that is closed lets go. -1: there is none. */
int cache_find(const struct cache *cache, const char *id);

/* Among n: the one in which the content is being filled, else the first with
 * so much room, and what isn't used taken away for that. Blocks while folders
 * are removed. NULL: none has, and `err` says so. */
const struct cache *cache_choose(const struct cache *caches, unsigned n,
				 const char *id, unsigned long long bytes,
				 unsigned long files, struct err *err);

/* The file whose lock (flock()) the one has who fills that content, for the
 * caller to close. -1 with errno. */
int cache_lock_file(const struct cache *cache, const char *id);

/* Whether that file, which is locked now, is still the one of its name. */
bool cache_lock_is_good(int lock);

/* With the lock: an empty folder to fill, and when it is whole its name. What
 * somebody has left half is removed; that blocks, and so it is made by one
 * process and opened by another. cache_part_open() returns a descriptor, the
 * others 0; -1 with errno. */
int cache_part(const struct cache *cache, const char *id);
int cache_part_open(const struct cache *cache, const char *id);
int cache_keep(const struct cache *cache, const char *id);

/* Remove a copy unless somebody uses it. */
void cache_remove(const struct cache *cache, const char *id);

#endif
